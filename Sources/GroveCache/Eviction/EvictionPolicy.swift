/// Which entries stay when there is no room for all of them: a replacement policy, weighted in bytes.
///
/// A policy knows nothing of stores. Entries are 64-bit hashes of keys with a weight in bytes; the policy keeps their
/// order, says which one goes next, and never holds more than ``capacity``. Hits change memory only: what is to outlive
/// the process is asked for with ``save()``, whenever its owner writes anyway.
///
/// Policies are values without references to others: a copy is a snapshot. One caller at a time.
///
/// Every operation is O(1) amortised, but for ``forEachResident(_:)``, ``save()`` and restoring, which are O(*n*) for
/// *n* entries and ghosts. A ghost is the memory of an entry that was evicted; it has no weight.
public protocol EvictionPolicy: Sendable {
    /// The name by which the tool knows it, in lower case.
    static var name: String { get }

    /// Makes an empty policy for `capacity` bytes.
    ///
    /// - Precondition: `capacity` is not negative.
    init(capacity: Int)

    /// Makes a policy from what ``save()`` returned, so that it continues where the other stood.
    ///
    /// With a smaller `capacity` than it was saved with, ``weight`` may be above it until the next ``evict()`` or
    /// insertion brings it down.
    ///
    /// - Returns: `nil` where `bytes` is damaged, or was saved by another policy or version.
    init?(restoring bytes: [UInt8], capacity: Int)

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

    /// Evicts the entry whose turn it is, whether there is room or not; `nil` where nothing is resident.
    mutating func evict() -> EvictedEntry?

    /// Calls `body` with the key and the weight of every resident entry, queue by queue, the oldest first.
    func forEachResident(_ body: (UInt64, Int) -> Void)

    /// The queues as bytes, for ``init(restoring:capacity:)``.
    func save() -> [UInt8]

    // MARK: Notes

    /// Whether the policy keeps notes: 32 bits beside a resident entry that mean something to its owner alone.
    ///
    /// A note is 0 until it is set, and again when its entry goes or is inserted anew; it is not saved. By default there
    /// are none.
    static var keepsNotes: Bool { get }

    /// The weight and the note of `key`, or `nil` where it is not resident or there are no notes; the policy takes no
    /// notice of being asked.
    func note(of key: UInt64) -> (weight: Int, note: UInt32)?

    /// Gives `key` a note, where it is resident with the weight `weight`; else nothing happens.
    mutating func setNote(_ note: UInt32, of key: UInt64, weight: Int)

    /// Forgets all notes.
    mutating func removeNotes()
}

extension EvictionPolicy {
    /// `false`.
    public static var keepsNotes: Bool { false }

    /// `nil`.
    public func note(of key: UInt64) -> (weight: Int, note: UInt32)? { nil }

    /// Does nothing.
    public mutating func setNote(_ note: UInt32, of key: UInt64, weight: Int) {}

    /// Does nothing.
    public mutating func removeNotes() {}

    /// Makes `key` resident, as ``insert(_:weight:evicting:)`` does, and returns the entries that had to go.
    @discardableResult
    public mutating func insert(_ key: UInt64, weight: Int) -> [EvictedEntry] {
        var victims: [EvictedEntry] = []
        _ = insert(key, weight: weight) { victims.append($0) }
        return victims
    }

    /// The weight as it is stored, or `nil` where an entry is refused for it.
    package func accepted(_ weight: Int) -> UInt32? {
        precondition(weight > 0, "The weight of an entry is positive.")
        guard weight <= capacity else { return nil }
        return UInt32(exactly: weight)
    }
}

/// The policy that caches use unless they are told otherwise; chosen by measurement, see Docs/Guides/Eviction.md.
public typealias DefaultEviction = AdaptiveS3FIFO
