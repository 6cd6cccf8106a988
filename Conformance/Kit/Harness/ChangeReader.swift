public import GroveCache

/// A stream of change sets as rules read it, one after the other.
public struct ChangeReader: Sendable {
    private let read: @Sendable () async -> ChangeSet?

    /// Reads by `read`.
    public init(_ read: @escaping @Sendable () async -> ChangeSet?) { self.read = read }

    /// Reads `changes`.
    init(_ changes: CacheChanges<ChangeSet>) {
        self.init {
            // All iterators of a stream read on where the last one stopped.
            var iterator = changes.makeAsyncIterator()
            return await iterator.next()
        }
    }

    /// The next change set, `nil` at the stream's end.
    public func next() async -> ChangeSet? { await read() }
}
