/// The memory of keys that were asked for: of records that are stored, and of records that have gone.
///
/// A slot has a tag of the key's hash, the coarse time of the last access and the number of hits, in four bytes; eight
/// slots are a bucket. In a full bucket the slot goes whose record would go first. Once in some two thousand looks
/// another key has the same tag by chance: no answer depends on it, only which record goes.
struct TouchTable: Sendable {
    private static let bucketSlots = 8
    private static let tagBits: UInt32 = 14
    private static let timeMask: UInt32 = (1 << 15) - 1
    /// The most hits that a slot counts.
    static let mostHits = 7
    /// The least slots: 16 KB.
    static let leastSlots = 4_096
    /// The most: 4 MB.
    static let mostSlots = 1 << 20

    /// The tag, the count and the time of each slot, from the highest bit; 0 for none.
    private(set) var slots: ContiguousArray<UInt32>
    /// The bytes in one step of a slot's time.
    private(set) var unit: UInt64
    private var mask: Int
    /// The most slots, about.
    private var limit: Int
    /// The number of keys that came since the table grew.
    private var newKeys = 0
    /// Whether nothing is remembered yet.
    private var isEmpty: Bool

    /// Makes an empty table of at most about `limit` slots, whose times have steps of `unit`.
    init(limit: Int, unit: UInt64) {
        let buckets = TouchTable.leastSlots / TouchTable.bucketSlots
        slots = ContiguousArray(repeating: 0, count: TouchTable.leastSlots)
        mask = buckets - 1
        self.unit = max(unit, 1)
        self.limit = limit
        isEmpty = true
    }

    /// Makes a table of the saved slots of another; `nil` if `slots` are not those of a table.
    init?(slots: ContiguousArray<UInt32>, unit: UInt64) {
        guard slots.count >= TouchTable.leastSlots, slots.count <= TouchTable.mostSlots,
            slots.count & (slots.count - 1) == 0, unit > 0
        else { return nil }
        self.slots = slots
        self.unit = unit
        mask = slots.count / TouchTable.bucketSlots - 1
        limit = slots.count
        isEmpty = false
    }

    /// Bytes allocated.
    var byteCount: Int { slots.capacity * MemoryLayout<UInt32>.size }

    private static func tag(_ hash: UInt64) -> UInt32 {
        max(UInt32(truncatingIfNeeded: hash >> (64 - UInt64(tagBits))), 1)
    }

    /// The place of the slot of the key whose hash is `hash`.
    @inline(__always)
    func find(_ hash: UInt64) -> Int? {
        guard !isEmpty else { return nil }
        let start = (Int(truncatingIfNeeded: hash) & mask) &* TouchTable.bucketSlots
        let tag = TouchTable.tag(hash)
        for place in start..<start &+ TouchTable.bucketSlots where slots[place] >> 18 == tag { return place }
        return nil
    }

    /// The number of hits of the slot at `place`, at most ``mostHits``.
    func hits(_ place: Int) -> Int { Int(slots[place] >> 15 & 7) }

    /// The time from the last access to `now`.
    func age(_ place: Int, now: UInt64) -> UInt64 {
        let step = UInt32(truncatingIfNeeded: now / unit) & TouchTable.timeMask
        return UInt64((step &- slots[place]) & TouchTable.timeMask) &* unit
    }

    /// Remembers that the key was accessed at `last`, and its record hit `hits` times.
    ///
    /// - Parameter place: the place at which its slot was found; `nil` if it has none.
    mutating func set(_ hash: UInt64, at place: Int?, last: UInt64, hits: Int, now: UInt64) {
        let place = place ?? freePlace(hash, now: now)
        isEmpty = false
        let step = UInt32(truncatingIfNeeded: last / unit) & TouchTable.timeMask
        slots[place] = TouchTable.tag(hash) << 18 | UInt32(min(hits, TouchTable.mostHits)) << 15 | step
    }

    /// A place in the bucket of `hash` that is free, or whose record would go first.
    private mutating func freePlace(_ hash: UInt64, now: UInt64) -> Int {
        newKeys += 1
        // Early, so that few of its slots are copies of copies.
        if newKeys > slots.count / 8, slots.count * 2 <= limit { grow() }
        let start = (Int(truncatingIfNeeded: hash) & mask) &* TouchTable.bucketSlots
        var (worst, worstAge) = (start, -1.0)
        for place in start..<start + TouchTable.bucketSlots {
            guard slots[place] != 0 else { return place }
            let age = Double(age(place, now: now)) / Double(1 + hits(place))
            if age > worstAge { (worst, worstAge) = (place, age) }
        }
        return worst
    }

    /// Doubles the table: the bit of the hash that tells a slot's two buckets apart is not stored, so that it is in
    /// both until it goes.
    private mutating func grow() {
        slots.append(contentsOf: slots)
        mask = mask << 1 | 1
        newKeys = 0
    }

    /// Takes over the slots of `other`; the unit of its times stays, unless it is far from this table's own.
    mutating func restore(_ other: TouchTable, now: UInt64) {
        let (own, limit) = (unit, limit)
        self = other
        self.limit = limit
        guard unit > own * 2 || unit < own / 2 else { return }
        for place in slots.indices where slots[place] != 0 {
            let last = now &- min(age(place, now: now), now)
            slots[place] =
                slots[place] & ~TouchTable.timeMask | UInt32(truncatingIfNeeded: last / own) & TouchTable.timeMask
        }
        unit = own
    }
}
