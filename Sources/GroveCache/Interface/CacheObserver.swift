public import GroveModel

/// An object that is told of a cache's hits, misses, commits and failures: a log, a metric or a test.
///
/// Methods are called one after the other, in the order of the events, and never under a lock of the cache. Only
/// ``cacheDidHit(_:)`` is called out of that order. Methods must return soon. Every method has an empty default.
///
/// An observer belongs to the handle that it was given to. After the handle is closed, it is told of the writes that
/// were committed before. Then it is told only of writes that come too late, even if other handles stay open.
public protocol CacheObserver: Sendable {
    /// A read found a model or a collection under `identifier`, which is an identifier or a cache key.
    ///
    /// Called on the reading thread, for every such read, before it returns: it must be quick and must not read itself.
    func cacheDidHit(_ identifier: ModelIdentifier)

    /// A read found nothing; `miss` says why.
    func cacheDidMiss(_ miss: CacheMiss)

    /// A read failed, before or after it had a view of the store.
    ///
    /// Not called for reads of a cache that is closed or suspended.
    func cacheDidFailToRead(_ error: CacheError)

    /// A write failed that no caller waits for; its content is not stored.
    ///
    /// The error names the identifier or the key of the write.
    ///
    /// Also called if a group of writes that includes durable ones was committed but could not be synced: it may not
    /// survive loss of power. After one failed sync this happens to every such group, until the cache is wiped or
    /// opened again.
    func cacheDidFailToWrite(_ error: CacheError)

    /// A write is committed and visible; called once for each write, in the order of the commits.
    func cacheDidCommit(_ changes: ChangeSet)

    /// A group of writes was committed or failed; called after ``cacheDidCommit(_:)`` for each of them.
    ///
    /// - Parameter report: the counts of the writes since the last call, and the size of the queue now.
    func cacheDidFinishCommit(_ report: CacheStatistics)

    /// The store could not be opened because of `error`: its files were set aside, and the cache starts empty.
    func cacheDidRebuild(after error: CacheError)

    /// More records are retained than may be pinned: the `count` oldest of them may now be evicted.
    ///
    /// The oldest are those that were written longest ago. ``CacheUsage/holdsAllPins`` is false until all retained
    /// records fit again.
    func cacheDidReleasePins(_ count: Int)
}

extension CacheObserver {
    /// Does nothing.
    public func cacheDidHit(_ identifier: ModelIdentifier) {}
    /// Does nothing.
    public func cacheDidMiss(_ miss: CacheMiss) {}
    /// Does nothing.
    public func cacheDidFailToRead(_ error: CacheError) {}
    /// Does nothing.
    public func cacheDidFailToWrite(_ error: CacheError) {}
    /// Does nothing.
    public func cacheDidCommit(_ changes: ChangeSet) {}
    /// Does nothing.
    public func cacheDidFinishCommit(_ report: CacheStatistics) {}
    /// Does nothing.
    public func cacheDidRebuild(after error: CacheError) {}
    /// Does nothing.
    public func cacheDidReleasePins(_ count: Int) {}
}
