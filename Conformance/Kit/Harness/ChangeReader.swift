package import GroveCache

/// A stream of change sets, which rules read one after the other.
package struct ChangeReader: Sendable {
    private let read: @Sendable () async -> ChangeSet?

    /// Makes a reader that calls `read` for each change set.
    package init(_ read: @escaping @Sendable () async -> ChangeSet?) { self.read = read }

    /// Reads `changes`.
    init(_ changes: CacheChanges<ChangeSet>) {
        self.init {
            // All iterators of a stream read on where the last one stopped.
            var iterator = changes.makeAsyncIterator()
            return await iterator.next()
        }
    }

    /// The next change set; `nil` at the end of the stream.
    package func next() async -> ChangeSet? { await read() }
}
