@_exported public import GroveMemory

/// A cache in memory for one test or preview, with a clock and faults of its own.
///
/// ```swift
/// let fixture = try CacheFixture { try $0.writeCollection(Message.samples, as: "inbox") }
/// fixture.clock.advance(by: 60)
/// fixture.faults.failWrites(with: CacheError(.full, "The disk is full."))
/// ```
///
/// Two fixtures share nothing, so tests run side by side.
public struct CacheFixture: Sendable {
    /// The fixture of the running test if it has the trait of GroveTestingTraits; otherwise `nil`.
    @TaskLocal public static var current: CacheFixture?

    /// The cache, which begins empty.
    public let cache: TestCache
    /// The clock for the cache's ages; pass its time to a manager too.
    public let clock: TestClock
    /// The faults of the cache's store.
    public let faults: StoreFaults

    /// Makes a cache, and calls `content` once to write the content with which it begins.
    ///
    /// - Parameters:
    ///   - clock: the clock for ages.
    ///   - budget: how much the cache may hold; by default there is no limit.
    ///   - history: the number of commits whose changes the store records.
    ///   - observer: told of misses, failures and commits.
    /// - Throws: the errors of opening a ``TestCache``, and the error of `content`.
    public init(
        clock: TestClock = TestClock(), budget: CacheBudget = .unlimited, history: Int = 0,
        observer: (any CacheObserver)? = nil, _ content: (TestCache) throws -> Void = { _ in }
    ) throws {
        self.clock = clock
        faults = StoreFaults()
        cache = try TestCache(
            directory: nil, options: TestStore.Options(faults: faults), budget: budget, history: history,
            observer: observer, now: { clock.now })
        try content(cache)
    }
}

/// A cache that fails if a test says so.
public typealias TestCache = NormalizedCache<TestStore>
