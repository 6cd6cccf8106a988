package import GroveCache
package import GroveModel

/// A backend that the kit can check: a store or a delegate with its harness, their types erased.
package protocol ConformanceBackend: Sendable {
    /// The backend's name in reports.
    var name: String { get }

    /// The properties that the backend declares.
    var profile: BackendProfile { get }

    /// The capabilities that the backend and its harness have; rules that need others are skipped.
    var capabilities: Set<Capability> { get }

    /// The command that starts a process for the kit's jobs on this backend; `nil` if there is none.
    var worker: WorkerCommand? { get }

    /// The rules that are checked on this backend.
    var suite: RuleSuite { get }

    /// The odd answers that the backend may give and still conform.
    var leniency: Leniency { get }

    /// A new and empty place for a cache, which no other cache uses.
    func makeSite() throws(CacheError) -> any CacheSite

    /// The place in `directory`, which another process has made and will remove.
    func site(at directory: String) -> any CacheSite
}

extension ConformanceBackend {
    /// By default, `nil`: rules that need a process are skipped.
    package var worker: WorkerCommand? { nil }

    /// By default, every rule.
    package var suite: RuleSuite { .store }

    /// By default, no odd answers.
    package var leniency: Leniency { .none }
}

/// A place where a cache keeps its content, which a rule opens, closes and opens again.
package protocol CacheSite: AnyObject, Sendable {
    /// The directory; `nil` for a cache in memory.
    var directory: String? { get }

    /// The interceptor between the cache and its store.
    var interceptor: StoreInterceptor { get }

    /// Opens the cache here.
    ///
    /// - Parameter directory: the path of the place, which a rule may spell in another way.
    func open(at directory: String?, observer: (any CacheObserver)?) throws(CacheError) -> any ConformanceCache

    /// Opens the cache here with `budget`.
    func open(budget: CacheBudget, observer: (any CacheObserver)?) throws(CacheError) -> any ConformanceCache

    /// Opens the cache here with `budget`, and with a clock that the rule moves.
    func open(clock: VirtualClock, budget: CacheBudget) throws(CacheError) -> any ConformanceCache

    /// Opens the cache here with a history of the changes of its last `history` commits.
    func open(history: Int) throws(CacheError) -> any ConformanceCache

    /// Opens the cache here so that it waits only a moment for the locks of other processes.
    func openImpatient() throws(CacheError) -> any ConformanceCache

    /// Opens the store here without a cache above it; a cache that was open here must be closed.
    func openStore() throws(CacheError) -> any NodeStore

    /// Opens the store here without a cache above it, with a limit of a few megabytes.
    func openSmallStore() throws(CacheError) -> any NodeStore

    /// Closes all caches and stores that are open here.
    func closeAll()

    /// Closes all caches and stores that are open here, and removes the place.
    func remove()
}

extension CacheSite {
    /// Opens the cache here.
    package func open(observer: (any CacheObserver)? = nil) throws(CacheError) -> any ConformanceCache {
        try open(at: directory, observer: observer)
    }

    /// By default, the cache waits as long as one from `open()`.
    package func openImpatient() throws(CacheError) -> any ConformanceCache { try open() }

    /// By default, a history is not supported.
    package func open(history: Int) throws(CacheError) -> any ConformanceCache {
        throw CacheError(.unsupported, "The harness opens no cache with a history.")
    }

    /// By default, a limit is not supported.
    package func openSmallStore() throws(CacheError) -> any NodeStore {
        throw CacheError(.unsupported, "The harness opens no small store.")
    }

    /// Opens the cache here with `budget`.
    package func open(budget: CacheBudget) throws(CacheError) -> any ConformanceCache {
        try open(budget: budget, observer: nil)
    }

    /// By default, a clock is not supported.
    package func open(clock: VirtualClock, budget: CacheBudget) throws(CacheError) -> any ConformanceCache {
        throw CacheError(.unsupported, "The harness opens no cache with a clock.")
    }

    /// Opens the cache here with a clock that the rule moves.
    package func open(clock: VirtualClock) throws(CacheError) -> any ConformanceCache {
        try open(clock: clock, budget: .unlimited)
    }

    /// By default, a budget is not supported.
    package func open(
        budget: CacheBudget, observer: (any CacheObserver)?
    ) throws(CacheError) -> any ConformanceCache {
        throw CacheError(.unsupported, "The harness opens no cache with a budget.")
    }
}
