import Dispatch
import GroveModel
import Synchronization

/// The writer: group commits, one after the other. All of it runs on ``writer`` only.
extension CacheCore {
    /// Group commit: everything queued goes into few transactions, in order.
    func drain(isScheduled: Bool) {
        let isStoreClosed = state.withLock { state in
            if isScheduled { state.isDrainScheduled = false }
            return state.isStoreClosed
        }
        while !isStoreClosed {
            let group = state.withLock { CacheCore.nextGroup($0.pending) }
            settle()
            guard !group.isEmpty else { return }
            let outcomes = commit(group)
            finish(group, outcomes)
        }
    }

    /// Tries again to forget what could not be stored.
    private func settle() {
        var unsettled = state.withLock { $0.unsettled }
        guard !unsettled.isEmpty else { return }
        if (try? transact(unsettled)) != nil {
            unsettled = []
        } else if unsettled.count > 1 {
            // One that the store refuses must not keep the others. Where it refuses everything, a few tell.
            var refused: [PendingWrite] = []
            while refused.count < 8, !unsettled.isEmpty {
                let write = unsettled.removeFirst()
                if (try? transact([write])) == nil { refused.append(write) }
            }
            unsettled += refused
        }
        state.withLock { $0.unsettled = unsettled }
    }

    private static func nextGroup(_ pending: [PendingWrite]) -> [PendingWrite] {
        var bytes = 0
        var count = 0
        for write in pending {
            if write.isWipe {
                if count == 0 { count = 1 }
                break
            }
            bytes += write.byteCount
            guard count == 0 || bytes <= GroupLimit.bytes else { break }
            count += 1
        }
        return Array(pending.prefix(count))
    }

    private func commit(_ group: [PendingWrite]) -> [Result<ChangeSet, CacheError>] {
        if let wipe = group.first, wipe.isWipe { return [wipeStore(wipe)] }
        do throws(CacheError) {
            return try transact(group).map { .success($0) }
        } catch {
            guard group.count > 1 else { return [.failure(error)] }
        }
        // One write that cannot be stored must not take its neighbours with it.
        return group.map { write in
            do throws(CacheError) {
                return .success(try transact([write])[0])
            } catch {
                return .failure(error)
            }
        }
    }

    private func transact(_ group: [PendingWrite]) throws(CacheError) -> [ChangeSet] {
        var changes: [ChangeSet] = []
        var committed: GroupSummary?
        var known: Fingerprints?
        defer { upcoming.withLock { $0 = nil } }
        let before = state.withLock { ($0.shift, $0.forgottenDeletion, $0.lastCommitted) }
        try store.transact { (transaction) throws(CacheError) in
            var commit = try GroupCommit(
                transaction, shift: before.0, lastCommitted: before.2, fingerprints: takeFingerprints())
            changes = []
            for write in group { changes.append(try commit.apply(write)) }
            try commit.finish()
            known = commit.takeFingerprints()
            committed = commit.summary
            upcoming.withLock { $0 = commit.summary }
        }
        if let known { fingerprints.withLock { $0 = known } }
        if let committed {
            state.withLock { state in
                state.shift = committed.shift
                state.forgottenDeletion = committed.forgottenDeletion
                state.lastCommitted = committed.sequence
            }
        }
        return changes
    }

    /// What is known of nodes, where the store is faster for it; nothing until it is put back.
    private func takeFingerprints() -> Fingerprints? {
        guard keepsFingerprints else { return nil }
        return fingerprints.withLock { known in
            defer { known = nil }
            return known ?? Fingerprints()
        }
    }

    private func wipeStore(_ wipe: PendingWrite) -> Result<ChangeSet, CacheError> {
        awaitReads()
        do throws(CacheError) {
            _ = takeFingerprints()
            try store.wipe()
            if let directory { try StoreDirectory.removeSetAside(directory) }
            state.withLock { state in
                state.forgottenDeletion = 0
                state.lastCommitted = 0
            }
            return .success(ChangeSet(sequence: wipe.sequence))
        } catch {
            return .failure(error)
        }
    }

    /// Lets the committed writes leave the queue, then tells whoever waits and whoever observes.
    private func finish(_ group: [PendingWrite], _ outcomes: [Result<ChangeSet, CacheError>]) {
        var waiting: [CheckedContinuation<Void, Never>] = []
        let observers = state.withLock { state in
            state.pending.removeFirst(group.count)
            for (write, outcome) in zip(group, outcomes) {
                state.pendingBytes -= write.byteCount
                guard case .failure(let error) = outcome else {
                    state.settle(by: write)
                    continue
                }
                guard write.completion == nil else { continue }
                if state.failure == nil { state.failure = error }
                // Nobody waited: what the store still holds under these keys is not what was last set.
                state.unsettled.append(write.isInvalidation ? write : write.invalidation)
            }
            if state.pendingBytes <= queueLimit / 2 || state.pending.isEmpty, !state.waiting.isEmpty {
                waiting = state.waiting
                state.waiting = []
            }
            return state.observers
        }
        for continuation in waiting { continuation.resume() }
        for (write, outcome) in zip(group, outcomes) { write.completion?(outcome) }
        guard !observers.isEmpty else { return }
        let isAwaited = group.map { $0.completion != nil }
        events.async {
            for (index, outcome) in outcomes.enumerated() {
                for observer in observers {
                    switch outcome {
                    case .success(let changes): if !changes.isEmpty { observer.cacheDidCommit(changes) }
                    case .failure(let error): if !isAwaited[index] { observer.cacheDidFailToWrite(error) }
                    }
                }
            }
        }
    }
}

/// The size of a group commit.
enum GroupLimit {
    /// A group closes once its writes hold this many bytes in memory; a larger write is a group of its own.
    static let bytes = 8 << 20
}
