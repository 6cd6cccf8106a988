@_exported public import GroveCache
@_exported public import GroveCoding
@_exported public import GroveModel

/// A normalized cache in memory: its content ends with the process, and reads never wait.
public typealias MemoryCache = NormalizedCache<MemoryStore>

extension NormalizedCache where Store == MemoryStore {
    /// Makes an empty cache in memory.
    ///
    /// - Parameters:
    ///   - directory: not used; it is a parameter so that a test or a preview differs from the application only in the
    ///     cache's type.
    ///   - budget: how much the cache may hold; by default there is no limit.
    ///   - history: as in ``NormalizedCache/init(directory:options:policy:queueLimit:budget:history:observer:now:)``.
    ///   - observer: told of misses, failures and commits.
    public convenience init(
        directory: String? = nil, budget: CacheBudget = .unlimited, history: Int = 0,
        observer: (any CacheObserver)? = nil
    ) throws(CacheError) {
        try self.init(directory: nil, options: MemoryOptions(), budget: budget, history: history, observer: observer)
    }
}
