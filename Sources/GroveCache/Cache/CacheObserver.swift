public import GroveModel

/// Somebody who wants to know what a cache does: a log, a metric, a test.
///
/// Methods are called on whatever thread the event happened, never under a lock of the cache; they must return soon.
/// Every method has an empty default.
public protocol CacheObserver: Sendable {
    /// A read found nothing, and why.
    func cacheDidMiss(_ miss: CacheMiss)

    /// A read failed.
    func cacheDidFailToRead(_ error: CacheError)

    /// A write failed that nobody waits for: what it brought is not stored.
    func cacheDidFailToWrite(_ error: CacheError)

    /// A commit is visible. Called once for each write, in the order of their numbers' commits.
    func cacheDidCommit(_ changes: ChangeSet)

    /// The store could not be opened because of `error`, was set aside, and the cache starts empty.
    func cacheDidRebuild(after error: CacheError)
}

extension CacheObserver {
    /// Does nothing.
    public func cacheDidMiss(_ miss: CacheMiss) {}
    /// Does nothing.
    public func cacheDidFailToRead(_ error: CacheError) {}
    /// Does nothing.
    public func cacheDidFailToWrite(_ error: CacheError) {}
    /// Does nothing.
    public func cacheDidCommit(_ changes: ChangeSet) {}
    /// Does nothing.
    public func cacheDidRebuild(after error: CacheError) {}
}
