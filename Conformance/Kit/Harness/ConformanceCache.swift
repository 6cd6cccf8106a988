package import GroveCache
package import GroveCoding
package import GroveModel

/// A cache as rules use it: the methods of `CacheDelegate`, and typed calls.
///
/// Every typed call blocks the calling thread until it is done. A mutant wraps a cache and breaks one of its calls.
package protocol ConformanceCache: CacheDelegate {
    /// Writes `models` in one transaction.
    @discardableResult
    func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges

    /// Writes `models` in one transaction, from a task that may be cancelled.
    @discardableResult
    func writeInTask<M: CacheableModel>(_ models: [M]) async throws(CacheError) -> WrittenChanges

    /// A place in the order of calls: after the calls made so far, before those made later.
    func place() throws(CacheError) -> Place

    /// Writes `models` as the answer of a request that was sent at `place`.
    @discardableResult
    func write<M: CacheableModel>(contentsOf models: [M], asOf place: Place) throws(CacheError) -> WrittenChanges

    /// Writes `model` as an edit, which does not confirm it.
    @discardableResult
    func writeUnconfirmed<M: CacheableModel>(_ model: M) throws(CacheError) -> WrittenChanges

    /// Reads the tree of `identifier`.
    func read<M: CacheableModel>(_ identifier: ModelIdentifier, as type: M.Type) throws(CacheError) -> CacheRead<M>

    /// Reads the tree of `identifier`, if all of it was confirmed within `maxAge` seconds.
    func read<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type, maxAge: Double
    ) throws(CacheError) -> CacheRead<M>

    /// Writes a collection.
    @discardableResult
    func writeCollection<M: CacheableModel>(_ elements: [M], forKey key: String) throws(CacheError) -> WrittenChanges

    /// Writes a collection as the answer of a request that was sent at `place`.
    @discardableResult
    func writeCollection<M: CacheableModel>(
        _ elements: [M], forKey key: String, asOf place: Place
    ) throws(CacheError) -> WrittenChanges

    /// Reads a collection.
    func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type, missing: MissingElements
    ) throws(CacheError) -> CacheRead<ReadElements<M>>

    /// Reads a collection, if all of it was confirmed within `maxAge` seconds.
    func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type, maxAge: Double
    ) throws(CacheError) -> CacheRead<ReadElements<M>>

    /// Reads the elements of a collection at the positions of `range`.
    func readPage<M: CacheableModel>(
        _ key: String, as type: M.Type, in range: Range<Int>, missing: MissingElements
    ) throws(CacheError) -> CacheRead<CollectionRead<M>>

    /// The number of elements of a collection, deleted ones included; `nil` if the collection is not there.
    func count(ofCollection key: String) throws(CacheError) -> Int?

    /// The number of elements of a collection that are known; `nil` only if the collection is not there.
    func knownCount(ofCollection key: String) throws(CacheError) -> Int?

    /// Changes some elements of a collection.
    @discardableResult
    func edit<M: CacheableModel>(_ key: String, _ edit: CollectionEdit<M>) throws(CacheError) -> WrittenChanges

    /// Edits a collection as a provider that shows it does, and waits for the commit.
    ///
    /// - Parameter place: the place at which the request was sent, if the edit is the answer of a network.
    func edit(_ key: String, _ edit: ListEdit, asOf place: Place?) throws(CacheError)

    /// Deletes the node of `identifier`.
    @discardableResult
    func delete(_ identifier: ModelIdentifier) throws(CacheError) -> WrittenChanges

    /// Deletes the node of `identifier`, and removes it from `holders`.
    @discardableResult
    func delete(
        _ identifier: ModelIdentifier, removingFrom holders: DeletionHolders
    ) throws(CacheError) -> WrittenChanges

    /// Undoes the deletion of `model`.
    @discardableResult
    func restore<M: CacheableModel>(_ model: M) throws(CacheError) -> WrittenChanges

    /// Reads the model of `identifier`, changes it and writes it, in one transaction.
    @discardableResult
    func update<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type, _ change: (inout M) -> Void
    ) throws -> WrittenChanges

    /// Deletes every model of a type.
    @discardableResult
    func delete<M: CacheableModel>(allOf type: M.Type) throws -> WrittenChanges

    /// Runs `body` in one transaction.
    func transact<Value>(_ body: (any ConformanceTransaction) throws -> Value) throws -> Value

    /// Runs `body` on one view.
    func view<Value>(_ body: (any ConformanceView) throws -> Value) throws -> Value

    /// Evicts the node of `identifier`, or its tombstone.
    func evict(_ identifier: ModelIdentifier) throws(CacheError)

    /// Keeps the tree of `identifier` from being evicted.
    func retain(_ identifier: ModelIdentifier) throws(CacheError)

    /// Keeps a collection and the trees of its elements from being evicted.
    func retain(collection key: String) throws(CacheError)

    /// Releases a pin of a tree.
    func release(_ identifier: ModelIdentifier) throws(CacheError)

    /// Releases a pin of a collection.
    func release(collection key: String) throws(CacheError)

    /// The changes of every commit from this call on.
    func changes() throws(CacheError) -> ChangeReader

    /// The changes of every commit after `token`.
    func changes(since token: ChangeToken?) throws(CacheError) -> ChangeReader

    /// The counters of the cache.
    func statistics() throws(CacheError) -> CacheStatistics

    /// The values that are kept beside the models, by name.
    func kept() throws(CacheError) -> [String: [UInt8]]

    /// Removes all content of the cache.
    func wipe() throws(CacheError)

    /// Closes the store's files and releases its locks.
    func suspend() throws(CacheError)

    /// Opens the store again after a suspension.
    func resume() throws(CacheError)

    /// Returns when all queued writes are committed.
    ///
    /// - Throws: the error of a queued write that failed.
    func flush() throws(CacheError)

    /// The size of the store.
    func size() throws(CacheError) -> StoreSize

    /// The use of the cache's budget, and the number of its evictions.
    func usage() throws(CacheError) -> CacheUsage

    /// Copies the store to a new one in `directory`.
    func copy(to directory: String) async throws(CacheError)

    /// Closes the cache.
    func close()
}

extension ConformanceCache {
    /// By default, an empty usage.
    package func usage() throws(CacheError) -> CacheUsage { CacheUsage() }

    /// By default, values beside the models are not supported.
    package func kept() throws(CacheError) -> [String: [UInt8]] {
        throw CacheError(.unsupported, "The cache keeps nothing beside models.")
    }

    /// By default, copies are not supported.
    package func copy(to directory: String) async throws(CacheError) {
        throw CacheError(.unsupported, "The cache makes no copies.")
    }

    /// By default, places are not supported.
    package func place() throws(CacheError) -> Place { throw .hasNoPlaces }

    /// By default, places are not supported.
    @discardableResult
    package func write<M: CacheableModel>(
        contentsOf models: [M], asOf place: Place
    ) throws(CacheError) -> WrittenChanges {
        throw .hasNoPlaces
    }

    /// By default, places are not supported.
    @discardableResult
    package func writeCollection<M: CacheableModel>(
        _ elements: [M], forKey key: String, asOf place: Place
    ) throws(CacheError) -> WrittenChanges {
        throw .hasNoPlaces
    }

    /// By default, the same as `write`.
    @discardableResult
    package func writeUnconfirmed<M: CacheableModel>(_ model: M) throws(CacheError) -> WrittenChanges {
        try write(model)
    }

    /// By default, pins are not supported.
    package func retain(_ identifier: ModelIdentifier) throws(CacheError) { throw .hasNoPins }

    /// By default, pins are not supported.
    package func retain(collection key: String) throws(CacheError) { throw .hasNoPins }

    /// By default, pins are not supported.
    package func release(_ identifier: ModelIdentifier) throws(CacheError) { throw .hasNoPins }

    /// By default, pins are not supported.
    package func release(collection key: String) throws(CacheError) { throw .hasNoPins }

    /// By default, the removal from holders is not supported.
    @discardableResult
    package func delete(
        _ identifier: ModelIdentifier, removingFrom holders: DeletionHolders
    ) throws(CacheError) -> WrittenChanges {
        guard holders == .nothing else { throw .hasNoPositions }
        return try delete(identifier)
    }

    /// By default, restoring is not supported.
    @discardableResult
    package func restore<M: CacheableModel>(_ model: M) throws(CacheError) -> WrittenChanges {
        throw CacheError(.unsupported, "The cache undoes no deletions.")
    }

    /// By default, a transaction that reads the model, changes it and writes it.
    @discardableResult
    package func update<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type, _ change: (inout M) -> Void
    ) throws -> WrittenChanges {
        try transact { transaction in
            switch try transaction.read(identifier, as: type) {
            case .miss(let miss): throw CacheError(miss)
            case .hit(var model):
                change(&model)
                return try transaction.write(contentsOf: [model])
            }
        }
    }

    /// By default, a transaction that deletes the models.
    @discardableResult
    package func delete<M: CacheableModel>(allOf type: M.Type) throws -> WrittenChanges {
        try transact { transaction in try transaction.delete(allOf: type) }
    }

    /// By default, transactions are not supported.
    package func transact<Value>(_ body: (any ConformanceTransaction) throws -> Value) throws -> Value {
        throw CacheError(.unsupported, "The cache has no transactions.")
    }

    /// By default, views are not supported.
    package func view<Value>(_ body: (any ConformanceView) throws -> Value) throws -> Value {
        throw CacheError(.unsupported, "The cache has no views.")
    }

    /// By default, positions are not supported.
    package func readPage<M: CacheableModel>(
        _ key: String, as type: M.Type, in range: Range<Int>, missing: MissingElements
    ) throws(CacheError) -> CacheRead<CollectionRead<M>> {
        throw .hasNoPositions
    }

    /// By default, positions are not supported.
    package func count(ofCollection key: String) throws(CacheError) -> Int? { throw .hasNoPositions }

    /// By default, positions are not supported.
    package func knownCount(ofCollection key: String) throws(CacheError) -> Int? { throw .hasNoPositions }

    /// By default, positions are not supported.
    @discardableResult
    package func edit<M: CacheableModel>(
        _ key: String, _ edit: CollectionEdit<M>
    ) throws(CacheError) -> WrittenChanges {
        throw .hasNoPositions
    }

    /// By default, changes are not supported.
    package func changes() throws(CacheError) -> ChangeReader { throw .hasNoChanges }

    /// By default, changes are not supported.
    package func changes(since token: ChangeToken?) throws(CacheError) -> ChangeReader { throw .hasNoChanges }

    /// By default, counters are not supported.
    package func statistics() throws(CacheError) -> CacheStatistics { throw .hasNoChanges }

    /// By default, edits of a list that is shown are not supported.
    package func edit(_ key: String, _ edit: ListEdit, asOf place: Place?) throws(CacheError) { throw .hasNoPositions }

    /// By default, ages are not supported.
    package func read<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type, maxAge: Double
    ) throws(CacheError) -> CacheRead<M> {
        throw CacheError(.unsupported, "The cache knows no ages.")
    }

    /// By default, ages are not supported.
    package func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type, maxAge: Double
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        throw CacheError(.unsupported, "The cache knows no ages.")
    }

    /// Writes `model`.
    @discardableResult
    package func write<M: CacheableModel>(_ model: M) throws(CacheError) -> WrittenChanges {
        try write(contentsOf: [model])
    }

    /// Reads a collection; if an element is missing, the read is a miss.
    package func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        try readCollection(key, as: type, missing: .miss)
    }

    /// Reads the elements of a collection at the positions of `range`; if one is missing, the read is a miss.
    package func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type, in range: Range<Int>
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        ReadElements.read(try readPage(key, as: type, in: range, missing: .miss))
    }

    /// Reads a model by the delegate's method and waits for the first call of the completion.
    package func model<T: SimpleModel>(forKey key: String?, as type: T.Type) throws -> T? {
        let answer = Answer<T?>()
        modelForKey(key, context: nil) { (model: T?, error: (any Error)?) in answer.take(model, error) }
        return try answer.wait()
    }

    /// Reads a collection by the delegate's method and waits for the first call of the completion.
    package func models<T: SimpleModel>(forKey key: String?, as type: T.Type) throws -> [T]? {
        let answer = Answer<[T]?>()
        collectionForKey(key, context: nil) { (models: [T]?, error: (any Error)?) in answer.take(models, error) }
        return try answer.wait()
    }
}

extension CacheError {
    fileprivate static var hasNoPositions: CacheError {
        CacheError(.unsupported, "The cache knows collections only as a whole.")
    }
    fileprivate static var hasNoChanges: CacheError {
        CacheError(.unsupported, "The cache tells nobody what changes.")
    }
    fileprivate static var hasNoPlaces: CacheError {
        CacheError(.unsupported, "The cache knows no places in the order of calls.")
    }
    fileprivate static var hasNoPins: CacheError { CacheError(.unsupported, "The cache retains nothing.") }
}

/// The identifiers of the nodes and collections that one write changed.
package struct WrittenChanges: Sendable, Equatable {
    /// The nodes whose bodies changed.
    package var changed: Set<ModelIdentifier>
    /// The nodes that were deleted.
    package var deleted: Set<ModelIdentifier>
    /// The keys of the collections that changed.
    package var collections: Set<ModelIdentifier>

    /// Makes a set of changes, empty by default.
    package init(
        changed: Set<ModelIdentifier> = [], deleted: Set<ModelIdentifier> = [], collections: Set<ModelIdentifier> = []
    ) {
        self.changed = changed
        self.deleted = deleted
        self.collections = collections
    }
}

/// The result of reading a collection.
package struct ReadElements<Element: Sendable>: Sendable {
    /// The elements, in order.
    package var values: [Element]
    /// The misses of the elements that were skipped, in order.
    package var skipped: [CacheMiss]

    /// Makes a result.
    package init(_ values: [Element], skipped: [CacheMiss] = []) {
        self.values = values
        self.skipped = skipped
    }
}

extension ReadElements: Equatable where Element: Equatable {}
