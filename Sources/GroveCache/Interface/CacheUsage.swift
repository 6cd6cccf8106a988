public import GroveModel

/// The contents of a cache in numbers, and the records that were evicted and written since it was opened in this
/// process.
public struct CacheUsage: Sendable, Equatable {
    /// The number of evicted records; 0 if there is no budget.
    public var evictions = 0

    /// Bytes of evicted keys and values; the number of evicted records if the budget limits only their number.
    public var evictedBytes = 0

    /// Bytes of keys and values that were written as records; 0 if there is no budget.
    public var writtenBytes = 0

    /// The bytes of all keys and values in the store, the cache's own records included.
    public var payloadBytes: Int?

    /// The number of keys in the store, the cache's own included.
    public var entries: Int?

    /// The number of records that are retained, or reachable from a retained one; 0 if there is no budget.
    ///
    /// Nodes, tombstones, collections and aliases count. A released record counts until the cache has checked, before
    /// it next evicts, that no other pin holds it.
    public var pinnedEntries = 0

    /// Bytes of the keys and values of the records in ``pinnedEntries``.
    public var pinnedBytes = 0

    /// Whether every record that is reachable from a pin is kept from being evicted.
    ///
    /// It is false if so much was written under a pin that ``pinnedLimit`` or the budget's number of records is
    /// exceeded. Then the oldest of the pinned records may be evicted.
    public var holdsAllPins = true

    /// The most bytes that may be pinned; `nil` if there is no budget in bytes.
    public var pinnedLimit: Int?

    /// The most bytes of keys and values that the cache lets the store hold; `nil` if there is no budget in bytes.
    public var payloadLimit: Int?

    /// Bytes on disk, as `du` counts them, of the store's files and the cache's own in the directory; 0 in memory.
    public var bytesOnDisk = 0

    /// Makes the usage of a cache that holds nothing.
    package init() {}
}

extension Cache {
    /// The usage of the cache, with every write that was committed before the call.
    ///
    /// ```swift
    /// let bytes = try cache.usage().bytesOnDisk
    /// ```
    ///
    /// - Complexity: O(1), and a look at the size of each file.
    /// - Throws: ``CacheError`` with code `closed`, `suspended` or `reentrant`, and the errors of the store.
    public func usage() throws(CacheError) -> CacheUsage {
        try checkOpen()
        return try core.withOpenStore { [core] (store) throws(CacheError) in try core.usage(of: store) }
    }

    /// The usage of the cache, as the synchronous form returns it, without blocking the caller's thread.
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
    /// The usage of `store`, which is open; runs on ``writer``.
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
