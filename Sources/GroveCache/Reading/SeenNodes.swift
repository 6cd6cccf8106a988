/// The hashes of the nodes that a read has met: open addressing, one word a node.
///
/// Remembering every decoded node costs as much as decoding it again, so the first sight leaves a hash only, and the
/// second one the node itself. A false match costs a remembered node, never a wrong one.
struct SeenNodes {
    private var slots: [UInt64] = Array(repeating: 0, count: 32)
    private var count = 0

    /// Notes `hash` and returns whether it was noted before.
    mutating func note(_ hash: UInt64) -> Bool {
        let hash = hash == 0 ? 1 : hash
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] != 0 {
            if slots[slot] == hash { return true }
            slot = (slot + 1) & (slots.count - 1)
        }
        slots[slot] = hash
        count += 1
        if count * 2 > slots.count { grow() }
        return false
    }

    mutating func removeAll() {
        guard count > 0 else { return }
        count = 0
        if slots.count > 4_096 {
            slots = Array(repeating: 0, count: 32)
        } else {
            for index in slots.indices { slots[index] = 0 }
        }
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: 0, count: old.count * 2)
        for hash in old where hash != 0 {
            var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = hash
        }
    }
}
