/// An entry that a policy gave up.
public struct EvictedEntry: Hashable, Sendable {
    /// The hash of its key.
    public let key: UInt64

    /// Its weight in bytes.
    public let weight: Int

    /// Makes an entry.
    public init(key: UInt64, weight: Int) {
        self.key = key
        self.weight = weight
    }
}
