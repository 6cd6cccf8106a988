/// A queue in order of arrival, and a hand that spares what was read since it last came by.
///
/// Zhang, Yang, Yue, Vigfusson and Rashmi: *SIEVE is Simpler than LRU*, NSDI 2024, section 3 and algorithm 1. Weights
/// are ours: the hand goes on until there is room.
struct SIEVE: SimulatedPolicy {
    /// `sieve`.
    static let name = "sieve"

    /// The bytes that resident entries may have together.
    let capacity: Int

    private var arena = EntryArena()
    private var queue = EntryQueue()
    /// The entry at which the hand will look next; none if it starts again at the oldest.
    private var hand = EntryArena.none

    /// Makes an empty policy for `capacity` bytes.
    init(capacity: Int) {
        precondition(capacity >= 0, "The capacity of a policy is not negative.")
        self.capacity = capacity
    }

    /// The bytes that resident entries have together.
    var weight: Int { queue.weight }

    /// The number of resident entries.
    var count: Int { queue.count }

    /// Whether `key` is resident.
    func contains(_ key: UInt64) -> Bool { arena.find(key) != nil }

    /// Sets the bit of `key` and returns whether it is resident.
    mutating func access(_ key: UInt64) -> Bool {
        guard let position = arena.find(key) else { return false }
        arena[position].mark = 1
        return true
    }

    /// Lets the hand make room, and makes `key` the newest entry.
    mutating func insert(_ key: UInt64, weight: Int, evicting: (EvictedEntry) -> Void) -> Bool {
        guard let accepted = accepted(weight) else { return false }
        if let position = arena.find(key) {
            arena[position].mark = 1
            arena.setWeight(accepted, of: position, in: &queue)
            var isResident = true
            while queue.weight > capacity, let victim = evict() {
                if victim.key == key { isResident = false }
                evicting(victim)
            }
            return isResident
        }
        while queue.weight + weight > capacity, let victim = evict() { evicting(victim) }
        arena.add(key, weight: accepted, mark: 0, to: &queue)
        return true
    }

    /// Forgets `key` and returns whether it was resident.
    mutating func remove(_ key: UInt64) -> Bool {
        guard let position = arena.find(key) else { return false }
        drop(position)
        return true
    }

    /// Moves the hand from old to new, clearing bits, to the first entry without one, and evicts that.
    mutating func evict() -> EvictedEntry? {
        guard queue.count > 0 else { return nil }
        var position = hand == EntryArena.none ? queue.oldest : hand
        while arena[position].mark != 0 {
            arena[position].mark = 0
            position = arena[position].newer
            if position == EntryArena.none { position = queue.oldest }
        }
        hand = position
        let victim = EvictedEntry(key: arena[position].key, weight: Int(arena[position].weight))
        drop(position)
        return victim
    }

    /// Calls `body` with every resident entry, the oldest first.
    func forEachResident(_ body: (UInt64, Int) -> Void) {
        arena.forEach(in: queue) { body($0.key, Int($0.weight)) }
    }

    private mutating func drop(_ position: UInt32) {
        if hand == position { hand = arena[position].newer }
        arena.drop(position, from: &queue)
    }
}
