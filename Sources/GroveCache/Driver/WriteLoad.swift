/// What a transaction is about to write, at the most: what a store with a budget is asked room for.
public struct WriteLoad: Sendable, Equatable {
    /// How many records are written.
    public var entries: Int

    /// How many of them are stored already, and may lie anywhere.
    public var replaced: Int

    /// How many other records are removed besides.
    public var evictions: Int

    /// The bytes of the records that are written, keys and values.
    public var bytes: Int

    /// Whether making room may wait for views to end: false where one has been open for long.
    public var waitsForViews = true

    /// Makes a load.
    public init(entries: Int, replaced: Int, evictions: Int, bytes: Int) {
        self.entries = entries
        self.replaced = replaced
        self.evictions = evictions
        self.bytes = bytes
    }
}
