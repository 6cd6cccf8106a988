public import GroveCoding
public import GroveModel

/// Edits of collections by identifiers, which stay right across an `await`, while an index may come to be another
/// element's.
///
/// Each edit is applied to the stored list when the call's turn comes. Moving or removing an element that is not in the
/// list changes nothing. An edit throws ``CacheError`` with code `outOfRange` if the list is not there.
///
/// - Complexity: one pass over the list, 128 elements for each store read, if the element is not found nearby.
extension CacheWriter where Self: ~Copyable {
    /// Inserts `elements` into the collection under `key` at `place`.
    ///
    /// ```swift
    /// try cache.insert([message], at: .before("Message:34"), inCollection: "inbox")
    /// ```
    ///
    /// - Returns: the identifiers whose stored bytes changed, and the collection's key.
    /// - Throws: as ``insert(_:at:inCollection:durability:)-(_,Int,_,_)``.
    @discardableResult
    public func insert<M: CacheableModel>(
        _ elements: some Collection<M>, at place: ElementPlace, inCollection key: String,
        durability: Durability = .standard
    ) throws(CacheError) -> ChangeSet {
        try _edit(key, durability, elements) { .insert($0, ListOperation.Place(place)) }
    }

    /// Inserts models that are stored already into the collection under `key`, by their identifiers.
    ///
    /// The models themselves are not written.
    ///
    /// ```swift
    /// try cache.insert(references: ["Message:34"], at: .first, inCollection: "pinned")
    /// ```
    ///
    /// If the elements are of an enum whose cases share a record, insert the model instead. An identifier does
    /// not say which case it is, so reading the list would throw or be a miss.
    ///
    /// - Throws: the errors of the form with elements; ``CacheError`` with code `missing` if one of the models is not
    ///   stored, or is deleted. Then nothing is stored.
    @discardableResult
    public func insert(
        references identifiers: some Collection<ModelIdentifier>, at place: ElementPlace, inCollection key: String,
        durability: Durability = .standard
    ) throws(CacheError) -> ChangeSet {
        for identifier in identifiers { try identifier.check() }
        return try edit(key, durability) { () throws(CacheError) in
            .refer(try StoredElements(references: identifiers), ListOperation.Place(place))
        }
    }

    /// Writes `elements`, and inserts those that the collection under `key` does not have at `place`.
    ///
    /// Elements that the collection has already stay where they are.
    ///
    /// ```swift
    /// try cache.upsert([message], inCollection: "inbox")
    /// ```
    @discardableResult
    public func upsert<M: CacheableModel>(
        _ elements: some Collection<M>, at place: ElementPlace = .last, inCollection key: String,
        durability: Durability = .standard
    ) throws(CacheError) -> ChangeSet {
        try _edit(key, durability, elements) { .upsert($0, ListOperation.Place(place)) }
    }

    /// Removes every occurrence of the element of `identifier` from the collection under `key`; the model stays stored.
    ///
    /// ```swift
    /// try cache.remove("Message:34", fromCollection: "inbox")
    /// ```
    @discardableResult
    public func remove(
        _ identifier: ModelIdentifier, fromCollection key: String, durability: Durability = .standard
    ) throws(CacheError) -> ChangeSet {
        try remove([identifier], fromCollection: key, durability: durability)
    }

    /// Removes the elements of `identifiers` from the collection under `key`; see
    /// ``remove(_:fromCollection:durability:)``.
    ///
    /// ```swift
    /// try cache.remove(["Message:34", "Message:35"], fromCollection: "inbox")
    /// ```
    @discardableResult
    public func remove(
        _ identifiers: some Collection<ModelIdentifier>, fromCollection key: String,
        durability: Durability = .standard
    ) throws(CacheError) -> ChangeSet {
        for identifier in identifiers { try identifier.check() }
        return try edit(key, durability) { () throws(CacheError) in .remove(identifiers.map { ElementName($0) }) }
    }

    /// Removes the element of type `M` whose identity is `id`; see ``remove(_:fromCollection:durability:)``.
    ///
    /// ```swift
    /// try cache.remove(Message.self, id: 34, fromCollection: "inbox")
    /// ```
    @discardableResult
    public func remove<M: KeyedModel>(
        _ type: M.Type, id: M.ModelID, fromCollection key: String, durability: Durability = .standard
    ) throws(CacheError) -> ChangeSet {
        try remove(M.modelIdentifier(for: id), fromCollection: key, durability: durability)
    }

    /// Moves the element of `identifier` to `place` in the collection under `key`.
    ///
    /// ```swift
    /// try cache.move("Message:34", to: .first, inCollection: "pinned")
    /// ```
    @discardableResult
    public func move(
        _ identifier: ModelIdentifier, to place: ElementPlace, inCollection key: String,
        durability: Durability = .standard
    ) throws(CacheError) -> ChangeSet {
        try identifier.check()
        return try edit(key, durability) { () throws(CacheError) in
            .move(ListOperation.Element(name: ElementName(identifier)), ListOperation.Place(place))
        }
    }

    /// Moves the element of type `M` whose identity is `id` to `place`; see ``move(_:to:inCollection:durability:)``.
    ///
    /// ```swift
    /// try cache.move(Message.self, id: 34, to: .before(Message.self, id: 3), inCollection: "pinned")
    /// ```
    @discardableResult
    public func move<M: KeyedModel>(
        _ type: M.Type, id: M.ModelID, to place: ElementPlace, inCollection key: String,
        durability: Durability = .standard
    ) throws(CacheError) -> ChangeSet {
        try move(M.modelIdentifier(for: id), to: place, inCollection: key, durability: durability)
    }

    /// Performs the edit of the collection under `key` that `make` makes, which brings no models.
    func edit(
        _ key: String, _ durability: Durability = .standard, _ make: () throws(CacheError) -> ListOperation
    ) throws(CacheError) -> ChangeSet {
        try ModelIdentifier(key).check()
        return try _perform(durability) { () throws(CacheError) in
            _WriteContent(PendingWrite.Content(try make(), of: key))
        }
    }
}

extension CacheReader where Self: ~Copyable {
    /// The first position of the element of `identifier` in the collection under `key`; deleted elements count.
    ///
    /// It is `nil` if the element is not in the collection, or if the collection is not there.
    ///
    /// ```swift
    /// let index = try cache.index(of: "Message:34", inCollection: "inbox")
    /// ```
    ///
    /// - Complexity: one pass over the list, 128 elements for each store read.
    /// - Throws: as ``read(_:as:maxAge:)``.
    public func index(of identifier: ModelIdentifier, inCollection key: String) throws(CacheError) -> Int? {
        try identifier.check()
        return try _reading(ModelIdentifier(key), maxAge: nil) { (reader) throws(CacheError) in
            try reader.index(of: identifier, in: ModelIdentifier(key))
        }.value
    }

    /// Whether there is a record of `identifier` that is not deleted; a node of the tree below it may be missing.
    package func isStored(_ identifier: ModelIdentifier) throws(CacheError) -> Bool {
        let begun = try _beginTree(identifier, maxAge: nil)
        defer { _endTree(begun, identifier, .again) }
        return try begun.reader.value(Namespace.node, identifier).map { !$0.flags.contains(.tombstone) } ?? false
    }

    /// Whether the collection under `key` has an element of `identifier`; see ``index(of:inCollection:)``.
    ///
    /// ```swift
    /// let isPinned = try cache.contains("Message:34", inCollection: "pinned")
    /// ```
    public func contains(_ identifier: ModelIdentifier, inCollection key: String) throws(CacheError) -> Bool {
        try index(of: identifier, inCollection: key) != nil
    }

    /// The first position of the element of type `M` whose identity is `id`; see ``index(of:inCollection:)``.
    ///
    /// ```swift
    /// let index = try cache.index(of: Message.self, id: 34, inCollection: "inbox")
    /// ```
    public func index<M: KeyedModel>(
        of type: M.Type, id: M.ModelID, inCollection key: String
    ) throws(CacheError) -> Int? {
        try index(of: M.modelIdentifier(for: id), inCollection: key)
    }

    /// Whether the collection under `key` has an element of type `M` whose identity is `id`; see
    /// ``index(of:inCollection:)``.
    ///
    /// ```swift
    /// let isPinned = try cache.contains(Message.self, id: 34, inCollection: "pinned")
    /// ```
    public func contains<M: KeyedModel>(
        _ type: M.Type, id: M.ModelID, inCollection key: String
    ) throws(CacheError) -> Bool {
        try contains(M.modelIdentifier(for: id), inCollection: key)
    }
}

extension ListOperation.Place {
    init(_ place: ElementPlace) {
        switch place {
        case .first: self = .first
        case .last: self = .last
        case .before(let identifier): self = .before(ListOperation.Element(name: ElementName(identifier)))
        case .after(let identifier): self = .after(ListOperation.Element(name: ElementName(identifier)))
        }
    }
}
