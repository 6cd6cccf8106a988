/// A 64-bit fingerprint for each of many 64-bit keys: open addressing, 16 bytes a slot, at most seven slots in eight used.
///
/// A node costs 18 to 37 bytes of heap, twice that while the table grows; one that was never set costs nothing.
struct FingerprintTable: Sendable {
    private struct Slot {
        /// 0 where the slot is free.
        var key: UInt64 = 0
        var value: UInt64 = 0
    }

    private var slots: [Slot] = []
    private(set) var count = 0

    /// Bytes of heap.
    var byteCount: Int { slots.count * MemoryLayout<Slot>.stride }

    /// The fingerprint of `key`, or `nil` where there is none.
    ///
    /// - Complexity: O(1) expected, where keys are hashes.
    func find(_ key: UInt64) -> UInt64? {
        guard !slots.isEmpty else { return nil }
        let slot = slots[place(of: FingerprintTable.used(key))]
        return slot.key == 0 ? nil : slot.value
    }

    /// Notes that `key` has the fingerprint `value`.
    mutating func set(_ key: UInt64, _ value: UInt64) {
        let key = FingerprintTable.used(key)
        if (count + 1) * 8 > slots.count * 7 { grow() }
        let place = place(of: key)
        if slots[place].key == 0 { count += 1 }
        slots[place] = Slot(key: key, value: value)
    }

    /// Gives `key` the fingerprint `value` where it has one that `isReplaced` says yes to.
    ///
    /// - Returns: whether it had one.
    @inline(__always)
    mutating func replace(_ key: UInt64, with value: UInt64, where isReplaced: (UInt64) -> Bool) -> Bool {
        guard !slots.isEmpty else { return false }
        let place = place(of: FingerprintTable.used(key))
        guard slots[place].key != 0 else { return false }
        if isReplaced(slots[place].value) { slots[place].value = value }
        return true
    }

    /// Forgets `key`.
    mutating func remove(_ key: UInt64) {
        guard !slots.isEmpty else { return }
        let mask = slots.count - 1
        var free = place(of: FingerprintTable.used(key))
        guard slots[free].key != 0 else { return }
        // Those that were pushed behind it move up (Knuth, TAOCP volume 3, 6.4, algorithm R).
        var next = free
        while true {
            next = (next + 1) & mask
            guard slots[next].key != 0 else { break }
            let home = Int(truncatingIfNeeded: slots[next].key) & mask
            guard (next - home) & mask >= (next - free) & mask else { continue }
            slots[free] = slots[next]
            free = next
        }
        slots[free] = Slot()
        count -= 1
    }

    /// Visits the keys and their fingerprints, in no order.
    func forEach(_ visit: (_ key: UInt64, _ value: UInt64) -> Void) {
        for slot in slots where slot.key != 0 { visit(slot.key, slot.value) }
    }

    /// Forgets everything and gives the memory back.
    mutating func removeAll() {
        slots = []
        count = 0
    }

    /// `key`, or another where it is the mark of a free slot.
    private static func used(_ key: UInt64) -> UInt64 { key == 0 ? 1 : key }

    /// Where `key` is, or would be.
    private func place(of key: UInt64) -> Int {
        let mask = slots.count - 1
        var place = Int(truncatingIfNeeded: key) & mask
        while slots[place].key != 0, slots[place].key != key { place = (place + 1) & mask }
        return place
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: Slot(), count: max(64, old.count * 2))
        for slot in old where slot.key != 0 { slots[place(of: slot.key)] = slot }
    }
}
