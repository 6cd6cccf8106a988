public import GroveCoding
public import GroveModel

extension Cache {
    /// Reads the model of type `M` whose identity is `id`, lets `change` change it, and writes it, in one transaction.
    ///
    /// ```swift
    /// try cache.update(Message.self, id: 34) { $0.isRead = true }
    /// ```
    ///
    /// No other writer, of this process or another one, comes between the read and the write. Of two updates at the
    /// same time, the second begins with the model that the first wrote. If `change` leaves the model as it was,
    /// nothing is written.
    ///
    /// An update does not confirm the model: its age stays. It blocks the calling thread until the commit; in a task
    /// the `async` form of the same name is used. Other writes wait for `change`, so it should be quick. It must not
    /// call the cache.
    ///
    /// - Parameters:
    ///   - missing: whether to throw or to do nothing if the model, or a node that it needs, is missing.
    ///   - durability: whether the commit has to survive loss of power.
    ///   - change: called once, unless the model is missing.
    /// - Returns: the identifiers whose stored bytes changed; empty if nothing was written.
    /// - Throws: the error of `change`, and then nothing is stored. ``CacheError`` with code `missing`: its
    ///   ``CacheError/miss`` says which node is missing and why. The errors of
    ///   ``Cache/write(durability:_:)``.
    @discardableResult
    public func update<M: CacheableModel & KeyedModel>(
        _ type: M.Type, id: M.ModelID, ifMissing missing: MissingModel = .fail, durability: Durability = .standard,
        _ change: (inout M) throws -> Void
    ) throws -> ChangeSet {
        try update(M.modelIdentifier(for: id), as: type, ifMissing: missing, durability: durability, change)
    }

    /// Updates the model of `identifier`; see ``update(_:id:ifMissing:durability:_:)``.
    ///
    /// ```swift
    /// try cache.update("Draft:new", as: Draft.self, ifMissing: .ignore) { $0.text += "!" }
    /// ```
    @discardableResult
    public func update<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type = M.self, ifMissing missing: MissingModel = .fail,
        durability: Durability = .standard, _ change: (inout M) throws -> Void
    ) throws -> ChangeSet {
        try write(durability: durability) { tx in try tx.update(identifier, as: type, ifMissing: missing, change) }
    }

    /// Updates as the synchronous form does, on the writer's queue.
    ///
    /// ```swift
    /// try await cache.update(Message.self, id: 34) { $0.isRead = true }
    /// ```
    ///
    /// Cancellation is honoured until the transaction's turn comes, with code `cancelled`, and not afterwards.
    @discardableResult
    public func update<M: CacheableModel & KeyedModel>(
        _ type: M.Type, id: M.ModelID, ifMissing missing: MissingModel = .fail, durability: Durability = .standard,
        _ change: @escaping @Sendable (inout M) throws -> Void
    ) async throws -> ChangeSet {
        try await update(M.modelIdentifier(for: id), as: type, ifMissing: missing, durability: durability, change)
    }

    /// Updates the model of `identifier` as the synchronous form does, on the writer's queue.
    ///
    /// ```swift
    /// try await cache.update("Draft:new", as: Draft.self, ifMissing: .ignore) { $0.text += "!" }
    /// ```
    @discardableResult
    public func update<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type = M.self, ifMissing missing: MissingModel = .fail,
        durability: Durability = .standard, _ change: @escaping @Sendable (inout M) throws -> Void
    ) async throws -> ChangeSet {
        try await write(durability: durability) { tx in
            try tx.update(identifier, as: type, ifMissing: missing, change)
        }
    }
}
