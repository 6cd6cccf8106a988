public import GroveModel

/// Somebody who wants to know what a cache does: a log, a metric, a test.
///
/// Methods are called one after the other, in the order of what they tell, but for ``cacheDidHit(_:)``; never under a lock
/// of the cache; they must return soon. Every method has an empty default. An observer leaves with the handle that it
/// was given to: after what was committed before the close it is told of writes that come too late, and of nothing else,
/// also where other handles go on.
public protocol CacheObserver: Sendable {
    /// A read found what it looked for under `identifier`, an identifier or a cache key.
    ///
    /// Called on the reading thread, for every such read, before it returns: it must be quick and must not read itself.
    func cacheDidHit(_ identifier: ModelIdentifier)

    /// A read found nothing, and why.
    func cacheDidMiss(_ miss: CacheMiss)

    /// A read failed, before it had a view of the store or after; not one of a cache that is closed or suspended.
    func cacheDidFailToRead(_ error: CacheError)

    /// A write failed that no caller waits for: what it brought is not stored. The error names what the write was about.
    ///
    /// Or a group with durable calls, which somebody waits for, was committed and cannot be synced, as from a sync that
    /// failed on until a wipe or a new opening: it may not survive loss of power.
    func cacheDidFailToWrite(_ error: CacheError)

    /// A commit is visible. Called once for each write, in the order of their numbers' commits.
    func cacheDidCommit(_ changes: ChangeSet)

    /// A group of writes was committed, or could not be; called after what ``cacheDidCommit(_:)`` told of each.
    func cacheDidFinishCommit(_ report: CommitReport)

    /// The store could not be opened because of `error`, was set aside, and the cache starts empty.
    func cacheDidRebuild(after error: CacheError)

    /// What is retained has grown beyond what may be: the `count` records of it that were written longest ago may be evicted from now
    /// on. ``CacheUsage/holdsAllPins`` is false until everything that is retained fits again.
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
    public func cacheDidFinishCommit(_ report: CommitReport) {}
    /// Does nothing.
    public func cacheDidRebuild(after error: CacheError) {}
    /// Does nothing.
    public func cacheDidReleasePins(_ count: Int) {}
}
