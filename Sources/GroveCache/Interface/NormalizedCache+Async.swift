public import GroveCoding
public import GroveModel
import Synchronization

extension NormalizedCache {
    /// Writes `model` as the synchronous form does, without blocking the caller's thread.
    ///
    /// Cancellation is honoured before the write is queued, with code `cancelled`, and never afterwards.
    @discardableResult
    public func write<M: CacheableModel>(
        _ model: M
    ) async throws(CacheError) -> ChangeSet {
        try await write(model, durability: .standard)
    }

    /// The same, as durably as asked for.
    @discardableResult
    public func write<M: CacheableModel>(
        _ model: M, durability: Durability
    ) async throws(CacheError) -> ChangeSet {
        try await write(contentsOf: [model], durability: durability)
    }

    /// Writes `models` in one transaction, as the synchronous form does, without blocking the caller's thread.
    @discardableResult
    public func write<M: CacheableModel>(
        contentsOf models: [M]
    ) async throws(CacheError) -> ChangeSet {
        try await write(contentsOf: models, durability: .standard)
    }

    /// The same, as durably as asked for.
    @discardableResult
    public func write<M: CacheableModel>(
        contentsOf models: [M], durability: Durability
    ) async throws(CacheError) -> ChangeSet {
        try await performAsync(durability) { () throws(CacheError) in
            PendingWrite.Content(tree: try EncodedRoots(models, mustBeIdentified: true).tree)
        }
    }

    /// Writes a collection as the synchronous form does, without blocking the caller's thread.
    @discardableResult
    public func writeCollection<M: CacheableModel>(
        _ elements: [M], forKey key: String
    ) async throws(CacheError) -> ChangeSet {
        try await writeCollection(elements, forKey: key, durability: .standard)
    }

    /// The same, as durably as asked for.
    @discardableResult
    public func writeCollection<M: CacheableModel>(
        _ elements: [M], forKey key: String, durability: Durability
    ) async throws(CacheError) -> ChangeSet {
        try NormalizedCache.check(ModelIdentifier(key))
        return try await performAsync(durability) { () throws(CacheError) in
            let encoded = try EncodedRoots(elements, mustBeIdentified: false)
            return PendingWrite.Content(tree: encoded.tree, extras: [encoded.collection(key)])
        }
    }

    /// Deletes as the synchronous form does, without blocking the caller's thread.
    @discardableResult
    public func delete(
        _ identifier: ModelIdentifier
    ) async throws(CacheError) -> ChangeSet {
        try await delete(identifier, durability: .standard)
    }

    /// The same, as durably as asked for.
    @discardableResult
    public func delete(
        _ identifier: ModelIdentifier, durability: Durability
    ) async throws(CacheError) -> ChangeSet {
        try NormalizedCache.check(identifier)
        return try await performAsync(durability) { () throws(CacheError) in
            PendingWrite.Content(extras: [.tombstone(identifier)])
        }
    }

    /// Forgets the node of `identifier` as the synchronous form does, without blocking the caller's thread.
    public func evict(_ identifier: ModelIdentifier) async throws(CacheError) {
        try NormalizedCache.check(identifier)
        _ = try await performAsync { () throws(CacheError) in
            PendingWrite.Content(extras: [.remove(Namespace.node, identifier.rawValue)])
        }
    }

    /// Forgets the collection under `key` as the synchronous form does, without blocking the caller's thread.
    public func removeCollection(forKey key: String) async throws(CacheError) {
        try NormalizedCache.check(ModelIdentifier(key))
        _ = try await performAsync { () throws(CacheError) in
            PendingWrite.Content(extras: [.remove(Namespace.collection, key)])
        }
    }

    /// Empties the cache as the synchronous form does, without blocking the caller's thread.
    public func wipe() async throws(CacheError) {
        _ = try await performAsync(isWipe: true) { () throws(CacheError) in PendingWrite.Content() }
    }

    /// Flushes as the synchronous form does, without blocking the caller's thread.
    public func flush() async throws(CacheError) {
        try await flush(.standard)
    }

    /// Flushes as ``flush()`` does, as durably as asked for.
    public func flush(_ durability: Durability) async throws(CacheError) {
        var failure: CacheError?
        do throws(CacheError) {
            _ = try await performAsync(durability) { () throws(CacheError) in PendingWrite.Content() }
        } catch {
            failure = error
        }
        // What failed in the queue is the cause, and is told once, also where the flush's own commit fails.
        if let failure = core.ledger.takeFailure() ?? failure { throw failure }
    }

    @discardableResult
    func performAsync(
        _ durability: Durability = .standard, isWipe: Bool = false,
        _ content: () throws(CacheError) -> PendingWrite.Content
    ) async throws(CacheError) -> ChangeSet {
        try checkOpen()
        guard !Task.isCancelled else { throw CacheError(.cancelled, "The task was cancelled before the write.") }
        await core.awaitRoom()
        guard !Task.isCancelled else { throw CacheError(.cancelled, "The task was cancelled before the write.") }
        let time = core.clock.ofCall
        let sequence = try core.takeSequence()
        let made = try content()
        let outcome: Result<ChangeSet, CacheError> = await withCheckedContinuation { continuation in
            let write = PendingWrite(
                sequence: sequence, time: time, tree: made.tree, extras: made.extras, isWipe: isWipe,
                isDurable: durability == .durable, completion: { continuation.resume(returning: $0) })
            do throws(CacheError) {
                try core.enqueue(write, schedulingDrain: true)
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        return try outcome.get()
    }
}
