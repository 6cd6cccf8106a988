public import GroveCoding
public import GroveModel

/// Writes for tasks: each does the same as the synchronous form of its name, without blocking the caller's thread.
///
/// Cancellation is honoured before the write is queued, with code `cancelled`, and never afterwards.
extension Cache {
    /// Writes `model` as the synchronous form does.
    ///
    /// ```swift
    /// try await cache.write(message)
    /// ```
    @discardableResult
    public func write<M: CacheableModel>(
        _ model: M, durability: Durability = .standard, asOf place: Place? = nil, confirmed: Bool = false
    ) async throws(CacheError) -> ChangeSet {
        try await inTask(durability) { (call) throws(CacheError) in
            try call.write(model, asOf: place, confirmed: confirmed)
        }
    }

    /// Writes `models` in one commit, as the synchronous form does.
    ///
    /// ```swift
    /// try await cache.write(contentsOf: messages)
    /// ```
    @discardableResult
    public func write<M: CacheableModel>(
        contentsOf models: [M], durability: Durability = .standard, asOf place: Place? = nil, confirmed: Bool = false
    ) async throws(CacheError) -> ChangeSet {
        try await inTask(durability) { (call) throws(CacheError) in
            try call.write(contentsOf: models, asOf: place, confirmed: confirmed)
        }
    }

    /// Writes `model` under `key` too, as the synchronous form does.
    ///
    /// ```swift
    /// try await cache.write(person, forKey: "me")
    /// ```
    @discardableResult
    public func write<M: SimpleModel>(
        _ model: M, forKey key: String, durability: Durability = .standard, asOf place: Place? = nil,
        confirmed: Bool = false
    ) async throws(CacheError) -> ChangeSet {
        try await inTask(durability) { (call) throws(CacheError) in
            try call.write(model, forKey: key, asOf: place, confirmed: confirmed)
        }
    }

    /// Undoes the deletion of `model` as the synchronous form does.
    ///
    /// ```swift
    /// try await cache.restore(message)
    /// ```
    @discardableResult
    public func restore<M: CacheableModel>(
        _ model: M, durability: Durability = .standard
    ) async throws(CacheError) -> ChangeSet {
        try await inTask(durability) { (call) throws(CacheError) in try call.restore(model) }
    }

    /// Deletes as the synchronous form does.
    ///
    /// ```swift
    /// try await cache.delete("Message:34", removingFrom: .collections)
    /// ```
    @discardableResult
    public func delete(
        _ identifier: ModelIdentifier, removingFrom holders: DeletionHolders = .nothing,
        durability: Durability = .standard, asOf place: Place? = nil
    ) async throws(CacheError) -> ChangeSet {
        try await inTask(durability) { (call) throws(CacheError) in
            try call.delete(identifier, removingFrom: holders, asOf: place)
        }
    }

    /// Deletes as the synchronous form does.
    ///
    /// ```swift
    /// try await cache.delete(Message.self, id: 34)
    /// ```
    @discardableResult
    public func delete<M: KeyedModel>(
        _ type: M.Type, id: M.ModelID, removingFrom holders: DeletionHolders = .nothing,
        durability: Durability = .standard, asOf place: Place? = nil
    ) async throws(CacheError) -> ChangeSet {
        try await inTask(durability) { (call) throws(CacheError) in
            try call.delete(type, id: id, removingFrom: holders, asOf: place)
        }
    }

    /// Deletes several models in one commit, as the synchronous form does.
    ///
    /// ```swift
    /// try await cache.delete(Draft.self, ids: ["a", "b"])
    /// ```
    @discardableResult
    public func delete<M: KeyedModel>(
        _ type: M.Type, ids: [M.ModelID], removingFrom holders: DeletionHolders = .nothing,
        durability: Durability = .standard, asOf place: Place? = nil
    ) async throws(CacheError) -> ChangeSet {
        try await inTask(durability) { (call) throws(CacheError) in
            try call.delete(type, ids: ids, removingFrom: holders, asOf: place)
        }
    }

    /// Deletes every model of type `M` as the synchronous form does, on the writer's queue.
    ///
    /// ```swift
    /// try await cache.delete(allOf: Draft.self)
    /// ```
    @discardableResult
    public func delete<M: CacheableModel>(allOf type: M.Type) async throws -> ChangeSet {
        try await write(durability: .standard) { tx in try tx.delete(allOf: type) }
    }

    /// Evicts a node as the synchronous form does.
    ///
    /// ```swift
    /// try await cache.evict("Message:34")
    /// ```
    @discardableResult
    public func evict(_ identifier: ModelIdentifier) async throws(CacheError) -> ChangeSet {
        try await inTask(.standard) { (call) throws(CacheError) in try call.evict(identifier) }
    }

    /// Queues the content that `call` writes, and waits for it without blocking a thread.
    func inTask(
        _ durability: Durability, _ call: (inout CallInTask) throws(CacheError) -> ChangeSet
    ) async throws(CacheError) -> ChangeSet {
        try await performAsync(durability) { () throws(CacheError) in
            var made = CallInTask()
            _ = try call(&made)
            return made.content.content
        }
    }
}

/// A writer that takes the content of a synchronous call, for the call's form in a task.
struct CallInTask: ~Copyable, CacheWriter {
    private let made = Lock<_WriteContent?>(nil)

    /// The content that the call writes.
    var content: _WriteContent { made.withLock { $0 } ?? _WriteContent() }

    func _perform(
        _ durability: Durability, _ content: () throws(CacheError) -> _WriteContent
    ) throws(CacheError) -> ChangeSet {
        let content = try content()
        made.withLock { $0 = content }
        return ChangeSet(sequence: .zero)
    }
}
