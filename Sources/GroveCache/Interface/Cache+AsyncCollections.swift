public import GroveCoding
public import GroveModel

/// Calls about collections for tasks; see ``Cache/write(_:durability:asOf:confirmed:)``.
extension Cache {
    /// Writes a collection as the synchronous form does.
    ///
    /// ```swift
    /// try await cache.writeCollection(messages, as: "inbox")
    /// ```
    @discardableResult
    public func writeCollection<M: CacheableModel>(
        _ elements: [M], as key: String, durability: Durability = .standard, asOf place: Place? = nil,
        confirmed: Bool = false
    ) async throws(CacheError) -> ChangeSet {
        try await inTask(durability) { (call) throws(CacheError) in
            try call.writeCollection(elements, as: key, asOf: place, confirmed: confirmed)
        }
    }

    /// Removes a collection as the synchronous form does.
    ///
    /// ```swift
    /// try await cache.removeCollection("search results")
    /// ```
    @discardableResult
    public func removeCollection(_ key: String) async throws(CacheError) -> ChangeSet {
        try await inTask(.standard) { (call) throws(CacheError) in try call.removeCollection(key) }
    }

    /// Inserts as the synchronous form does.
    ///
    /// ```swift
    /// try await cache.insert([message], at: 0, inCollection: "inbox")
    /// ```
    @discardableResult
    public func insert<M: CacheableModel>(
        _ elements: [M], at index: Int, inCollection key: String, durability: Durability = .standard
    ) async throws(CacheError) -> ChangeSet {
        try await inTask(durability) { (call) throws(CacheError) in
            try call.insert(elements, at: index, inCollection: key)
        }
    }

    /// Appends as the synchronous form does.
    ///
    /// ```swift
    /// try await cache.append(older, toCollection: "inbox")
    /// ```
    @discardableResult
    public func append<M: CacheableModel>(
        _ elements: [M], toCollection key: String, durability: Durability = .standard
    ) async throws(CacheError) -> ChangeSet {
        try await inTask(durability) { (call) throws(CacheError) in try call.append(elements, toCollection: key) }
    }

    /// Inserts as the synchronous form does.
    ///
    /// ```swift
    /// try await cache.insert([message], at: .first, inCollection: "chat/1")
    /// ```
    @discardableResult
    public func insert<M: CacheableModel>(
        _ elements: [M], at place: ElementPlace, inCollection key: String, durability: Durability = .standard
    ) async throws(CacheError) -> ChangeSet {
        try await inTask(durability) { (call) throws(CacheError) in
            try call.insert(elements, at: place, inCollection: key)
        }
    }

    /// Inserts models that are stored already, as the synchronous form does.
    ///
    /// ```swift
    /// try await cache.insert(references: ["Message:9"], at: .after("Message:3"), inCollection: "pinned")
    /// ```
    @discardableResult
    public func insert(
        references identifiers: [ModelIdentifier], at place: ElementPlace, inCollection key: String,
        durability: Durability = .standard
    ) async throws(CacheError) -> ChangeSet {
        try await inTask(durability) { (call) throws(CacheError) in
            try call.insert(references: identifiers, at: place, inCollection: key)
        }
    }

    /// Writes elements, and inserts those that the list does not have, as the synchronous form does.
    ///
    /// ```swift
    /// try await cache.upsert(older, at: .first, inCollection: "chat/1")
    /// ```
    @discardableResult
    public func upsert<M: CacheableModel>(
        _ elements: [M], at place: ElementPlace = .last, inCollection key: String, durability: Durability = .standard
    ) async throws(CacheError) -> ChangeSet {
        try await inTask(durability) { (call) throws(CacheError) in
            try call.upsert(elements, at: place, inCollection: key)
        }
    }

    /// Removes an element as the synchronous form does.
    ///
    /// ```swift
    /// try await cache.remove("Message:34", fromCollection: "chat/1")
    /// ```
    @discardableResult
    public func remove(
        _ identifier: ModelIdentifier, fromCollection key: String, durability: Durability = .standard
    ) async throws(CacheError) -> ChangeSet {
        try await inTask(durability) { (call) throws(CacheError) in
            try call.remove(identifier, fromCollection: key)
        }
    }

    /// Removes elements as the synchronous form does.
    ///
    /// ```swift
    /// try await cache.remove(["Message:34", "Message:35"], fromCollection: "chat/1")
    /// ```
    @discardableResult
    public func remove(
        _ identifiers: [ModelIdentifier], fromCollection key: String, durability: Durability = .standard
    ) async throws(CacheError) -> ChangeSet {
        try await inTask(durability) { (call) throws(CacheError) in
            try call.remove(identifiers, fromCollection: key)
        }
    }

    /// Removes an element as the synchronous form does.
    ///
    /// ```swift
    /// try await cache.remove(Message.self, id: 34, fromCollection: "chat/1")
    /// ```
    @discardableResult
    public func remove<M: KeyedModel>(
        _ type: M.Type, id: M.ModelID, fromCollection key: String, durability: Durability = .standard
    ) async throws(CacheError) -> ChangeSet {
        try await inTask(durability) { (call) throws(CacheError) in
            try call.remove(type, id: id, fromCollection: key)
        }
    }

    /// Moves an element as the synchronous form does.
    ///
    /// ```swift
    /// try await cache.move("Message:34", to: .first, inCollection: "pinned")
    /// ```
    @discardableResult
    public func move(
        _ identifier: ModelIdentifier, to place: ElementPlace, inCollection key: String,
        durability: Durability = .standard
    ) async throws(CacheError) -> ChangeSet {
        try await inTask(durability) { (call) throws(CacheError) in
            try call.move(identifier, to: place, inCollection: key)
        }
    }

    /// Moves an element as the synchronous form does.
    ///
    /// ```swift
    /// try await cache.move(Message.self, id: 34, to: .first, inCollection: "pinned")
    /// ```
    @discardableResult
    public func move<M: KeyedModel>(
        _ type: M.Type, id: M.ModelID, to place: ElementPlace, inCollection key: String,
        durability: Durability = .standard
    ) async throws(CacheError) -> ChangeSet {
        try await inTask(durability) { (call) throws(CacheError) in
            try call.move(type, id: id, to: place, inCollection: key)
        }
    }
}
