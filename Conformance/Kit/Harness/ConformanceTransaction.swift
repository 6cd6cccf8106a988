package import GroveCache
package import GroveCoding
package import GroveModel

/// One view of a cache, as rules use it.
package protocol ConformanceView {
    /// Reads the tree of `identifier`.
    func read<M: CacheableModel>(_ identifier: ModelIdentifier, as type: M.Type) throws(CacheError) -> CacheRead<M>

    /// Reads a collection.
    func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type
    ) throws(CacheError) -> CacheRead<ReadElements<M>>

    /// Reads the elements of a collection at the positions of `range`.
    func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type, in range: Range<Int>
    ) throws(CacheError) -> CacheRead<ReadElements<M>>

    /// The number of elements of a collection, deleted ones included; `nil` if the collection is not there.
    func count(ofCollection key: String) throws(CacheError) -> Int?

    /// All models of a type, in the order of their identifiers.
    func models<M: CacheableModel>(_ type: M.Type) throws(CacheError) -> [M]
}

/// One transaction of a cache, as rules use it; valid only inside the closure that receives it.
package protocol ConformanceTransaction: ConformanceView {
    /// Writes `models`.
    @discardableResult
    func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges

    /// Writes a collection.
    @discardableResult
    func writeCollection<M: CacheableModel>(_ elements: [M], forKey key: String) throws(CacheError) -> WrittenChanges

    /// Changes some elements of a collection.
    @discardableResult
    func edit<M: CacheableModel>(_ key: String, _ edit: CollectionEdit<M>) throws(CacheError) -> WrittenChanges

    /// Deletes the node of `identifier`, and removes it from `holders`.
    @discardableResult
    func delete(
        _ identifier: ModelIdentifier, removingFrom holders: DeletionHolders
    ) throws(CacheError) -> WrittenChanges

    /// Deletes every model of a type.
    @discardableResult
    func delete<M: CacheableModel>(allOf type: M.Type) throws(CacheError) -> WrittenChanges

    /// Keeps `bytes` under `name`, beside the models; `nil` removes them.
    func keep(_ bytes: [UInt8]?, as name: String) throws(CacheError)
}

extension ConformanceTransaction {
    /// By default, values beside the models are not supported.
    package func keep(_ bytes: [UInt8]?, as name: String) throws(CacheError) {
        throw CacheError(.unsupported, "The cache keeps nothing beside models.")
    }

    /// Deletes the node of `identifier`.
    @discardableResult
    package func delete(_ identifier: ModelIdentifier) throws(CacheError) -> WrittenChanges {
        try delete(identifier, removingFrom: .nothing)
    }
}

/// A view of a ``NormalizedCache`` that is lent to a rule.
@safe
struct StoreView: ConformanceView {
    private let view: UnsafePointer<CacheView>

    /// Runs `body` on a view of `cache`.
    static func run<Store: NodeStore, Value>(
        _ cache: NormalizedCache<Store>, _ body: (any ConformanceView) throws -> Value
    ) throws -> Value {
        try cache.read { view in
            try unsafe withUnsafePointer(to: view) { view in try body(unsafe StoreView(view: view)) }
        }
    }

    func read<M: CacheableModel>(_ identifier: ModelIdentifier, as type: M.Type) throws(CacheError) -> CacheRead<M> {
        try unsafe view.pointee.read(identifier, as: type)
    }

    func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        ReadElements.read(try unsafe view.pointee.readCollection(key, of: type))
    }

    func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type, in range: Range<Int>
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        ReadElements.read(try unsafe view.pointee.readCollection(key, of: type, in: range))
    }

    func count(ofCollection key: String) throws(CacheError) -> Int? {
        try unsafe view.pointee.count(ofCollection: key)
    }

    func models<M: CacheableModel>(_ type: M.Type) throws(CacheError) -> [M] {
        Array(try unsafe view.pointee.models(type))
    }
}

/// A transaction of a ``NormalizedCache`` that is lent to a rule.
@safe
struct StoreTransaction: ConformanceTransaction {
    private let transaction: UnsafePointer<CacheTransaction>

    /// Runs `body` in a transaction of `cache`.
    static func run<Store: NodeStore, Value>(
        _ cache: NormalizedCache<Store>, _ body: (any ConformanceTransaction) throws -> Value
    ) throws -> Value {
        try cache.write { transaction in
            try unsafe withUnsafePointer(to: transaction) { transaction in
                try body(unsafe StoreTransaction(transaction: transaction))
            }
        }
    }

    func read<M: CacheableModel>(_ identifier: ModelIdentifier, as type: M.Type) throws(CacheError) -> CacheRead<M> {
        try unsafe transaction.pointee.read(identifier, as: type)
    }

    func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        ReadElements.read(try unsafe transaction.pointee.readCollection(key, of: type))
    }

    func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type, in range: Range<Int>
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        ReadElements.read(try unsafe transaction.pointee.readCollection(key, of: type, in: range))
    }

    func count(ofCollection key: String) throws(CacheError) -> Int? {
        try unsafe transaction.pointee.count(ofCollection: key)
    }

    func models<M: CacheableModel>(_ type: M.Type) throws(CacheError) -> [M] {
        Array(try unsafe transaction.pointee.models(type))
    }

    func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        WrittenChanges(try unsafe transaction.pointee.write(contentsOf: models))
    }

    func writeCollection<M: CacheableModel>(_ elements: [M], forKey key: String) throws(CacheError) -> WrittenChanges {
        WrittenChanges(try unsafe transaction.pointee.writeCollection(elements, as: key))
    }

    func edit<M: CacheableModel>(_ key: String, _ edit: CollectionEdit<M>) throws(CacheError) -> WrittenChanges {
        try unsafe edit.perform(on: transaction.pointee, key)
    }

    func delete(
        _ identifier: ModelIdentifier, removingFrom holders: DeletionHolders
    ) throws(CacheError) -> WrittenChanges {
        WrittenChanges(try unsafe transaction.pointee.delete(identifier, removingFrom: holders))
    }

    func delete<M: CacheableModel>(allOf type: M.Type) throws(CacheError) -> WrittenChanges {
        WrittenChanges(try unsafe transaction.pointee.delete(allOf: type))
    }

    func keep(_ bytes: [UInt8]?, as name: String) throws(CacheError) {
        try unsafe transaction.pointee.keep(bytes, as: name)
    }
}

extension ReadElements {
    /// The result of reading a collection, as rules use it.
    static func read(_ read: CacheRead<CollectionRead<Element>>) -> CacheRead<ReadElements> {
        switch read {
        case .hit(let found): .hit(ReadElements(found.elements, skipped: found.skipped))
        case .miss(let miss): .miss(miss)
        }
    }
}
