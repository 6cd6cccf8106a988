public import GroveCache
public import GroveCoding
public import GroveModel

/// A cache's own calls in the place of a transaction's: each is a commit of its own.
public struct SingleCalls: ConformanceTransaction {
    private let cache: any ConformanceCache

    /// Calls `cache`.
    public init(_ cache: any ConformanceCache) { self.cache = cache }

    /// Reads the tree of `identifier`.
    public func read<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type
    ) throws(CacheError) -> CacheRead<M> {
        try cache.read(identifier, as: type)
    }

    /// Reads a collection.
    public func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        try cache.readCollection(key, as: type)
    }

    /// Reads a page of a collection.
    public func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type, in range: Range<Int>
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        try cache.readCollection(key, as: type, in: range)
    }

    /// How many elements a collection has.
    public func count(ofCollection key: String) throws(CacheError) -> Int? { try cache.count(ofCollection: key) }

    /// All models of a type, in a view of their own.
    public func models<M: CacheableModel>(_ type: M.Type) throws(CacheError) -> [M] {
        try typed { try cache.view { view in try view.models(type) } }
    }

    /// Writes `models`.
    public func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        try cache.write(contentsOf: models)
    }

    /// Writes a collection.
    public func writeCollection<M: CacheableModel>(
        _ elements: [M], forKey key: String
    ) throws(CacheError) -> WrittenChanges {
        try cache.writeCollection(elements, forKey: key)
    }

    /// Changes some elements of a collection.
    public func edit<M: CacheableModel>(
        _ key: String, _ edit: CollectionEdit<M>
    ) throws(CacheError) -> WrittenChanges {
        try cache.edit(key, edit)
    }

    /// Deletes the node of `identifier`.
    public func delete(
        _ identifier: ModelIdentifier, removingFrom holders: DeletionHolders
    ) throws(CacheError) -> WrittenChanges {
        guard holders != .nothing else { return try cache.delete(identifier) }
        return try cache.delete(identifier, removingFrom: holders)
    }

    /// Deletes every model of a type.
    public func delete<M: CacheableModel>(allOf type: M.Type) throws(CacheError) -> WrittenChanges {
        try typed { try cache.delete(allOf: type) }
    }
}
