/// Evicts what was read longest ago.
///
/// For comparison: a single pass over many keys flushes everything else.
public struct LRU: EvictionPolicy {
    /// `lru`.
    public static let name = "lru"

    /// The bytes that resident entries may have together.
    public let capacity: Int

    private var arena = EntryArena()
    private var queue = EntryQueue()
    private static let tag: UInt32 = 0x2055_524c

    /// Makes an empty policy for `capacity` bytes.
    public init(capacity: Int) {
        precondition(capacity >= 0, "The capacity of a policy is not negative.")
        self.capacity = capacity
    }

    /// Makes a policy from what ``save()`` returned; `nil` where the bytes are not that.
    public init?(restoring bytes: [UInt8], capacity: Int) {
        self.init(capacity: capacity)
        guard var reader = PolicyStateReader(bytes, policy: Self.tag),
            reader.queue(into: &queue, of: &arena, where: { $0 == 0 }), reader.isAtEnd
        else { return nil }
    }

    /// The bytes that resident entries have together.
    public var weight: Int { queue.weight }

    /// The number of resident entries.
    public var count: Int { queue.count }

    /// Whether `key` is resident.
    public func contains(_ key: UInt64) -> Bool { arena.find(key) != nil }

    /// Makes `key` the newest entry and returns whether it is resident.
    public mutating func access(_ key: UInt64) -> Bool {
        guard let position = arena.find(key) else { return false }
        arena.renew(position, in: &queue)
        return true
    }

    /// Makes `key` the newest entry and evicts the oldest until there is room.
    public mutating func insert(_ key: UInt64, weight: Int, evicting: (EvictedEntry) -> Void) -> Bool {
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
    public mutating func remove(_ key: UInt64) -> Bool {
        guard let position = arena.find(key) else { return false }
        arena.drop(position, from: &queue)
        return true
    }

    /// Evicts the oldest entry.
    public mutating func evict() -> EvictedEntry? {
        let position = queue.oldest
        guard position != EntryArena.none else { return nil }
        let victim = EvictedEntry(key: arena[position].key, weight: Int(arena[position].weight))
        arena.drop(position, from: &queue)
        return victim
    }

    /// Calls `body` with every resident entry, the oldest first.
    public func forEachResident(_ body: (UInt64, Int) -> Void) {
        arena.forEach(in: queue) { body($0.key, Int($0.weight)) }
    }

    /// The queue as bytes.
    public func save() -> [UInt8] {
        var writer = PolicyStateWriter(policy: Self.tag, reserving: count * 16)
        writer.queue(queue, of: arena)
        return writer.finished()
    }
}
