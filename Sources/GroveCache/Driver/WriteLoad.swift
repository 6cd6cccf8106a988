/// The most that a transaction is about to write, for which a store with a budget makes room.
public struct WriteLoad: Sendable, Equatable {
    /// The number of records that are written.
    public var entries: Int

    /// The number of written records that are stored already, anywhere in the files.
    public var replaced: Int

    /// The number of other records that are removed.
    public var evictions: Int

    /// The bytes of the keys and values that are written.
    public var bytes: Int

    /// Whether making room may wait for views to end; false if a view has been open for long.
    public var waitsForViews = true

    /// Makes a load of these numbers.
    public init(entries: Int, replaced: Int, evictions: Int, bytes: Int) {
        self.entries = entries
        self.replaced = replaced
        self.evictions = evictions
        self.bytes = bytes
    }
}
