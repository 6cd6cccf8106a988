public import GroveCache
public import GroveModel

/// Something that the kit can check: a store or a delegate with its harness, their types erased.
public protocol ConformanceBackend: Sendable {
    /// The name under which reports list it.
    var name: String { get }

    /// What it declares of itself.
    var profile: BackendProfile { get }

    /// What rules may ask for.
    var capabilities: Set<Capability> { get }

    /// How a process is started that does the kit's jobs on this backend; `nil` where there is none to start.
    var worker: WorkerCommand? { get }

    /// Which rules are asked of it.
    var suite: RuleSuite { get }

    /// What it may answer though nothing is wrong.
    var leniency: Leniency { get }

    /// A new place for a cache, empty, shared with nothing.
    func makeSite() throws(CacheError) -> any CacheSite

    /// The place in `directory`, which another process made and removes.
    func site(at directory: String) -> any CacheSite
}

extension ConformanceBackend {
    /// No process.
    public var worker: WorkerCommand? { nil }

    /// Every rule.
    public var suite: RuleSuite { .store }

    /// Nothing.
    public var leniency: Leniency { .none }
}

/// A place where a cache keeps its content: opened, closed and opened again by a rule.
public protocol CacheSite: AnyObject, Sendable {
    /// The directory, or `nil` for memory.
    var directory: String? { get }

    /// What stands between the cache and its store.
    var interceptor: StoreInterceptor { get }

    /// Opens the cache here, at `directory` where the rule spells the place in another way.
    func open(at directory: String?, observer: (any CacheObserver)?) throws(CacheError) -> any ConformanceCache

    /// Opens the cache here with `budget`.
    func open(budget: CacheBudget, observer: (any CacheObserver)?) throws(CacheError) -> any ConformanceCache

    /// Opens the cache here with `budget`, and with a clock that the rule moves.
    func open(clock: VirtualClock, budget: CacheBudget) throws(CacheError) -> any ConformanceCache

    /// Opens the cache here so that it remembers what the last commits changed, as many as `history`.
    func open(history: Int) throws(CacheError) -> any ConformanceCache

    /// Opens the cache here so that it waits for other processes' locks for a moment only.
    func openImpatient() throws(CacheError) -> any ConformanceCache

    /// Opens the bare store here, with no cache above it; the cache must be closed.
    func openStore() throws(CacheError) -> any NodeStore

    /// Opens the bare store here so that it is full at a few megabytes.
    func openSmallStore() throws(CacheError) -> any NodeStore

    /// Closes what is open.
    func closeAll()

    /// Closes what is open and removes everything.
    func remove()
}

extension CacheSite {
    /// Opens the cache here.
    public func open(observer: (any CacheObserver)? = nil) throws(CacheError) -> any ConformanceCache {
        try open(at: directory, observer: observer)
    }

    /// By default, it waits as long as ever.
    public func openImpatient() throws(CacheError) -> any ConformanceCache { try open() }

    /// By default, nothing is remembered.
    public func open(history: Int) throws(CacheError) -> any ConformanceCache {
        throw CacheError(.unsupported, "The harness opens no cache with a history.")
    }

    /// By default, the engine has no limit.
    public func openSmallStore() throws(CacheError) -> any NodeStore {
        throw CacheError(.unsupported, "The harness opens no small store.")
    }

    /// Opens the cache here with `budget`.
    public func open(budget: CacheBudget) throws(CacheError) -> any ConformanceCache {
        try open(budget: budget, observer: nil)
    }

    /// By default, a clock is not supported.
    public func open(clock: VirtualClock, budget: CacheBudget) throws(CacheError) -> any ConformanceCache {
        throw CacheError(.unsupported, "The harness opens no cache with a clock.")
    }

    /// Opens the cache here with a clock that the rule moves.
    public func open(clock: VirtualClock) throws(CacheError) -> any ConformanceCache {
        try open(clock: clock, budget: .unlimited)
    }

    /// By default, a budget is not supported.
    public func open(
        budget: CacheBudget, observer: (any CacheObserver)?
    ) throws(CacheError) -> any ConformanceCache {
        throw CacheError(.unsupported, "The harness opens no cache with a budget.")
    }
}
