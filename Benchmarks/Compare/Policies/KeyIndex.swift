/// An entry in an array that a ``KeyIndex`` finds by its key.
protocol IndexedEntry {
    associatedtype Key: Equatable
    var key: Key { get }

    /// 32 well-mixed bits of a key.
    static func hash(of key: Key) -> UInt32
}

/// A hash table with open addressing, whose slots of four bytes hold positions in an array elsewhere.
///
/// The low bits of a slot hold a position plus one, and the others a tag of the hash. So a wrong slot is seldom
/// followed into the array. The table probes linearly, is at most 4/5 full, and grows by a twentieth. A removal shifts
/// slots back and leaves no tombstones.
struct KeyIndex<Entry: IndexedEntry>: Sendable {
    private var slots: ContiguousArray<UInt32> = ContiguousArray(repeating: 0, count: 16)
    private var positionBits: UInt32 = 5
    private(set) var count = 0

    /// Bytes allocated.
    var bytes: Int { slots.capacity * MemoryLayout<UInt32>.stride }

    /// The position of `key` in `entries`.
    func position(of key: Entry.Key, in entries: ContiguousArray<Entry>) -> Int? {
        let hash = Entry.hash(of: key)
        let tag = hash << positionBits
        let mask: UInt32 = (1 << positionBits) - 1
        var slot = home(hash)
        while true {
            let value = slots[slot]
            if value == 0 { return nil }
            if value & ~mask == tag {
                let position = Int(value & mask) - 1
                if entries[position].key == key { return position }
            }
            slot = next(slot)
        }
    }

    /// Notes that `entries[position]` is there; its key must not be noted already.
    mutating func add(_ position: Int, in entries: ContiguousArray<Entry>) {
        if (count + 1) * 5 > slots.count * 4 || position + 1 >= slots.count {
            grow(toHold: position, in: entries)
        }
        place(position, Entry.hash(of: entries[position].key))
        count += 1
    }

    /// Forgets `entries[position]`, which is still there.
    mutating func remove(_ position: Int, in entries: ContiguousArray<Entry>) {
        let hash = Entry.hash(of: entries[position].key)
        let wanted = hash << positionBits | UInt32(position + 1)
        var hole = home(hash)
        while slots[hole] != wanted {
            precondition(slots[hole] != 0, "The index does not know an entry that it should.")
            hole = next(hole)
        }
        // Whatever follows without a gap moves up, unless that would put it before its home.
        let mask: UInt32 = (1 << positionBits) - 1
        var slot = next(hole)
        while slots[slot] != 0 {
            let origin = home(Entry.hash(of: entries[Int(slots[slot] & mask) - 1].key))
            let fromOrigin = distance(from: origin, to: slot)
            if fromOrigin >= distance(from: hole, to: slot) {
                slots[hole] = slots[slot]
                hole = slot
            }
            slot = next(slot)
        }
        slots[hole] = 0
        count -= 1
    }

    /// Makes room for `count` entries, so that it need not grow while they are added.
    mutating func reserve(_ count: Int, in entries: ContiguousArray<Entry>) {
        let size = count * 5 / 4 + 2
        if size > slots.count { resize(to: size, in: entries) }
    }

    /// Forgets everything, and keeps the space.
    mutating func removeAll() {
        for slot in slots.indices { slots[slot] = 0 }
        count = 0
    }

    @inline(__always)
    private func home(_ hash: UInt32) -> Int { Int((UInt64(hash) &* UInt64(slots.count)) >> 32) }

    @inline(__always)
    private func next(_ slot: Int) -> Int { slot + 1 == slots.count ? 0 : slot + 1 }

    @inline(__always)
    private func distance(from: Int, to: Int) -> Int { to >= from ? to - from : to - from + slots.count }

    private mutating func place(_ position: Int, _ hash: UInt32) {
        var slot = home(hash)
        while slots[slot] != 0 { slot = next(slot) }
        slots[slot] = hash << positionBits | UInt32(position + 1)
    }

    private mutating func grow(toHold position: Int, in entries: ContiguousArray<Entry>) {
        resize(to: max(slots.count + slots.count / 20 + 16, (count + 1) * 5 / 4 + 1, position + 2), in: entries)
    }

    private mutating func resize(to size: Int, in entries: ContiguousArray<Entry>) {
        let old = slots
        let mask: UInt32 = (1 << positionBits) - 1
        precondition(size < 1 << 31, "A policy holds fewer than two thousand million entries.")
        slots = ContiguousArray(repeating: 0, count: size)
        positionBits = UInt32(Int.bitWidth - size.leadingZeroBitCount)
        for value in old where value != 0 {
            let position = Int(value & mask) - 1
            place(position, Entry.hash(of: entries[position].key))
        }
    }
}

/// Mixes a key, so that keys need not be well distributed.
///
/// Saved ghosts hold some of its bits: another mix is another
/// version of their state.
@inline(__always)
func mixedHash(_ key: UInt64) -> UInt64 {
    let product = (key ^ 0x9e37_79b9_7f4a_7c15).multipliedFullWidth(by: 0xd6e8_feb8_6659_fd93)
    let folded = product.high ^ product.low
    return (folded ^ folded >> 29) &* 0xbf58_476d_1ce4_e5b9
}
