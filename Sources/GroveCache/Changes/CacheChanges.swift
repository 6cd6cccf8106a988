/// A stream of what changes in a cache, from ``NormalizedCache/changes()`` or ``NormalizedCache/changes(of:)``.
///
/// Iterate it once, in one task. It begins with the call that made it, is delivered wherever it is iterated, does not
/// retain the cache, and ends when the handle that made it is closed or released, after what was committed before, or
/// when the task is cancelled. Unread elements are kept in bounded room: they never hold up a write, and a
/// reader that falls behind is told less, never something else. What ``NormalizedCache/changes(since:)`` begins with is kept whole.
public struct CacheChanges<Element: Sendable>: AsyncSequence, Sendable {
    /// It never fails.
    public typealias Failure = Never

    private let subscription: ChangeSubscription<Element>

    init(_ subscription: ChangeSubscription<Element>) { self.subscription = subscription }

    /// Begins to read the stream.
    public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription) }

    /// Reads a stream of changes.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let subscription: ChangeSubscription<Element>

        /// The next element, or `nil` at the end.
        public mutating func next() async -> Element? { await subscription.next(isolation: nil) }

        /// The next element, or `nil` at the end; the caller's isolation is kept.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            await subscription.next(isolation: actor)
        }
    }
}

/// What became of a model since the element before.
public enum CacheChange: Sendable, Equatable {
    /// Its stored fields are not what they were.
    case changed
    /// It was deleted.
    case deleted
    /// It was forgotten: nothing is known of it any more.
    case evicted
    /// Whatever is shown may be out of date: the cache was emptied, here or by another process, or a deletion was
    /// undone.
    case unknown
}
