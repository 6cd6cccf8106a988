public import GroveModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A cache that keeps each identified node of each tree once, on top of a storage engine.
///
/// Writing a tree stores one record per distinct node. Reading a tree rebuilds it, in one consistent view, from the
/// newest version of every node, whichever call wrote it. If data is lost, evicted, torn, corrupt or unknown, the read
/// is a ``CacheMiss`` or a ``CacheError``: never a wrong value, a shorter list or a mixture of two versions.
///
/// Its calls are those of ``CacheReader``, ``CacheWriter`` and ``Cache``.
///
/// Use it through the name that the backend's module gives it, such as `LMDBCache`. Handles on one directory share one
/// store. All methods may be called from any thread at any time. One caller's writes apply in call order. A read sees
/// every write whose call returned before it, queued or committed.
public final class NormalizedCache<Store: NodeStore>: Sendable {
    /// The handle on the store.
    public let _handle: _CacheHandle

    /// Opens the cache in `directory`, and makes the directory (mode 0700) and the store if there are none.
    ///
    /// ```swift
    /// let cache = try MemoryCache(directory: nil, options: MemoryOptions(), budget: CacheBudget(nodes: 1_000))
    /// defer { cache.close() }
    /// ```
    ///
    /// - Parameters:
    ///   - directory: a path; `nil` for a cache in memory. Links in the path and the process's working directory are
    ///     followed once, now: if they change, the cache stays in this directory. A directory that holds files but none
    ///     of Grove's is refused with `notAStore`, before anything is written there. Names that begin with a dot, and
    ///     `lost+found`, do not count.
    ///   - options: the backend's options; a second handle on one directory needs equal ones.
    ///   - policy: whether to replace a damaged store or to throw.
    ///   - queueLimit: the most bytes in memory of queued writes that no caller waits for. If the queue is full,
    ///     `setModel` and similar calls are dropped and reported with `queueFull`; reading those keys is a miss. Up to
    ///     the same number of bytes, or a megabyte if that is more, may record the keys of dropped and failed writes.
    ///     Beyond that the store is wiped as soon as possible. Writes that callers wait for have as much room of their
    ///     own, and `async` ones wait for room. The first handle on a store sets the limit.
    ///   - budget: how much the cache may hold; by default there is no limit.
    ///   - history: the number of commits, at most 65,534, whose changes the store records. ``Cache/changes(since:)``
    ///     needs it, and so does a cache that must know which models other processes changed. Each commit then takes
    ///     one more record, of at most 4 KB. If handles or processes ask for different numbers, the largest counts
    ///     until the cache is wiped.
    ///   - observer: told of misses, failures and commits. The cache holds a strong reference to it.
    ///   - now: the clock for ages; by default the system's wall clock. It is called on the threads that read and
    ///     write, and must not call the cache. The first handle on a store sets it.
    /// - Throws: ``CacheError`` with code `locked`, `optionsConflict`, `notAStore`, `unsupportedFormat`, `corrupted`
    ///   (with ``OpenPolicy/fail``), `permissionDenied`, `inputOutput` or `full`; `unsupported` if the budget is less
    ///   than ``BackendProfile/leastBudgetBytes``.
    public init(
        directory: String?, options: Store.Options, policy: OpenPolicy = .rebuild, queueLimit: Int = 32 << 20,
        budget: CacheBudget = .unlimited, history: Int = 0, observer: (any CacheObserver)? = nil,
        now: (@Sendable () -> Date)? = nil
    ) throws(CacheError) {
        let (core, handle) = try CoreRegistry.shared.core(
            Store.self, directory: directory, options: options, policy: policy, queueLimit: queueLimit,
            budget: budget, clock: AgeClock(now: now), observer: observer)
        _handle = _CacheHandle(core, handle, observer)
        core.handles.keepHistory(of: history)
    }

    // As in the extension of Cache, without its witness table: each read of a model comes here.

    @inline(__always)
    var core: CacheCore { _handle.core }

    @inline(__always)
    func checkOpen() throws(CacheError) { try _handle.checkOpen() }
}

/// The way to open a store that is damaged.
public enum OpenPolicy: Sendable {
    /// Set the store's files aside, start with an empty store, and tell the observer.
    ///
    /// The files take the place of any that were set aside before. A store of Grove's is recognised by the file
    /// `grove.generation`, even if all other files are damaged. If a later version of Grove or another backend wrote
    /// the store, it is left as it is, and opening throws.
    case rebuild
    /// Leave the store as it is, and throw.
    case fail
}
