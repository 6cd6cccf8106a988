/// Evicts what was read longest ago.
///
/// For comparison: a single pass over many keys flushes everything else.
struct LRU: SimulatedPolicy {
    /// `lru`.
    static let name = "lru"

    /// The bytes that resident entries may have together.
    let capacity: Int

    private var arena = EntryArena()
    private var queue = EntryQueue()

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

    /// Makes `key` the newest entry and returns whether it is resident.
    mutating func access(_ key: UInt64) -> Bool {
        guard let position = arena.find(key) else { return false }
        arena.renew(position, in: &queue)
        return true
    }

    /// Makes `key` the newest entry and evicts the oldest until there is room.
    mutating func insert(_ key: UInt64, weight: Int, evicting: (EvictedEntry) -> Void) -> Bool {
        guard let accepted = accepted(weight) else { return false }
        if let position = arena.find(key) {
            arena.setWeight(accepted, of: position, in: &queue)
            arena.renew(position, in: &queue)
        } else {
            arena.add(key, weight: accepted, mark: 0, to: &queue)
        }
        while queue.weight > capacity, let victim = evict() { evicting(victim) }
        return true
    }

    /// Forgets `key` and returns whether it was resident.
    mutating func remove(_ key: UInt64) -> Bool {
        guard let position = arena.find(key) else { return false }
        arena.drop(position, from: &queue)
        return true
    }

    /// Evicts the oldest entry.
    mutating func evict() -> EvictedEntry? {
        let position = queue.oldest
        guard position != EntryArena.none else { return nil }
        let victim = EvictedEntry(key: arena[position].key, weight: Int(arena[position].weight))
        arena.drop(position, from: &queue)
        return victim
    }

    /// Calls `body` with every resident entry, the oldest first.
    func forEachResident(_ body: (UInt64, Int) -> Void) {
        arena.forEach(in: queue) { body($0.key, Int($0.weight)) }
    }

}
