public import GroveCache
public import GroveModel
public import GroveProviders

extension DataModelManager {
    /// Makes a manager over `cache`, with `outbox`: pending mutations are applied before the first provider shows
    /// anything.
    ///
    /// An outbox has one manager, and must have been opened with the same cache.
    @MainActor
    public convenience init<Store: NodeStore, API: Sendable>(
        _ cache: NormalizedCache<Store>, outbox: Outbox<API>
    ) {
        precondition(!outbox.writes.store.isByManager, "Open the outbox with the cache: Outbox(cache, …).")
        self.init(cacheDelegate: cache)
        outbox.serve(self)
    }

    /// Makes a manager over a cache of your own, with an outbox that was opened by `Outbox(api, for:, keptIn:)`.
    ///
    /// - Parameter cacheTimeout: the number of seconds that a fetch waits for the cache.
    @MainActor
    public convenience init<API: Sendable>(
        cacheDelegate: any CacheDelegate, outbox: Outbox<API>, cacheTimeout: Double = 30
    ) {
        precondition(outbox.writes.store.isByManager, "This outbox is of another cache: make its manager over that.")
        self.init(cacheDelegate: cacheDelegate, cacheTimeout: cacheTimeout)
        outbox.serve(self)
    }
}
