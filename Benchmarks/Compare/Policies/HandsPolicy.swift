import GroveCache

/// What a cache does, without its store: hands that sweep records in the order in which they came, and take the worst.
struct HandsPolicy: SimulatedPolicy {
    /// `default`.
    static let name = "default"

    private struct Entry {
        let key: UInt64
        var weight: Int
        var written: UInt64
    }

    private static let run = 16
    private static let looks = 128

    /// The bytes that resident entries may have together.
    let capacity: Int
    private var policy: EvictionPolicy
    private var slots: [Entry?] = []
    private var free: [Int] = []
    private var places: [UInt64: Int] = [:]
    private var hands = [0]
    private var turn = 0
    private var left = 0
    private var now: UInt64 = 0
    private var random = SplitMix(seed: 99)
    /// The bytes that resident entries have together.
    private(set) var weight = 0

    /// Makes an empty policy for `capacity` bytes.
    init(capacity: Int) {
        precondition(capacity >= 0, "The capacity of a policy is not negative.")
        self.capacity = capacity
        // Until a record is stored, the number of records that fit is unknown.
        policy = EvictionPolicy(capacity: capacity, records: capacity)
    }

    /// The number of resident entries.
    var count: Int { places.count }

    /// Whether `key` is resident.
    func contains(_ key: UInt64) -> Bool { places[key] != nil }

    /// Notes a hit and returns whether `key` is resident.
    mutating func access(_ key: UInt64) -> Bool {
        guard places[key] != nil else { return false }
        now += UInt64(policy.hit(mixedHash(key), weight: weight / count, now: now))
        return true
    }

    /// Lets the hands make room for `key`.
    mutating func insert(_ key: UInt64, weight: Int, evicting: (EvictedEntry) -> Void) -> Bool {
        guard accepted(weight) != nil else { return false }
        now += UInt64(weight)
        let known = places[key]
        if let known {
            self.weight += weight - (slots[known]?.weight ?? 0)
            slots[known]?.weight = weight
            slots[known]?.written = now
        }
        while self.weight + (known == nil ? weight : 0) > capacity, let victim = evict(sparing: key) {
            evicting(victim)
        }
        policy.stored(mixedHash(key), weight: weight, isNew: known == nil, now: now)
        guard known == nil else { return true }
        let place = free.popLast() ?? slots.count
        if place == slots.count { slots.append(nil) }
        slots[place] = Entry(key: key, weight: weight, written: now)
        places[key] = place
        self.weight += weight
        policy.resize(capacity, records: max(capacity / max(self.weight / count, 1), 1), now: now)
        if hands.count < 256 {
            if random.next() % 16 == 0 { hands.append(place) }
        } else if Double.random(in: 0..<1, using: &random) * Double(count) < 64 {
            hands[Int.random(in: hands.indices, using: &random)] = place
        }
        return true
    }

    /// Forgets `key` and returns whether it was resident.
    mutating func remove(_ key: UInt64) -> Bool {
        guard let place = places[key] else { return false }
        drop(place)
        return true
    }

    /// Evicts what the hands find.
    mutating func evict() -> EvictedEntry? { evict(sparing: nil) }

    private mutating func evict(sparing spared: UInt64?) -> EvictedEntry? {
        guard count > (spared.map { places[$0] != nil } == true ? 1 : 0) else { return nil }
        var (worst, worstScore, looks) = (-1, -1.0, 0)
        let isSmall = count <= HandsPolicy.looks
        var steps = 0
        while looks < HandsPolicy.looks, steps < slots.count * 2 + HandsPolicy.looks {
            steps += 1
            if left <= 0 {
                turn = isSmall ? 0 : Int.random(in: hands.indices, using: &random)
                left = HandsPolicy.run
            }
            if hands[turn] >= slots.count { hands[turn] = 0 }
            let place = hands[turn]
            hands[turn] += 1
            guard let entry = slots[place], entry.key != spared else { continue }
            left -= 1
            looks += 1
            let score = policy.score(mixedHash(entry.key), written: entry.written, now: now)
            let goes = policy.goes(score)
            if score > worstScore { (worst, worstScore) = (place, score) }
            if goes, !isSmall { return evict(at: place) }
        }
        return worst < 0 ? nil : evict(at: worst)
    }

    private mutating func evict(at place: Int) -> EvictedEntry? {
        guard let entry = slots[place] else { return nil }
        policy.went(mixedHash(entry.key), written: entry.written, now: now)
        drop(place)
        return EvictedEntry(key: entry.key, weight: entry.weight)
    }

    private mutating func drop(_ place: Int) {
        guard let entry = slots[place] else { return }
        slots[place] = nil
        free.append(place)
        places[entry.key] = nil
        weight -= entry.weight
    }

    /// Calls `body` with every resident entry.
    func forEachResident(_ body: (UInt64, Int) -> Void) {
        for case let entry? in slots { body(entry.key, entry.weight) }
    }
}
