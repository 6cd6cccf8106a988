import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CollectionDataProvider {
    /// Takes the collection of `cacheKey`: from a sibling where there is one, and from the cache otherwise.
    ///
    /// Fresher data that arrives first wins; what is inserted meanwhile is kept, before or behind what is fetched.
    ///
    /// - Parameter completion: called exactly once, on the main actor, with the data, `nil` on a miss, or an error.
    public func fetchDataFromCache(
        withCacheKey cacheKey: String?, context: (any Sendable)? = nil,
        completion: @escaping @MainActor @Sendable ([T]?, (any Error)?) -> Void = { _, _ in }
    ) {
        if cacheKey != self.cacheKey {
            let had = !entries.isEmptyVector
            join(dataModelManager.store(cacheKey, of: T.self))
            if had || store.entries.count > 0 { note(.reset, isOwn: true, context) }
        }
        store.load(for: self, context: context) { models, error in completion(models, error) }
    }

    /// Fetches as the form with a completion does.
    ///
    /// - Throws: what the cache reports, or `CancellationError` when the task is cancelled.
    @discardableResult
    public func fetchDataFromCache(withCacheKey cacheKey: String?, context: (any Sendable)? = nil) async throws -> [T]?
    {
        try await awaitOnce { completion in
            self.fetchDataFromCache(withCacheKey: cacheKey, context: context, completion: completion)
        }
    }

    /// Shows what the cache has, then what `fetch` brings from the network, which is set, stored and wins.
    ///
    /// Both are asked at once. Where the whole was set within `maxAge` seconds, or the cache has it and everything in it
    /// confirmed that lately (see ``ExpiringCacheDelegate``), the network is not asked; what another cache brought does not
    /// count. An answer that comes when the provider has another key is set under its own.
    ///
    /// - Returns: the data at the end; what `fetch` brought, where the provider has another key by then.
    /// - Throws: what `fetch` throws; then the data is what the cache had. A `CacheError` with code `cancelled` where
    ///   everything was wiped meanwhile.
    @discardableResult
    public func load(
        withCacheKey cacheKey: String, maxAge: Double? = nil, context: (any Sendable)? = nil,
        fetch: @escaping @Sendable () async throws -> [T]
    ) async throws -> [T] {
        if let maxAge, cacheKey == self.cacheKey, dataModelManager.isFresh(store.confirmed, maxAge) { return data }
        let epoch = dataModelManager.inOrder { $0 }
        // The key is taken now, so that whoever edits meanwhile edits this collection.
        fetchDataFromCache(withCacheKey: cacheKey, context: context, completion: { _, _ in })
        if let maxAge, try await dataModelManager.isCollectionFresh(cacheKey, of: T.self, maxAge: maxAge) {
            guard !dataModelManager.isOver(epoch) else { throw CacheError.wiped }
            guard cacheKey == self.cacheKey else { return data }
            // What went since it was found to be fresh is fetched after all.
            if try await fetchDataFromCache(withCacheKey: cacheKey, context: context) != nil { return data }
        }
        let fresh = try await fetch()
        guard !dataModelManager.isOver(epoch) else { throw CacheError.wiped }
        try Task.checkCancellation()
        guard cacheKey == self.cacheKey else {
            Self.setData(fresh, cacheKey: cacheKey, dataModelManager: dataModelManager, context: context)
            return fresh
        }
        setData(fresh, cacheKey: cacheKey, context: context)
        return data
    }
}

extension PersistentVector {
    var isEmptyVector: Bool { count == 0 }
}
