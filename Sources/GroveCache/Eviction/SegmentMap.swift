/// In which segment of the journal each resident entry's key stands: eight bytes a slot, open addressing.
///
/// Linear probing, at most 5/6 full, grown by a sixteenth: the slots are in the order of their hashes, so that growing is
/// a walk through memory.
///
/// A slot holds 40 bits of the key's hash and 24 of the segment's number. Two keys that cannot be told apart, one in ten
/// million at a hundred thousand entries, cost one of them its eviction, never a wrong one: the journal has whole keys.
struct SegmentMap: Sendable {
    private var slots: ContiguousArray<UInt64> = ContiguousArray(repeating: 0, count: 64)
    private(set) var count = 0

    /// Bytes allocated.
    var bytes: Int { slots.capacity * MemoryLayout<UInt64>.stride }

    /// The last 24 bits of the segment of the key whose hash is `hash`.
    func find(_ hash: UInt64) -> UInt32? {
        let place = slot(hash)
        return slots[place] == 0 ? nil : UInt32(slots[place] & SegmentMap.segmentMask)
    }

    /// Notes the segment of a key and returns the one that it had.
    mutating func set(_ hash: UInt64, _ segment: UInt32) -> UInt32? {
        if (count + 1) * 6 > slots.count * 5 { grow() }
        let place = slot(hash)
        let before = slots[place]
        slots[place] = SegmentMap.tag(hash) | UInt64(segment) & SegmentMap.segmentMask
        if before == 0 { count += 1 }
        return before == 0 ? nil : UInt32(before & SegmentMap.segmentMask)
    }

    /// Forgets a key and returns the segment that it had.
    mutating func remove(_ hash: UInt64) -> UInt32? {
        var hole = slot(hash)
        guard slots[hole] != 0 else { return nil }
        let segment = UInt32(slots[hole] & SegmentMap.segmentMask)
        count -= 1
        // What follows without a gap moves up, unless that would put it before its home.
        var place = next(hole)
        while slots[place] != 0 {
            let home = home(slots[place])
            if distance(from: home, to: place) >= distance(from: hole, to: place) {
                slots[hole] = slots[place]
                hole = place
            }
            place = next(place)
        }
        slots[hole] = 0
        return segment
    }

    mutating func removeAll() { self = SegmentMap() }

    private static let segmentMask: UInt64 = (1 << 24) - 1

    /// All of the hash that a slot knows, in its high bits; never 0, which is a free slot's.
    private static func tag(_ hash: UInt64) -> UInt64 { max(mixedHash(hash) & ~segmentMask, 1 << 24) }

    private func slot(_ hash: UInt64) -> Int {
        let tag = SegmentMap.tag(hash)
        var place = home(tag)
        while slots[place] != 0, slots[place] & ~SegmentMap.segmentMask != tag { place = next(place) }
        return place
    }

    private func home(_ slot: UInt64) -> Int { Int(((slot >> 32) &* UInt64(slots.count)) >> 32) }

    private func next(_ place: Int) -> Int { place + 1 == slots.count ? 0 : place + 1 }

    private func distance(from: Int, to: Int) -> Int { to >= from ? to - from : to - from + slots.count }

    private mutating func grow() {
        let old = slots
        slots = ContiguousArray(repeating: 0, count: old.count + old.count / 16 + 64)
        for value in old where value != 0 {
            var place = home(value)
            while slots[place] != 0 { place = next(place) }
            slots[place] = value
        }
    }
}
