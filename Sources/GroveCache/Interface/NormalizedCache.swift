import Dispatch
public import GroveModel
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A cache that keeps each identified node of each tree once, on top of a storage engine.
///
/// Writing a tree stores one record per distinct node; reading one rebuilds it, in one consistent view, from the newest
/// version of every node, whoever wrote it. Whatever is lost, evicted, torn, corrupt or unknown is a ``CacheMiss`` or a
/// ``CacheError``: never a wrong value, a shorter list or a mixture of two versions.
///
/// Use it through the name that the backend's module gives it, such as `LMDBCache`. Handles on one directory share
/// one store. All methods may be called from any thread at any time; one caller's writes apply in call order, and a
/// read sees every write whose call returned before it, queued or committed.
public final class NormalizedCache<Store: NodeStore>: Sendable {
    let core: CacheCore
    /// The number by which the core knows this handle.
    let handle: UInt64
    /// Told of writes that come after the close.
    let observer: (any CacheObserver)?
    private let isClosed = Atomic(false)

    /// Opens the cache in `directory`, making the directory (mode 0700) and the store where there are none.
    ///
    /// ```swift
    /// let cache = try MemoryCache(directory: nil, options: MemoryOptions(), budget: CacheBudget(nodes: 1_000))
    /// defer { cache.close() }
    /// ```
    ///
    /// - Parameters:
    ///   - directory: a path; `nil` for a cache in memory. Links in it and the process's working directory count as they
    ///     are now: the cache stays in this directory if they change. A directory that holds files and nothing of Grove's is
    ///     refused, `notAStore`, before anything is written there; names that begin with a dot, and `lost+found`, do not count.
    ///   - options: the backend's; a second handle on one directory needs equal ones.
    ///   - policy: what to do where the store is there but damaged.
    ///   - queueLimit: the most bytes in memory of writes that are queued and not waited for. Beyond it what `setModel` and its
    ///     kin bring is forgotten: a miss, reported with code `queueFull`. Writes that callers wait for have as much room again,
    ///     and `async` ones wait for it. As many bytes again, or a megabyte, may
    ///     say what was forgotten so, or because the store failed; beyond that everything is, and the store is wiped as soon
    ///     as it can be. The first handle on a store decides.
    ///   - budget: how much the cache may hold; by default there is no limit.
    ///   - history: of how many of the last commits the store remembers what they changed, at most 65,534: for
    ///     ``changes(since:)``, and to know what other processes changed. A commit takes one more record for that, of at most
    ///     4 KB. Of several handles on a store, and of all processes, the most that one asks for counts, until the cache is wiped.
    ///   - observer: told of misses, failures and commits. The cache holds it as long as it lives itself.
    ///   - now: the clock by which ages count; the system's wall clock by default. It is called on the threads that read
    ///     and write, and must not call the cache. The first handle on a store decides.
    /// - Throws: ``CacheError`` with code `locked`, `optionsConflict`, `notAStore`, `unsupportedFormat`, `corrupted`
    ///   (with ``OpenPolicy/fail``), `permissionDenied`, `inputOutput` or `full`; `unsupported` where the budget is less than
    ///   ``BackendProfile/leastBudgetBytes``.
    public init(
        directory: String?, options: Store.Options, policy: OpenPolicy = .rebuild, queueLimit: Int = 32 << 20,
        budget: CacheBudget = .unlimited, history: Int = 0, observer: (any CacheObserver)? = nil,
        now: (@Sendable () -> Date)? = nil
    ) throws(CacheError) {
        (core, handle) = try CoreRegistry.shared.core(
            Store.self, directory: directory, options: options, policy: policy, queueLimit: queueLimit,
            budget: budget, clock: AgeClock(now: now), observer: observer)
        self.observer = observer
        core.keepHistory(of: history)
    }

    deinit { close() }

    /// Closes this handle, and the store with the last one; what was queued is committed first.
    ///
    /// ```swift
    /// try cache.flush(.durable)
    /// cache.close()
    /// ```
    ///
    /// Returns when reads and writes that were under way are done. Calls afterwards throw `closed`, or tell the observer
    /// where they cannot throw; closing again does nothing.
    public func close() {
        // A child made by fork has no store to close: its parent has.
        guard CoreRegistry.shared.isOfThisProcess else { return }
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        guard !CurrentRead.isUnderWay(ObjectIdentifier(core)), !core.isOnWriter else {
            // A model's initialiser cannot wait for the read that it is part of, nor the writer's queue for itself: it drops
            // the last reference to the cache if the caller of an `async` write is gone before the queue is done with it.
            return core.readQueue.async { [core, handle] in
                CoreRegistry.shared.release(core)
                core.leave(handle)
            }
        }
        CoreRegistry.shared.release(core)
        core.leave(handle)
    }

    /// What the backend can do.
    public static var profile: BackendProfile { Store.profile }

    /// The size of the store now, queued writes not included.
    ///
    /// ```swift
    /// let count = try cache.size().entries
    /// ```
    ///
    /// - Throws: ``CacheError`` with code `closed` or `inputOutput`.
    public func size() throws(CacheError) -> StoreSize {
        try checkOpen()
        return try core.withOpenStore { (store) throws(CacheError) in try store.size() }
    }

    /// The same, without blocking the caller's thread.
    ///
    /// ```swift
    /// let count = try await cache.size().entries
    /// ```
    public func size() async throws(CacheError) -> StoreSize {
        try checkOpen()
        return try await core.withOpenStore { (store) throws(CacheError) in try store.size() }
    }

    func checkOpen() throws(CacheError) {
        try CoreRegistry.shared.checkProcess()
        if isClosed.load(ordering: .acquiring) { throw CacheError.isClosed }
    }
}

/// What to do with a store that is there but cannot be opened because it is damaged.
public enum OpenPolicy: Sendable {
    /// Set its files aside, in place of any set before, start empty, and tell the observer: a cache may forget.
    ///
    /// What Grove made is known by its file `grove.generation`, however damaged the rest is. What a later version of Grove
    /// or another backend wrote is left as it is, and opening throws.
    case rebuild
    /// Throw.
    case fail
}
