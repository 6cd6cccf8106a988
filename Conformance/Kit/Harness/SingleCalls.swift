package import GroveCache
package import GroveCoding
package import GroveModel

/// A transaction whose calls are those of a cache: each is a commit of its own.
package struct SingleCalls: ConformanceTransaction {
    private let cache: any ConformanceCache

    /// Calls `cache`.
    package init(_ cache: any ConformanceCache) { self.cache = cache }

    /// Reads the tree of `identifier`.
    package func read<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type
    ) throws(CacheError) -> CacheRead<M> {
        try cache.read(identifier, as: type)
    }

    /// Reads a collection.
    package func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        try cache.readCollection(key, as: type)
    }

    /// Reads a page of a collection.
    package func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type, in range: Range<Int>
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        try cache.readCollection(key, as: type, in: range)
    }

    /// The number of elements of a collection.
    package func count(ofCollection key: String) throws(CacheError) -> Int? { try cache.count(ofCollection: key) }

    /// All models of a type, in a view of their own.
    package func models<M: CacheableModel>(_ type: M.Type) throws(CacheError) -> [M] {
        try typed { try cache.view { view in try view.models(type) } }
    }

    /// Writes `models`.
    package func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        try cache.write(contentsOf: models)
    }

    /// Writes a collection.
    package func writeCollection<M: CacheableModel>(
        _ elements: [M], forKey key: String
    ) throws(CacheError) -> WrittenChanges {
        try cache.writeCollection(elements, forKey: key)
    }

    /// Changes some elements of a collection.
    package func edit<M: CacheableModel>(
        _ key: String, _ edit: CollectionEdit<M>
    ) throws(CacheError) -> WrittenChanges {
        try cache.edit(key, edit)
    }

    /// Keeps `bytes` under `name`, in a transaction of its own.
    package func keep(_ bytes: [UInt8]?, as name: String) throws(CacheError) {
        try typed { try cache.transact { transaction in try transaction.keep(bytes, as: name) } }
    }

    /// Deletes the node of `identifier`.
    package func delete(
        _ identifier: ModelIdentifier, removingFrom holders: DeletionHolders
    ) throws(CacheError) -> WrittenChanges {
        guard holders != .nothing else { return try cache.delete(identifier) }
        return try cache.delete(identifier, removingFrom: holders)
    }

    /// Deletes every model of a type.
    package func delete<M: CacheableModel>(allOf type: M.Type) throws(CacheError) -> WrittenChanges {
        try typed { try cache.delete(allOf: type) }
    }
}
