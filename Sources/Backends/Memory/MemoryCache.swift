@_exported public import GroveCache
@_exported public import GroveCoding
@_exported public import GroveModel

/// A normalized cache in memory: nothing outlives the process, and reads never wait.
public typealias MemoryCache = NormalizedCache<MemoryStore>

extension NormalizedCache where Store == MemoryStore {
    /// Makes an empty cache in memory.
    ///
    /// - Parameter observer: told of misses, failures and commits.
    public convenience init(observer: (any CacheObserver)? = nil) throws(CacheError) {
        try self.init(directory: nil, options: MemoryOptions(), observer: observer)
    }
}
