public import GroveModel

/// What a cache holds, and what went to make room for it, since it was opened in this process.
public struct CacheUsage: Sendable, Equatable {
    /// Records that were evicted; 0 where there is no budget.
    public var evictions = 0

    /// What they weighed, in bytes of keys and values; their number where only that is limited.
    public var evictedBytes = 0

    /// Bytes of keys and values that were handed to the store for records; counted where there is a budget.
    public var writtenBytes = 0

    /// The bytes of all keys and values in the store, the cache's own records included.
    public var payloadBytes: Int?

    /// The number of keys in the store, the cache's own included.
    public var entries: Int?

    /// Records that somebody retains, or that are reachable from those; 0 where there is no budget.
    ///
    /// Nodes, tombstones, collections and aliases. What was released counts until a walk has found that nobody else holds
    /// it.
    public var pinnedEntries = 0

    /// Bytes of their keys and values.
    public var pinnedBytes = 0

    /// Whether everything is held that is reachable from what was retained: what was written under a pin since may have been
    /// more than ``pinnedLimit``, and then the oldest of it is held no longer.
    public var holdsAllPins = true

    /// The most bytes that may be pinned; `nil` where there is no budget in bytes.
    public var pinnedLimit: Int?

    /// The most payload that the cache lets the store hold; `nil` where there is no budget in bytes.
    public var payloadLimit: Int?

    /// Bytes on disk as `du` counts them, the store's files and the cache's own in its directory; 0 in memory.
    public var bytesOnDisk = 0

    /// Makes the usage of a cache that holds nothing.
    public init() {}
}

extension NormalizedCache {
    /// What the cache holds after the writes that were committed before the call.
    ///
    /// ```swift
    /// let bytes = try cache.usage().bytesOnDisk
    /// ```
    ///
    /// - Complexity: O(1) and a look at the files.
    /// - Throws: ``CacheError`` with code `closed`, `suspended` or `reentrant`, and what the store throws.
    public func usage() throws(CacheError) -> CacheUsage {
        try checkOpen()
        return try core.withOpenStore { [core] (store) throws(CacheError) in try core.usage(of: store) }
    }

    /// The same, without blocking the caller's thread.
    ///
    /// ```swift
    /// let bytes = try await cache.usage().bytesOnDisk
    /// ```
    public func usage() async throws(CacheError) -> CacheUsage {
        try checkOpen()
        return try await core.withOpenStore { [core] (store) throws(CacheError) in try core.usage(of: store) }
    }
}

extension CacheCore {
    /// What `store`, which is open, holds; runs on ``writer``.
    fileprivate func usage(of store: any NodeStore) throws(CacheError) -> CacheUsage {
        var usage = CacheUsage()
        if let store = store as? any BudgetedStore {
            usage.bytesOnDisk = try store.bytesOnDisk()
        } else {
            usage.bytesOnDisk = try store.size().bytesOnDisk
        }
        let account = try store.storedState().account
        usage.payloadBytes = account?.payloadBytes
        usage.entries = account?.entries
        guard let evictor else { return usage }
        usage.evictions = evictor.counters.evictions
        usage.evictedBytes = evictor.counters.evictedBytes
        usage.writtenBytes = evictor.counters.writtenBytes
        usage.pinnedEntries = evictor.pins.committed.count
        usage.pinnedBytes = evictor.pins.committed.bytes
        usage.holdsAllPins = evictor.pins.committed.isComplete
        if evictor.budget.bytes != nil {
            usage.payloadLimit = evictor.capacity
            usage.pinnedLimit = evictor.pins.limit.bytes
        }
        return usage
    }
}
