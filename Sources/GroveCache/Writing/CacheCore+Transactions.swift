import Dispatch
import GroveModel

/// Users' transactions: each has the writer's turn, from before its body begins until its commit is visible.
extension CacheCore {
    /// Runs `body` in a transaction after everything queued before has committed, on ``writer``.
    ///
    /// - Parameter failures: how often a lock had been waited for in vain when the caller began to wait for its turn.
    /// - Throws: what `body` throws, and ``CacheError`` where the transaction cannot be begun or committed: nothing was stored.
    func runTransaction<Value>(
        _ durability: Durability, since failures: Int, _ body: (TransactionScope) throws -> Value
    ) throws -> Value {
        try state.withLock { (state) throws(CacheError) in try state.life.checkUsable() }
        if let failure = drain(isScheduled: false, since: failures) { throw failure }
        let limit = try prepareTransaction()
        let failed = state.withLock { $0.failedWrites }
        if failed.everything != nil {
            throw CacheError(.inputOutput, "The store failed, and could not be emptied since; each call tries again.")
        }
        var outcome: Result<Value, any Error>?
        var changes = ChangeSetUnion(sequence: 0)
        var durability = durability
        var deletedTypes: Set<ObjectIdentifier> = []
        var made: [PendingWrite] = []
        var tokens: CommitTokens?
        do throws(CacheError) {
            tokens = try transact { (commit) throws(CacheError) in
                let payload = payloadLimit(of: commit)
                try unsafe withUnsafeMutablePointer(to: &commit) { (commit) throws(CacheError) in
                    let scope = unsafe TransactionScope(self, commit, limit)
                    // What could not be stored is not what was last set: a miss to this transaction too.
                    scope.begin(failed.writes)
                    defer { scope.end() }
                    outcome = Result { try body(scope) }
                    if let failure = scope.failure ?? scope.reader.streamFailure { throw failure }
                    if scope.durability == .durable { durability = .durable }
                    deletedTypes = scope.deletedTypes
                    guard case .success = outcome else { throw .isGivenUp }
                    try checkIsCurrent()
                    made = scope.writes
                    changes.add(scope.changes.changeSet)
                    changes.evict(try unsafe commit.pointee.settle(payload))
                    unsafe commit.pointee.history.add(changes.changeSet)
                }
            }
        } catch {
            // The engine took more than was expected: the next attempt finds more room.
            if error.code == .full, let evictor, evictor.budget.bytes != nil {
                _ = try? freePayload(evictor.capacity / 16)
            }
            guard case .failure(let own) = outcome else {
                ledger.noteFailures(1)
                throw openViews.explain(error)
            }
            throw own
        }
        state.withLock { state in
            state.settle(by: made)
            if !deletedTypes.isEmpty { state.lifeNumber += 1 }
        }
        var set = changes.changeSet
        set.deletedTypes = deletedTypes
        set.token = tokens?.after
        tellAudience(of: set)
        if durability == .durable, let failure = synchronizeStore() { throw failure }
        guard let outcome else { throw CacheError.isGivenUp }
        return try outcome.get()
    }

    /// Sees to it that a transaction has room, within a budget; returns how much it may write.
    private func prepareTransaction() throws(CacheError) -> TransactionLimit {
        guard let evictor, evictor.budget.isLimited else { return TransactionLimit() }
        var limit = TransactionLimit()
        if let bytes = evictor.budget.bytes {
            limit = TransactionLimit(entries: max(bytes / 65_536, 64), bytes: min(evictor.capacity / 8, 2 << 20))
            _ = try currentStore()
            // All that it may write: once its body runs it cannot be made to wait for more.
            let load = historyLimit.added(
                to: WriteLoad(
                    entries: limit.entries, replaced: limit.entries / 2,
                    evictions: WriteTransaction.evictions(beside: limit.entries), bytes: limit.bytes))
            let store = state.withLock { $0.life.currentStore?.budgeted }
            // Twice as much, because pages are not full.
            try makeRoom(ofPayload: 2 * limit.bytes, evictor, store)
            try makeRoom(for: load, giving: evictor.capacity / 2, evictor, store)
        }
        if let nodes = evictor.budget.nodes { limit.entries = min(limit.entries, nodes) }
        return limit
    }

    private func tellAudience(of set: ChangeSet) {
        let (queued, bytes) = state.withLock { ($0.queue.calls.count, $0.queue.byteCount) }
        let report = ledger.takeReport(writes: 1, failed: 0, queued: queued, bytes: bytes)
        guard !audience.isEmpty else { return }
        audience.tell(audience.present) { tell in
            tell.change(set)
            for observer in tell.observers { observer.cacheDidFinishCommit(report) }
        }
    }
}

extension CacheError {
    /// Ends a transaction whose user has thrown; no caller sees it.
    static var isGivenUp: CacheError { CacheError(.cancelled, "The transaction was given up.") }
}
