import Dispatch
import GroveModel

/// Users' transactions: each has the writer's turn, from before its body begins until its commit is visible.
extension CacheCore {
    /// Runs `body` in a transaction after everything queued before has committed, on ``writer``.
    ///
    /// - Parameter failures: how often a lock had been waited for in vain when the caller began to wait for its turn.
    /// - Throws: what `body` throws, and ``CacheError`` if the transaction cannot be begun or committed: nothing was
    ///   stored.
    func runTransaction<Value>(
        _ durability: Durability, since failures: Int, _ body: (TransactionScope) throws -> Value
    ) throws -> Value {
        try state.withLock { (state) throws(CacheError) in try state.life.checkUsable() }
        if let failure = drain(isScheduled: false, since: failures) { throw failure }
        let room = try prepareTransaction()
        let limit = evictor.map { TransactionLimit($0) } ?? TransactionLimit()
        let (everything, lost) = state.withLock { state in
            (state.overlay.everything, state.overlay.hasLost ? state.overlay.lastPlace : nil)
        }
        if everything != nil {
            throw CacheError(.inputOutput, "The store failed, and could not be emptied since; each call tries again.")
        }
        var outcome: Result<Value, any Error>?
        var changes = ChangeSetUnion(sequence: .zero)
        var durability = durability
        var deletedTypes: Set<ObjectIdentifier> = []
        var made: [PendingWrite] = []
        var tokens: CommitTokens?
        var postponed: PostponedWrites?
        do throws(CacheError) {
            tokens = try transact(isBuffered: limit.isLimited) { (commit) throws(CacheError) in
                let payload = payloadLimit(of: commit)
                try unsafe withUnsafeMutablePointer(to: &commit) { (commit) throws(CacheError) in
                    let scope = unsafe TransactionScope(self, commit, limit)
                    // Lost keys are misses to this transaction too.
                    scope.begin(lost.map { PendingReads(ofTransaction: self, at: $0) })
                    defer { scope.end() }
                    outcome = Result { try body(scope) }
                    if let failure = scope.failure ?? scope.reader.streamFailure { throw failure }
                    if scope.durability == .durable { durability = .durable }
                    deletedTypes = scope.deletedTypes
                    guard case .success = outcome else { throw .isGivenUp }
                    try checkIsCurrent()
                    made = scope.writes
                    if let buffer = unsafe commit.pointee.buffer, let evictor {
                        postponed = PostponedWrites(made, buffer, evictor)
                        guard room.holds(buffer) else { throw .needsRoom }
                        try unsafe commit.pointee.flush()
                    }
                    changes.add(scope.changes.changeSet)
                    changes.evict(try unsafe commit.pointee.settle(payload))
                    unsafe commit.pointee.history.add(changes.changeSet)
                }
            }
        } catch {
            if case .failure(let own) = outcome { throw own }
            do throws(CacheError) {
                guard error.code == .full, let postponed else { throw error }
                (changes, tokens) = try transact(postponed)
            } catch {
                ledger.note(writes: 1, failed: 1)
                throw readers.openViews.explain(error)
            }
        }
        let orphans = state.withLock { state in
            state.settle(by: made)
            return deletedTypes.isEmpty ? [] : state.beginLife()
        }
        var set = changes.changeSet
        set.deletedTypes = deletedTypes
        set.token = tokens?.after
        set.commitNumber = tokens?.commit ?? .zero
        ledger.note(writes: 1)
        tellAudience(of: [(isAnswered: true, outcome: .success(set))])
        failQueued(orphans, .isOfAnotherLife)
        if durability == .durable, let failure = synchronizeStore() { throw failure }
        guard let outcome else { throw CacheError.isGivenUp }
        return try outcome.get()
    }

    /// Makes the room that a transaction needed and did not have, and writes it again.
    ///
    /// - Throws: ``CacheError`` with code `cancelled` if another process has written since the transaction began.
    private func transact(
        _ postponed: PostponedWrites
    ) throws(CacheError) -> (ChangeSetUnion, CommitTokens?) {
        let evictor = postponed.evictor
        // Records that the transaction changes are not evicted to make room for it.
        evictor.spared = postponed.keys
        defer { evictor.spared = [] }
        var changes = ChangeSetUnion(sequence: .zero)
        let tokens = try makingRoom(for: historyLimit.added(to: postponed.load), evictor) { () throws(CacheError) in
            changes = ChangeSetUnion(sequence: .zero)
            return try transact { (commit) throws(CacheError) in
                guard evictor.foreignCommits == postponed.foreignCommits else {
                    throw CacheError(
                        .cancelled, "Another process wrote while room was made for the transaction; write it again.")
                }
                let payload = payloadLimit(of: commit)
                for write in postponed.writes { changes.add(try commit.stage(write)) }
                changes.evict(try commit.settle(payload))
                commit.history.add(changes.changeSet)
            }
        }
        return (changes, tokens)
    }

    /// Sees to it that a transaction of usual size has room, within a budget; returns how much that is.
    private func prepareTransaction() throws(CacheError) -> WriteLoad {
        guard let evictor, evictor.budget.bytes != nil else {
            return WriteLoad(entries: .max, replaced: .max, evictions: 0, bytes: .max)
        }
        _ = try currentStore()
        let load = WriteLoad(
            entries: 64, replaced: 32, evictions: EvictionWork.evictions(beside: 64),
            bytes: min(evictor.capacity / 32, 256 << 10))
        // Twice as much, because pages are not full.
        try makeRoom(ofPayload: 2 * load.bytes, evictor)
        try makeRoom(for: historyLimit.added(to: load), giving: evictor.capacity / 2, evictor)
        return load
    }
}

extension CacheError {
    /// Ends a transaction whose user has thrown; no caller sees it.
    static var isGivenUp: CacheError { CacheError(.cancelled, "The transaction was given up.") }

    /// Ends a transaction that is to be written again; no caller sees it.
    fileprivate static var needsRoom: CacheError { CacheError(.full, "The transaction needs more room.") }
}

/// The writes of a transaction, to be written again.
private struct PostponedWrites {
    let writes: [PendingWrite]
    let load: WriteLoad
    /// The hashes of all keys that it changes.
    let keys: Set<UInt64>
    let evictor: Evictor
    /// ``Evictor/foreignCommits`` as the transaction found it.
    let foreignCommits: Int

    init(_ writes: [PendingWrite], _ buffer: BufferedTransaction, _ evictor: Evictor) {
        self.writes = writes
        self.evictor = evictor
        load = WriteLoad(
            entries: buffer.putCount, replaced: buffer.replacedCount,
            evictions: EvictionWork.evictions(beside: buffer.putCount), bytes: buffer.putBytes)
        keys = Set(buffer.keys.map { key in unsafe key.withUnsafeBytes { unsafe Evictor.hash($0) } })
        foreignCommits = evictor.foreignCommits
    }
}

extension WriteLoad {
    /// Whether the room that was made for this holds what `buffer` has.
    fileprivate func holds(_ buffer: BufferedTransaction) -> Bool {
        buffer.putCount <= entries && buffer.replacedCount <= replaced && buffer.putBytes <= bytes
    }
}
