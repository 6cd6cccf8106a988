/// A stream of the changes of a cache, from ``Cache/changes()`` or ``Cache/changes(of:)``.
///
/// Iterate it once, in one task. It begins with the call that made it, and does not retain the cache. It ends when the
/// task is cancelled. It also ends when the handle that made it is closed or released, after the changes that were
/// committed before.
///
/// The number of unread elements is bounded, and they never hold up a write. A reader that falls behind gets less
/// detail, but never wrong information. The earlier changes with which ``Cache/changes(since:)`` begins are
/// all kept.
public struct CacheChanges<Element: Sendable>: AsyncSequence, Sendable {
    /// The stream never fails.
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

/// The change of a model since the last element of the stream.
public enum CacheChange: Sendable, Equatable {
    /// The model's stored fields changed.
    case changed
    /// The model was deleted.
    case deleted
    /// The model was evicted, so the cache does not know any more if it exists.
    case evicted
    /// Anything may be different: this or another process emptied the cache, or a deletion was undone.
    case unknown
}
