/// Which records go first, learned from touches and from two small caches that say which kind of order does better at
/// present.
///
/// It knows hashes of keys and weights in bytes, and nothing of stores. Docs/Guides/Eviction.md says how it works, and
/// Docs/Internals/Measurements.md has the measurements.
package struct EvictionPolicy: Sendable {
    /// The keys in each of the small caches.
    private static let sampledKeys = 512.0
    /// The mean number of requests, in contents of a small cache, over which their hits are compared.
    private static let window = 8.0
    /// The factor by which the other order must have more hits to be chosen.
    private static let margin = 1.01

    var main: TouchOrder
    private var small: [SmallCache]
    private var hits = [0.0, 0.0]
    private var rate: UInt64
    private var keep: Double
    /// About the number of records that fit, as of the making of the small caches.
    private(set) var records: Int

    /// Makes a policy for `capacity` bytes, which are about `records` records.
    package init(capacity: Int, records: Int) {
        self.records = max(records, 1)
        // Twice as many keys as records fit are remembered at most, about.
        main = TouchOrder(
            .trial, capacity: capacity, slots: min(self.records, TouchTable.mostSlots / 2) * 2)
        let share = min(1, EvictionPolicy.sampledKeys / Double(self.records))
        let part = max(Int(Double(capacity) * share), 1)
        small = [SmallCache(.recency, capacity: part), SmallCache(.trial, capacity: part)]
        rate = share < 1 ? UInt64(share * 0x1p64) : .max
        keep = 1 - 1 / (EvictionPolicy.window * min(Double(self.records), EvictionPolicy.sampledKeys))
    }

    /// Says that `capacity` bytes fit from now on, about `records` records; nothing changes if that is much like
    /// before.
    package mutating func resize(_ capacity: Int, records: Int, now: UInt64) {
        let ratio = Double(max(records, 1)) / Double(self.records)
        guard
            ratio > 2 || ratio < 0.5 || Double(capacity) > main.capacity * 1.25
                || Double(capacity) < main.capacity * 0.8
        else { return }
        let former = main
        self = EvictionPolicy(capacity: capacity, records: records)
        main.restore(former.seen, former.kind, trialShare: former.trialShare, now: now)
    }

    /// Notes that a record of about `weight` bytes was hit; returns the time by which the clock advances for it.
    package mutating func hit(_ hash: UInt64, weight: Int, now: UInt64) -> Int {
        request(hash, weight: weight, counts: true)
        return main.hit(hash, weight: weight, now: now)
    }

    /// Notes that a record of `weight` bytes was stored, which was not there before if it `isNew`.
    package mutating func stored(_ hash: UInt64, weight: Int, isNew: Bool, now: UInt64) {
        request(hash, weight: weight, counts: isNew)
        if isNew {
            main.came(hash, weight: weight, now: now)
        } else {
            _ = main.hit(hash, weight: weight, now: now)
        }
    }

    /// Notes that a record went; see ``TouchOrder/went(_:written:now:)``.
    package mutating func went(_ hash: UInt64, written: UInt64?, now: UInt64) {
        main.went(hash, written: written, now: now)
    }

    /// The score of a record; see ``TouchOrder/score(_:written:now:)``.
    package func score(_ hash: UInt64, written: UInt64?, now: UInt64) -> Double {
        main.score(hash, written: written, now: now)
    }

    /// Takes in a score that was seen; returns whether it is among the worst of those that were seen lately.
    package mutating func goes(_ score: Double) -> Bool { main.goes(score) }

    /// The bytes allocated for the memory of touches.
    package var byteCount: Int { main.seen.byteCount }

    private mutating func request(_ hash: UInt64, weight: Int, counts: Bool) {
        guard (hash ^ 0x9e37_79b9_7f4a_7c15) &* 0xd6e8_feb8_6659_fd93 <= rate else { return }
        for index in 0..<2 {
            let isHit = small[index].access(hash, weight: weight)
            if counts { hits[index] = hits[index] * keep + (isHit ? 1 : 0) }
        }
        let now = Int(main.kind.rawValue)
        if hits[1 - now] > hits[now] * EvictionPolicy.margin + 0.5 { main.kind = now == 0 ? .trial : .recency }
    }
}
