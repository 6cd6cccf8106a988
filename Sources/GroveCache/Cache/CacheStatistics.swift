public import GroveModel
import Synchronization

/// What a cache has done since it was opened in this process, all handles together, and what it holds.
public struct CacheStatistics: Sendable, Equatable {
    /// Reads that found what they asked for.
    public var hits = 0

    /// Reads that did not, by reason; a read that failed counts as ``CacheMiss/Reason/corrupted``.
    public var misses: [CacheMiss.Reason: Int] = [:]

    /// Records that were evicted; 0 where there is no budget.
    public var evictions = 0

    /// What they weighed, in bytes of keys and values; their number where only that is limited.
    public var evictedBytes = 0

    /// Bytes of keys and values that were handed to the store for records; counted where there is a budget.
    public var writtenBytes = 0

    /// The bytes of all keys and values in the store, the cache's own records included; `nil` where no budget is kept.
    public var payloadBytes: Int?

    /// The number of keys in the store, the cache's own included; `nil` where no budget is kept.
    public var entries: Int?

    /// The most payload that the cache lets the store hold; `nil` where there is no budget in bytes.
    public var payloadLimit: Int?

    /// Bytes on disk as `du` counts them, the store's files and the cache's own in its directory; 0 in memory.
    public var bytesOnDisk = 0

    /// Makes statistics of a cache that has done nothing.
    public init() {}
}

extension NormalizedCache {
    /// What the cache has done and what it holds, after the writes that were committed before the call.
    ///
    /// - Complexity: O(1) and a look at the files.
    /// - Throws: ``CacheError`` with code `closed` or `reentrant`, and what the store throws.
    public func statistics() throws(CacheError) -> CacheStatistics {
        try checkOpen()
        return try core.withOpenStore { (store) throws(CacheError) in
            var statistics = core.state.withLock { state in
                var statistics = CacheStatistics()
                statistics.hits = state.hits
                statistics.misses = state.misses
                return statistics
            }
            statistics.bytesOnDisk = try store.bytesOnDisk()
            guard let index = core.index else { return statistics }
            statistics.evictions = index.counters.evictions
            statistics.evictedBytes = index.counters.evictedBytes
            statistics.writtenBytes = index.counters.writtenBytes
            statistics.payloadBytes = index.account?.payloadBytes
            statistics.entries = index.account?.entries
            if index.budget.bytes != nil { statistics.payloadLimit = index.capacity }
            return statistics
        }
    }
}
