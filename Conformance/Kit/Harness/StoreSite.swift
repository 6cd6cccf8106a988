import GroveCache
import GroveModel
import Synchronization

/// A place for caches over one kind of store.
final class StoreSite<Harness: StoreHarness>: CacheSite {
    private let harness: Harness
    private let decorate: @Sendable (any ConformanceCache) -> any ConformanceCache
    private let open = Mutex<[any ConformanceCache]>([])
    private let stores = Mutex<[any NodeStore]>([])

    let directory: String?
    let interceptor = StoreInterceptor()

    init(
        _ harness: Harness, directory: String?,
        decorate: @escaping @Sendable (any ConformanceCache) -> any ConformanceCache
    ) {
        self.harness = harness
        self.directory = directory
        self.decorate = decorate
    }

    func open(at directory: String?, observer: (any CacheObserver)?) throws(CacheError) -> any ConformanceCache {
        try open(at: directory, budget: .unlimited, observer: observer)
    }

    func open(budget: CacheBudget, observer: (any CacheObserver)?) throws(CacheError) -> any ConformanceCache {
        try open(at: directory, budget: budget, observer: observer)
    }

    func open(clock: VirtualClock, budget: CacheBudget) throws(CacheError) -> any ConformanceCache {
        try open(at: directory, budget: budget, observer: nil, clock: clock)
    }

    func openImpatient() throws(CacheError) -> any ConformanceCache {
        try open(at: directory, budget: .unlimited, observer: nil, history: 0, harness.impatientOptions)
    }

    func open(history: Int) throws(CacheError) -> any ConformanceCache {
        try open(at: directory, budget: .unlimited, observer: nil, history: history)
    }

    private func open(
        at directory: String?, budget: CacheBudget, observer: (any CacheObserver)?,
        clock: VirtualClock = VirtualClock(), history: Int = 0, _ base: Harness.Store.Options? = nil
    ) throws(CacheError) -> any ConformanceCache {
        let options = InterceptedStore<Harness.Store>.Options(
            base: base ?? harness.options, interceptor: interceptor)
        let cache = decorate(
            StoreCache(
                try NormalizedCache<InterceptedStore<Harness.Store>>(
                    directory: directory, options: options, budget: budget, history: history, observer: observer,
                    now: clock.teller)))
        open.withLock { $0.append(cache) }
        return cache
    }

    func openStore() throws(CacheError) -> any NodeStore { try openStore(harness.options) }

    func openSmallStore() throws(CacheError) -> any NodeStore {
        try openStore(harness.smallOptions ?? harness.options)
    }

    private func openStore(_ options: Harness.Store.Options) throws(CacheError) -> any NodeStore {
        let store = try Harness.Store(directory: directory, options: options)
        stores.withLock { $0.append(store) }
        return store
    }

    func remove() {
        closeAll()
        if let directory { harness.removeDirectory(directory) }
    }

    func closeAll() {
        interceptor.release()
        let caches = open.withLock { open in
            defer { open = [] }
            return open
        }
        for cache in caches { cache.close() }
        let stores = stores.withLock { stores in
            defer { stores = [] }
            return stores
        }
        for store in stores { store.close() }
    }
}
