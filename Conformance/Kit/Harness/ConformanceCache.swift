public import GroveCache
public import GroveCoding
public import GroveModel

/// A cache as rules use it: `CacheDelegate`, and the typed calls beside it.
///
/// Every call blocks the calling thread until it is done. Mutants wrap it and break one call.
public protocol ConformanceCache: CacheDelegate {
    /// Writes `models` in one transaction.
    @discardableResult
    func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges

    /// Writes `models` in one transaction, from a task that may be cancelled.
    @discardableResult
    func writeInTask<M: CacheableModel>(_ models: [M]) async throws(CacheError) -> WrittenChanges

    /// A place between the calls that were made before and those that are made from now on.
    func place() throws(CacheError) -> Place

    /// Writes `models` as the answer of a request that was sent at `place`.
    @discardableResult
    func write<M: CacheableModel>(contentsOf models: [M], asOf place: Place) throws(CacheError) -> WrittenChanges

    /// Writes `model` as an edit, which confirms nothing.
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

    /// How many elements a collection has, deleted ones included; `nil` where it is not there.
    func count(ofCollection key: String) throws(CacheError) -> Int?

    /// How many elements of a collection are known; `nil` only if it is not there.
    func knownCount(ofCollection key: String) throws(CacheError) -> Int?

    /// Changes some elements of a collection.
    @discardableResult
    func edit<M: CacheableModel>(_ key: String, _ edit: CollectionEdit<M>) throws(CacheError) -> WrittenChanges

    /// Edits a collection as one who shows it does, and waits for the commit.
    ///
    /// - Parameter place: the place that it is as of, if it is an answer of a network.
    func edit(_ key: String, _ edit: ListEdit, asOf place: Place?) throws(CacheError)

    /// Deletes the node of `identifier`.
    @discardableResult
    func delete(_ identifier: ModelIdentifier) throws(CacheError) -> WrittenChanges

    /// Deletes the node of `identifier`, and takes it out of `holders`.
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

    /// Forgets the node of `identifier`, or its tombstone.
    func evict(_ identifier: ModelIdentifier) throws(CacheError)

    /// Keeps the tree of `identifier` from being evicted.
    func retain(_ identifier: ModelIdentifier) throws(CacheError)

    /// Keeps a collection and the trees of its elements from being evicted.
    func retain(collection key: String) throws(CacheError)

    /// Takes a pin back.
    func release(_ identifier: ModelIdentifier) throws(CacheError)

    /// Takes a collection's pin back.
    func release(collection key: String) throws(CacheError)

    /// What every commit changes from this call on.
    func changes() throws(CacheError) -> ChangeReader

    /// What every commit changes that was made after `token`.
    func changes(since token: ChangeToken?) throws(CacheError) -> ChangeReader

    /// What the cache has counted.
    func statistics() throws(CacheError) -> CacheStatistics

    /// All that is kept beside the models, by its names.
    func kept() throws(CacheError) -> [String: [UInt8]]

    /// Empties the cache.
    func wipe() throws(CacheError)

    /// Lets go of the store's files and locks.
    func suspend() throws(CacheError)

    /// Takes the store up again.
    func resume() throws(CacheError)

    /// Returns when what was queued is committed, and throws what became of it.
    func flush() throws(CacheError)

    /// The size of the store.
    func size() throws(CacheError) -> StoreSize

    /// What the cache holds, and what went to make room for it.
    func usage() throws(CacheError) -> CacheUsage

    /// Copies the store to a new one in `directory`.
    func copy(to directory: String) async throws(CacheError)

    /// Closes the cache.
    func close()
}

extension ConformanceCache {
    /// By default, nothing is known.
    public func usage() throws(CacheError) -> CacheUsage { CacheUsage() }

    /// By default, nothing is kept.
    public func kept() throws(CacheError) -> [String: [UInt8]] {
        throw CacheError(.unsupported, "The cache keeps nothing beside models.")
    }

    /// By default, nothing is copied.
    public func copy(to directory: String) async throws(CacheError) {
        throw CacheError(.unsupported, "The cache makes no copies.")
    }

    /// By default, answers have no place.
    public func place() throws(CacheError) -> Place { throw .hasNoPlaces }

    /// By default, answers have no place.
    @discardableResult
    public func write<M: CacheableModel>(
        contentsOf models: [M], asOf place: Place
    ) throws(CacheError) -> WrittenChanges {
        throw .hasNoPlaces
    }

    /// By default, answers have no place.
    @discardableResult
    public func writeCollection<M: CacheableModel>(
        _ elements: [M], forKey key: String, asOf place: Place
    ) throws(CacheError) -> WrittenChanges {
        throw .hasNoPlaces
    }

    /// By default, no write confirms.
    @discardableResult
    public func writeUnconfirmed<M: CacheableModel>(_ model: M) throws(CacheError) -> WrittenChanges {
        try write(model)
    }

    /// By default, nothing can be retained.
    public func retain(_ identifier: ModelIdentifier) throws(CacheError) { throw .hasNoPins }

    /// By default, nothing can be retained.
    public func retain(collection key: String) throws(CacheError) { throw .hasNoPins }

    /// By default, nothing can be retained.
    public func release(_ identifier: ModelIdentifier) throws(CacheError) { throw .hasNoPins }

    /// By default, nothing can be retained.
    public func release(collection key: String) throws(CacheError) { throw .hasNoPins }

    /// By default, nothing is taken out of what holds it.
    @discardableResult
    public func delete(
        _ identifier: ModelIdentifier, removingFrom holders: DeletionHolders
    ) throws(CacheError) -> WrittenChanges {
        guard holders == .nothing else { throw .hasNoPositions }
        return try delete(identifier)
    }

    /// By default, nothing is restored.
    @discardableResult
    public func restore<M: CacheableModel>(_ model: M) throws(CacheError) -> WrittenChanges {
        throw CacheError(.unsupported, "The cache undoes no deletions.")
    }

    /// By default, models are updated in a transaction.
    @discardableResult
    public func update<M: CacheableModel>(
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

    /// By default, types are deleted in a transaction.
    @discardableResult
    public func delete<M: CacheableModel>(allOf type: M.Type) throws -> WrittenChanges {
        try transact { transaction in try transaction.delete(allOf: type) }
    }

    /// By default, there are no transactions.
    public func transact<Value>(_ body: (any ConformanceTransaction) throws -> Value) throws -> Value {
        throw CacheError(.unsupported, "The cache has no transactions.")
    }

    /// By default, there are no views.
    public func view<Value>(_ body: (any ConformanceView) throws -> Value) throws -> Value {
        throw CacheError(.unsupported, "The cache has no views.")
    }

    /// By default, a collection is read as a whole.
    public func readPage<M: CacheableModel>(
        _ key: String, as type: M.Type, in range: Range<Int>, missing: MissingElements
    ) throws(CacheError) -> CacheRead<CollectionRead<M>> {
        throw .hasNoPositions
    }

    /// By default, a collection is read as a whole.
    public func count(ofCollection key: String) throws(CacheError) -> Int? { throw .hasNoPositions }

    /// By default, a collection is read as a whole.
    public func knownCount(ofCollection key: String) throws(CacheError) -> Int? { throw .hasNoPositions }

    /// By default, a collection is set as a whole.
    @discardableResult
    public func edit<M: CacheableModel>(
        _ key: String, _ edit: CollectionEdit<M>
    ) throws(CacheError) -> WrittenChanges {
        throw .hasNoPositions
    }

    /// By default, the cache does not report changes.
    public func changes() throws(CacheError) -> ChangeReader { throw .hasNoChanges }

    /// By default, the cache does not report changes.
    public func changes(since token: ChangeToken?) throws(CacheError) -> ChangeReader { throw .hasNoChanges }

    /// By default, nothing is counted.
    public func statistics() throws(CacheError) -> CacheStatistics { throw .hasNoChanges }

    /// By default, the cache refuses the edits of a collection that is shown.
    public func edit(_ key: String, _ edit: ListEdit, asOf place: Place?) throws(CacheError) { throw .hasNoPositions }

    /// By default, nothing has an age.
    public func read<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type, maxAge: Double
    ) throws(CacheError) -> CacheRead<M> {
        throw CacheError(.unsupported, "The cache knows no ages.")
    }

    /// By default, nothing has an age.
    public func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type, maxAge: Double
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        throw CacheError(.unsupported, "The cache knows no ages.")
    }

    /// Writes `model`.
    @discardableResult
    public func write<M: CacheableModel>(_ model: M) throws(CacheError) -> WrittenChanges {
        try write(contentsOf: [model])
    }

    /// Reads a collection that is a miss where an element is missing.
    public func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        try readCollection(key, as: type, missing: .miss)
    }

    /// Reads the elements of a collection at the positions of `range`, of which none is to be missing.
    public func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type, in range: Range<Int>
    ) throws(CacheError) -> CacheRead<ReadElements<M>> {
        ReadElements.read(try readPage(key, as: type, in: range, missing: .miss))
    }

    /// Reads through the delegate's method and waits for the first call of the completion.
    public func model<T: SimpleModel>(forKey key: String?, as type: T.Type) throws -> T? {
        let answer = Answer<T?>()
        modelForKey(key, context: nil) { (model: T?, error: (any Error)?) in answer.take(model, error) }
        return try answer.wait()
    }

    /// Reads a collection through the delegate's method and waits for the first call of the completion.
    public func models<T: SimpleModel>(forKey key: String?, as type: T.Type) throws -> [T]? {
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

/// What one write changed.
public struct WrittenChanges: Sendable, Equatable {
    /// The nodes whose bodies changed.
    public var changed: Set<ModelIdentifier>
    /// The nodes that were deleted.
    public var deleted: Set<ModelIdentifier>
    /// The keys of the collections that changed.
    public var collections: Set<ModelIdentifier>

    /// Makes a change set.
    public init(
        changed: Set<ModelIdentifier> = [], deleted: Set<ModelIdentifier> = [], collections: Set<ModelIdentifier> = []
    ) {
        self.changed = changed
        self.deleted = deleted
        self.collections = collections
    }
}

/// A collection as it was read.
public struct ReadElements<Element: Sendable>: Sendable {
    /// The elements, in order.
    public var values: [Element]
    /// Why others were skipped, in order.
    public var skipped: [CacheMiss]

    /// Makes a read.
    public init(_ values: [Element], skipped: [CacheMiss] = []) {
        self.values = values
        self.skipped = skipped
    }
}

extension ReadElements: Equatable where Element: Equatable {}
