/// An entry that a policy gave up.
struct EvictedEntry: Hashable, Sendable {
    /// The hash of its key.
    let key: UInt64

    /// Its weight in bytes.
    let weight: Int

    /// Makes an entry.
    init(key: UInt64, weight: Int) {
        self.key = key
        self.weight = weight
    }
}
