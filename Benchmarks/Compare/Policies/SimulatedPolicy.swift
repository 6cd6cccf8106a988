/// Which entries stay when there is no room for all of them: a replacement policy, weighted in bytes.
///
/// For comparison with what caches do, which keep nothing for each record. Entries are 64-bit hashes of keys with a
/// weight in bytes; the policy keeps their order, says which one goes next, and never holds more than ``capacity``.
///
/// Policies are values without references to others: a copy is a snapshot. One caller at a time.
///
/// Every operation is O(1) amortised, but for ``forEachResident(_:)``, which is O(*n*) for *n* entries. A ghost is the
/// memory of an entry that was evicted; it has no weight.
protocol SimulatedPolicy: Sendable {
    /// The name by which the tool knows it, in lower case.
    static var name: String { get }

    /// Makes an empty policy for `capacity` bytes.
    ///
    /// - Precondition: `capacity` is not negative.
    init(capacity: Int)

    /// The bytes that resident entries may have together.
    var capacity: Int { get }

    /// The bytes that resident entries have together.
    var weight: Int { get }

    /// The number of resident entries.
    var count: Int { get }

    /// Whether `key` is resident; the policy takes no notice of being asked.
    func contains(_ key: UInt64) -> Bool

    /// Notes that `key` was read and returns whether it is resident.
    ///
    /// A key that is not resident changes nothing that decides who is evicted, except where a policy counts the
    /// requests for absent keys too (as W-TinyLFU does).
    mutating func access(_ key: UInt64) -> Bool

    /// Makes `key` resident, or gives it another weight, and hands every entry that has to go to `evicting`.
    ///
    /// What is written again counts as read. An entry heavier than ``capacity``, or than 4 GiB, is refused and nothing
    /// else changes: where it was resident with another weight, the caller removes it. An entry may be its own victim
    /// when it grows, or when the policy does not think it worth its place.
    ///
    /// - Returns: Whether `key` is resident afterwards.
    /// - Precondition: `weight` is positive.
    mutating func insert(_ key: UInt64, weight: Int, evicting: (EvictedEntry) -> Void) -> Bool

    /// Forgets `key`, without a ghost, and returns whether it was resident.
    mutating func remove(_ key: UInt64) -> Bool

    /// Evicts the entry whose turn it is, whether there is room or not; `nil` if nothing is resident.
    mutating func evict() -> EvictedEntry?

    /// Calls `body` with the key and the weight of every resident entry, queue by queue, the oldest first.
    func forEachResident(_ body: (UInt64, Int) -> Void)
}

extension SimulatedPolicy {
    /// Makes `key` resident, as ``insert(_:weight:evicting:)`` does, and returns the entries that had to go.
    @discardableResult
    mutating func insert(_ key: UInt64, weight: Int) -> [EvictedEntry] {
        var victims: [EvictedEntry] = []
        _ = insert(key, weight: weight) { victims.append($0) }
        return victims
    }

    /// The weight as it is stored, or `nil` if an entry is refused for it.
    func accepted(_ weight: Int) -> UInt32? {
        precondition(weight > 0, "The weight of an entry is positive.")
        guard weight <= capacity else { return nil }
        return UInt32(exactly: weight)
    }
}
