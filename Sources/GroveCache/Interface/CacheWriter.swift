public import GroveCoding
public import GroveModel

/// The calls that write, the same on a cache and in a transaction.
///
/// On a cache each call is a commit of its own, all or nothing, and the caller waits for it. In a transaction, see
/// ``Cache/write(durability:_:)``, the call takes effect with the transaction's commit. The change set that
/// it returns then compares with what the transaction saw before the call.
public protocol CacheWriter: ~Copyable {
    /// Performs one call that writes what `content` makes.
    func _perform(
        _ durability: Durability, _ content: () throws(CacheError) -> _WriteContent
    ) throws(CacheError) -> ChangeSet
}

/// The content that one call writes.
public struct _WriteContent {
    let content: PendingWrite.Content

    init(tree: NodeTree? = nil, extras: [PendingWrite.Extra] = [], asOf place: Place? = nil, confirmed: Bool = false) {
        self.init(PendingWrite.Content(tree: tree, extras: extras), asOf: place, confirmed: confirmed)
    }

    init(_ content: PendingWrite.Content, asOf place: Place? = nil, confirmed: Bool = false) {
        var content = content
        content.asOf = place?.stored
        content.isConfirmed = confirmed || place != nil
        self.content = content
    }
}

extension CacheWriter where Self: ~Copyable {
    /// Writes `model` and every identified model in its tree.
    ///
    /// ```swift
    /// let changes = try cache.write(message)
    /// if changes.changedModelIds.contains("Person:1") { show(message.sender) }
    /// ```
    ///
    /// All or nothing. On a cache it blocks the calling thread, and returns when the commit is visible; in a task, the
    /// `async` form of the same name is used.
    ///
    /// - Complexity: O(*n*) store operations for *n* distinct nodes; unchanged nodes are read and not written.
    /// - Parameters:
    ///   - durability: whether the commit has to survive loss of power; in a transaction it counts for the whole
    ///     transaction.
    ///   - place: the place that was taken before the request whose answer is written: models that were changed or
    ///     deleted since then stay as they are. By default, the place of this call.
    ///   - confirmed: whether the content comes from its source, so that its age starts again from zero; with a `place`
    ///     it always does.
    /// - Returns: the identifiers whose stored bytes changed.
    /// - Throws: ``CacheError`` with code `unidentified`, `emptyIdentifier`, `tooDeep`, `tooManyPaths`, `unencodable`,
    ///   `tooLarge`, `full`, `inputOutput`, `reentrant`, `suspended` or `closed`. With code `cancelled` if the cache
    ///   was wiped since the call or since `place`. Then nothing was stored, unless only the sync of a durable write
    ///   failed; see ``Durability/durable``.
    @discardableResult
    public func write<M: CacheableModel>(
        _ model: M, durability: Durability = .standard, asOf place: Place? = nil, confirmed: Bool = false
    ) throws(CacheError) -> ChangeSet {
        try _perform(durability) { () throws(CacheError) in
            _WriteContent(tree: try EncodedRoots.tree(of: model), asOf: place, confirmed: confirmed)
        }
    }

    /// Writes `models` in one commit, in order; see ``write(_:durability:asOf:confirmed:)``.
    ///
    /// ```swift
    /// try cache.write(contentsOf: messages)
    /// ```
    @discardableResult
    public func write<M: CacheableModel>(
        contentsOf models: some Collection<M>, durability: Durability = .standard, asOf place: Place? = nil,
        confirmed: Bool = false
    ) throws(CacheError) -> ChangeSet {
        try _perform(durability) { () throws(CacheError) in
            _WriteContent(
                tree: try EncodedRoots(models, mustBeIdentified: true).tree, asOf: place, confirmed: confirmed)
        }
    }

    /// Not available: ``write(contentsOf:durability:asOf:confirmed:)`` writes several models.
    ///
    /// ```swift
    /// try cache.write(contentsOf: messages)
    /// ```
    @available(*, unavailable, renamed: "write(contentsOf:durability:asOf:confirmed:)")
    @discardableResult
    public func write<M: CacheableModel>(
        _ models: [M], durability: Durability = .standard, asOf place: Place? = nil, confirmed: Bool = false
    ) throws(CacheError) -> ChangeSet {
        try write(contentsOf: models, durability: durability, asOf: place, confirmed: confirmed)
    }

    /// Writes `model` and every identified model in its tree, and makes `key` an alias of its identifier.
    ///
    /// ```swift
    /// try cache.write(person, forKey: "me")
    /// let me = try cache.model(forKey: "me", as: Person.self)
    /// ```
    ///
    /// A read under the key finds the newest version of the model, whichever call wrote it.
    ///
    /// - Throws: the errors of ``write(_:durability:asOf:confirmed:)``, and ``CacheError`` with code `notCacheable` if
    ///   the type has no coding.
    @discardableResult
    public func write<M: SimpleModel>(
        _ model: M, forKey key: String, durability: Durability = .standard, asOf place: Place? = nil,
        confirmed: Bool = false
    ) throws(CacheError) -> ChangeSet {
        try _perform(durability) { () throws(CacheError) in
            _WriteContent(try .alias(key, of: model), asOf: place, confirmed: confirmed)
        }
    }

    /// Writes `elements` as the collection under `key`, in order, with duplicates, and every identified model in them.
    ///
    /// ```swift
    /// try cache.writeCollection(messages, as: "inbox")
    /// ```
    ///
    /// All or nothing; see ``write(_:durability:asOf:confirmed:)``. An element without an identifier is stored inside
    /// the collection's record.
    @discardableResult
    public func writeCollection<M: CacheableModel>(
        _ elements: some Collection<M>, as key: String, durability: Durability = .standard, asOf place: Place? = nil,
        confirmed: Bool = false
    ) throws(CacheError) -> ChangeSet {
        try ModelIdentifier(key).check()
        return try _perform(durability) { () throws(CacheError) in
            let encoded = try EncodedRoots(elements, mustBeIdentified: false)
            return _WriteContent(
                tree: encoded.tree, extras: [encoded.collection(key)], asOf: place, confirmed: confirmed)
        }
    }

    /// Removes the collection under `key`; its elements stay in the store.
    ///
    /// ```swift
    /// try cache.removeCollection("search results")
    /// ```
    @discardableResult
    public func removeCollection(_ key: String) throws(CacheError) -> ChangeSet {
        try ModelIdentifier(key).check()
        return try _perform(.standard) { () throws(CacheError) in
            _WriteContent(extras: [.remove(Namespace.collection, key)])
        }
    }

    /// Deletes the model of `identifier`: it stays deleted everywhere until it is written again.
    ///
    /// ```swift
    /// try cache.delete("Message:34", removingFrom: .collections)
    /// ```
    ///
    /// An optional property that holds the model reads `nil`. A list is read without it. A model that needs it reads as
    /// deleted too. Deleting a model that is not in the cache still leaves a deletion mark. The model's children are
    /// not deleted.
    ///
    /// - Parameters:
    ///   - holders: the places from which the model is also removed, so that it does not come back there when it is
    ///     written again.
    ///   - durability: as of ``write(_:durability:asOf:confirmed:)``.
    ///   - place: the place that was taken before the request whose answer says that the model is gone. If the model
    ///     was changed since, it stays, in its lists too. By default, the place of this call.
    /// - Throws: as ``write(_:durability:asOf:confirmed:)``.
    @discardableResult
    public func delete(
        _ identifier: ModelIdentifier, removingFrom holders: DeletionHolders = .nothing,
        durability: Durability = .standard, asOf place: Place? = nil
    ) throws(CacheError) -> ChangeSet {
        try delete(identifiers: CollectionOfOne(identifier), holders, durability, place)
    }

    /// Deletes the model of type `M` whose identity is `id`; see ``delete(_:removingFrom:durability:asOf:)``.
    ///
    /// ```swift
    /// try cache.delete(Message.self, id: 34)
    /// ```
    @discardableResult
    public func delete<M: KeyedModel>(
        _ type: M.Type, id: M.ModelID, removingFrom holders: DeletionHolders = .nothing,
        durability: Durability = .standard, asOf place: Place? = nil
    ) throws(CacheError) -> ChangeSet {
        try delete(identifiers: CollectionOfOne(M.modelIdentifier(for: id)), holders, durability, place)
    }

    /// Deletes the models of type `M` with these identities, in one commit; see
    /// ``delete(_:removingFrom:durability:asOf:)``.
    ///
    /// ```swift
    /// try cache.delete(Draft.self, ids: ["a", "b"], durability: .durable)
    /// ```
    @discardableResult
    public func delete<M: KeyedModel>(
        _ type: M.Type, ids: some Sequence<M.ModelID>, removingFrom holders: DeletionHolders = .nothing,
        durability: Durability = .standard, asOf place: Place? = nil
    ) throws(CacheError) -> ChangeSet {
        try delete(identifiers: ids.map { M.modelIdentifier(for: $0) }, holders, durability, place)
    }

    private func delete(
        identifiers: some Collection<ModelIdentifier>, _ holders: DeletionHolders, _ durability: Durability,
        _ place: Place?
    ) throws(CacheError) -> ChangeSet {
        for identifier in identifiers { try identifier.check() }
        return try _perform(durability) { () throws(CacheError) in
            let extras = identifiers.flatMap { identifier -> [PendingWrite.Extra] in
                holders == .collections ? [.tombstone(identifier), .unlist(identifier)] : [.tombstone(identifier)]
            }
            return _WriteContent(extras: extras, asOf: place)
        }
    }

    /// Evicts the node of `identifier`, or its tombstone: reading a tree that needs the node is a miss.
    ///
    /// ```swift
    /// try cache.evict("Message:34")
    /// ```
    @discardableResult
    public func evict(_ identifier: ModelIdentifier) throws(CacheError) -> ChangeSet {
        try identifier.check()
        return try _perform(.standard) { () throws(CacheError) in
            _WriteContent(extras: [.remove(Namespace.node, identifier.rawValue)])
        }
    }
}

/// The places from which a deletion removes the model.
public enum DeletionHolders: Sendable {
    /// None: while the model is deleted, models and lists that hold it are read without it.
    case nothing
    /// Every collection that has the model as an element; this costs one pass over all collections for each model.
    case collections
}
