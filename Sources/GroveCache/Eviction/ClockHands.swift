import GroveModel

/// Places in a store's own order from which records are looked at, some in a row each.
///
/// They are spread as the records are that came: hands at even distances would soon all look at the same few. If every
/// record between two of them has gone, they come to one place: then one of them stays.
struct ClockHands {
    /// The most hands.
    private static let most = 256
    /// The number of records that a hand looks at in a row.
    private static let run = 16
    /// The number of hands, on average, that move to a record that came while as many come as there are.
    private static let moving = most / 4

    private(set) var cursors: [SweepCursor?] = [nil]
    /// The places of all hands, to find one.
    private var places: Set<SweepCursor?> = [nil]
    private var turn = 0
    /// The number of records for which the hand whose turn it is goes on.
    private var left = 0
    /// The state of SplitMix64 (Steele, Lea and Flood 2014): each of the system's numbers costs a system call, and each
    /// record that is stored takes a number.
    private var state = UInt64.random(in: .min ... .max)

    /// Adds a hand at `cursor`, if there are not too many.
    mutating func add(_ cursor: SweepCursor) {
        if cursors.count < ClockHands.most, places.insert(cursor).inserted { cursors.append(cursor) }
    }

    /// Moves a hand, now and then, to a record that came; there are `entries` records.
    mutating func move(
        entries: Int, to cursor: () throws(CacheError) -> SweepCursor?
    ) throws(CacheError) {
        if cursors.count < ClockHands.most {
            if random(below: 16) == 0, let cursor = try cursor() { add(cursor) }
        } else if random(below: max(entries, 1)) < ClockHands.moving, let cursor = try cursor(),
            places.insert(cursor).inserted
        {
            let hand = random(below: cursors.count)
            places.remove(cursors[hand])
            cursors[hand] = cursor
        }
    }

    /// The place to look at next, and the most records to look at.
    mutating func next() -> (cursor: SweepCursor?, limit: Int) {
        if left <= 0 { (turn, left) = (random(below: cursors.count), ClockHands.run) }
        return (cursors[turn], left)
    }

    /// Says that the look went on to `cursor`, over `count` records; at the end another hand goes on.
    ///
    /// - Returns: false if another hand is at `cursor`: this one goes.
    mutating func advance(to cursor: SweepCursor?, over count: Int) -> Bool {
        places.remove(cursors[turn])
        guard places.insert(cursor).inserted else {
            cursors.swapAt(turn, cursors.count - 1)
            cursors.removeLast()
            left = 0
            return false
        }
        cursors[turn] = cursor
        left = cursor == nil ? 0 : left - max(count, 1)
        return true
    }

    /// A number below `limit`, which is above 0.
    private mutating func random(below limit: Int) -> Int {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        return Int((word ^ word >> 31).multipliedFullWidth(by: UInt64(limit)).high)
    }
}
