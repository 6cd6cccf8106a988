@_exported public import GroveCache
@_exported public import GroveCoding
@_exported public import GroveModel

/// A normalized cache on disk, over SQLite; see ``SQLiteStore`` for its guarantees.
public typealias SQLiteCache = NormalizedCache<SQLiteStore>

extension NormalizedCache where Store == SQLiteStore {
    /// Opens the cache in `directory` with default options; makes the cache if there is none.
    ///
    /// - Throws: as ``NormalizedCache/init(directory:options:policy:queueLimit:budget:history:observer:now:)``.
    public convenience init(
        directory: String, budget: CacheBudget = .unlimited, history: Int = 0,
        observer: (any CacheObserver)? = nil
    ) throws(CacheError) {
        try self.init(
            directory: directory, options: SQLiteOptions(), budget: budget, history: history, observer: observer)
    }
}
