import Dispatch
public import GroveModel
import Synchronization

/// Writes for tasks: each does the same as the synchronous form of its name, without blocking the caller's thread.
///
/// Cancellation is honoured before the write is queued, with code `cancelled`, and never afterwards. Single writes
/// are in ``Cache``.
extension Cache {
    /// Runs `body` in one transaction, as the synchronous form does, on the writer's queue.
    ///
    /// ```swift
    /// try await cache.write { tx in
    ///     guard var draft = try tx.model(Draft.self, id: "new") else { return }
    ///     draft.text += "!"
    ///     try tx.write(draft)
    /// }
    /// ```
    ///
    /// Cancellation is honoured until the transaction's turn comes, with code `cancelled`, and not afterwards.
    @discardableResult
    public func write<Value: Sendable>(
        durability: Durability = .standard, _ body: @escaping @Sendable (borrowing CacheTransaction) throws -> Value
    ) async throws -> Value {
        try checkOpen()
        guard !Task.isCancelled else { throw CacheError.isCancelled }
        await core.followers.line.pass()
        let isCancelled = Atomic(false)
        let failures = core.ledger.lockFailures
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                core.writer.async { [core] in
                    continuation.resume(
                        with: Result {
                            guard !isCancelled.load(ordering: .relaxed) else { throw CacheError.isCancelled }
                            return try core.runTransaction(durability, since: failures) { scope in
                                try body(CacheTransaction(scope: scope))
                            }
                        })
                }
            }
        } onCancel: {
            isCancelled.store(true, ordering: .relaxed)
        }
    }

    /// Empties the cache as the synchronous form does.
    ///
    /// ```swift
    /// try await cache.wipe()  // the user has signed out
    /// ```
    public func wipe() async throws(CacheError) {
        _ = try await performAsync(isWipe: true) { () throws(CacheError) in PendingWrite.Content() }
    }

    /// Flushes as the synchronous form does.
    ///
    /// ```swift
    /// cache.setModel(message, forKey: "Message:34", context: nil)
    /// try await cache.flush(.durable)
    /// ```
    public func flush(_ durability: Durability = .standard) async throws(CacheError) {
        var failure: CacheError?
        do throws(CacheError) {
            _ = try await performAsync(durability) { () throws(CacheError) in PendingWrite.Content() }
        } catch {
            failure = error
        }
        // An earlier failure in the queue is the cause, and is told once, even if the flush's own commit fails.
        if let failure = core.ledger.takeFailure() ?? failure { throw failure }
    }

    @discardableResult
    func performAsync(
        _ durability: Durability = .standard, isWipe: Bool = false,
        _ content: () throws(CacheError) -> PendingWrite.Content
    ) async throws(CacheError) -> ChangeSet {
        try checkOpen()
        guard !Task.isCancelled else { throw CacheError.isCancelled }
        await core.followers.line.pass()
        await core.awaitRoom()
        guard !Task.isCancelled else { throw CacheError.isCancelled }
        let outcome: Result<ChangeSet, CacheError> = await withCheckedContinuation { continuation in
            do throws(CacheError) {
                try enqueue(durability, isWipe: isWipe, schedulingDrain: true, content) {
                    continuation.resume(returning: $0)
                }
            } catch {
                continuation.resume(returning: .failure(error))
            }
        }
        return try outcome.get()
    }
}
