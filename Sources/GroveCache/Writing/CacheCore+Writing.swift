import Dispatch
import GroveCoding
import GroveModel
import Synchronization

/// The writer: group commits, one after the other. All of it runs on ``writer`` only.
extension CacheCore {
    /// Group commit: everything queued goes into few transactions, in order.
    ///
    /// A lock that another process holds is waited for once: all calls that are queued then fail with the one that
    /// waited. Room within a budget is waited for once, too: each call is tried, but does not wait again.
    ///
    /// - Parameter failures: how often such a wait had been in vain when the caller began to wait for its turn; as
    ///   often as until now, if that is `nil`.
    /// - Returns: the error of the lock, if it could not be had.
    @discardableResult
    func drain(isScheduled: Bool, since failures: Int? = nil) -> CacheError? {
        let mayCommit = state.withLock { state in
            if isScheduled { state.isDrainScheduled = false }
            return state.life.mayCommit
        }
        let failures = failures ?? ledger.lockFailures
        evictor?.hasWaited = false
        while mayCommit, state.withLock({ !$0.queue.isEmpty || $0.overlay.hasLost }) {
            let lockFailure = ledger.lockFailure(since: failures)
            // A wipe needs no lock of the engine's.
            if let lockFailure, !state.withLock({ $0.isWipeNext }) {
                failUpToWipe(lockFailure)
                guard state.withLock({ $0.isWipeNext }) else { break }
            }
            let outdated = reopenIfReplaced()
            if outdated == nil, lockFailure == nil {
                settle()
                if ledger.lockFailure(since: failures) != nil { continue }
            }
            let group = state.withLock { nextGroup($0.queue.calls) }
            guard !group.isEmpty else { break }
            let settled = outdated.map { error in group.compactMap { fail($0, error) } } ?? commit(group)
            finish(settled, synchronizationFailure: synchronize(settled))
        }
        guard mayCommit else { return nil }
        sweep()
        // The touches are saved once most of them have changed.
        if evictor?.isWorthSaving == true { saveTouches() }
        return ledger.lockFailure(since: failures)
    }

    /// Fails the calls that are queued before a wipe; later calls wait for the lock again.
    private func failUpToWipe(_ error: CacheError) {
        failQueued(state.withLock { Array($0.queue.calls.prefix { !$0.isWipe }) }, error)
    }

    /// Fails calls that wait in the queue, and tells their callers.
    func failQueued(_ calls: [PendingWrite], _ error: CacheError) {
        let settled = calls.compactMap { fail($0, error) }
        if !settled.isEmpty { finish(settled, synchronizationFailure: nil) }
    }

    /// Tries again to forget lost keys, and tells the audience of those that are forgotten.
    private func settle() {
        let (hasLost, everything) = state.withLock { ($0.overlay.hasLost, $0.overlay.everything) }
        guard hasLost else { return }
        if let number = everything {
            let wipe = PendingWrite(sequence: number, kind: .wipe)
            guard case .success(let changes) = wipeStore(wipe) else { return }
            state.withLock { state in
                state.settle(by: [wipe])
                // An older call that comes late would bring back what a call that failed had replaced.
                state.numbers.wipe(at: number)
            }
            return audience.tell(of: changes)
        }
        // A key that the store refuses must not keep the rest: an invalidation that fails is tried in halves. One half
        // is tried to the end before the other, so that a few dozen failures in a row mean that the store refuses
        // everything. What was lost behind a call that is still queued is forgotten behind it: else that call would be
        // the last to set it.
        let first = state.withLock { $0.queue.calls.map(\.sequence).min() }
        let lost = overlay.lost.filter { lost in first.map { lost.sequence < $0 } ?? true }
        guard !lost.isEmpty else { return }
        let tried = Set(lost.map { ObjectIdentifier($0) })
        var left = [PendingWrite(forgettingAll: lost)]
        var failures = 0
        while failures < 24, let write = left.popLast() {
            do throws(CacheError) {
                for change in try transact([write], isQueued: false) { audience.tell(of: change) }
                state.withLock { $0.settle(tried, by: write) }
                failures = 0
            } catch {
                if error.code == .locked { return }
                failures += 1
                left += write.halves
            }
        }
    }

    private func nextGroup(_ pending: [PendingWrite]) -> [PendingWrite] {
        var bytes = 0
        var count = 0
        var entries = 0
        for write in pending {
            if write.isWipe {
                if count == 0 { count = 1 }
                break
            }
            bytes += write.byteCount
            entries += write.entryCount
            guard count == 0 || bytes <= groupBytes && entries <= groupEntries else { break }
            count += 1
        }
        return Array(pending.prefix(count))
    }

    /// A call that left the queue, and its outcome.
    private typealias Settled = (write: PendingWrite, outcome: Result<ChangeSet, CacheError>)

    /// Commits `group`, the first calls of the queue; each leaves it with its own commit or failure.
    private func commit(_ group: [PendingWrite]) -> [Settled] {
        if let wipe = group.first, wipe.isWipe {
            let outcome = wipeStore(wipe)
            if case .failure(let error) = outcome { return [fail(wipe, error)].compactMap(\.self) }
            state.withLock { $0.leave([wipe]) }
            return [(wipe, outcome)]
        }
        do throws(CacheError) {
            return zip(group, try transactWithinBudget(group)).map { ($0, .success($1)) }
        } catch {
            // Calls from before another process replaced the files do not land in the new ones. A lock that cannot be
            // had fails all of them.
            guard error.code != .cancelled, error.code != .locked else { return group.compactMap { fail($0, error) } }
            if group.count == 1 { return [fail(group[0], error)].compactMap(\.self) }
        }
        // One write that cannot be stored must not take its neighbours with it.
        return group.compactMap { write in
            do throws(CacheError) {
                return (write, .success(try transactWithinBudget([write])[0]))
            } catch {
                return fail(write, error)
            }
        }
    }

    /// Takes `write`, which failed, out of the queue: its keys are misses before any later call commits.
    ///
    /// - Returns: `nil` if the write was dropped before, and its caller told so.
    private func fail(_ write: PendingWrite, _ error: CacheError) -> Settled? {
        guard state.withLock({ $0.fail(write) }) else { return nil }
        ledger.note(failed: 1)
        if write.completion == nil, error.code != .cancelled, !write.isAnswered(error) { ledger.noteUnawaited(error) }
        return (write, .failure(error))
    }

    /// Applies the calls of `group`, which wait in the queue or did so.
    func transact(_ group: [PendingWrite], isQueued: Bool = true) throws(CacheError) -> [ChangeSet] {
        var changes: [ChangeSet] = []
        let tokens = try transact(leaving: isQueued ? group : []) { (commit) throws(CacheError) in
            changes = []
            // If the store was opened again a moment ago, the calls were dropped and their callers told so.
            guard !isQueued || state.withLock({ $0.queue.contains(group[0]) }) else { throw CacheCore.replaced }
            for write in group { changes.append(try commit.apply(write, limit: payloadLimit(of: commit))) }
        }
        return changes.stamped(tokens)
    }

    /// Throws if another process replaced the files while the transaction waited to begin: it would land in files that
    /// are gone.
    ///
    /// - Throws: ``CacheError`` with code `cancelled`.
    func checkIsCurrent() throws(CacheError) {
        if state.withLock({ $0.usableStore }) == nil { throw CacheCore.replaced }
    }

    private static var replaced: CacheError {
        CacheError(.cancelled, "The store was replaced while the call waited to be written.")
    }

    /// Runs one transaction and remembers its results.
    ///
    /// - Parameters:
    ///   - group: the first calls of the queue, which the transaction commits: they leave the queue with it.
    ///   - isBuffered: whether the engine gets what is written when `body` says so, and not before.
    /// - Returns: the commit; `nil` if there was none.
    @discardableResult
    func transact(
        leaving group: [PendingWrite] = [], isBuffered: Bool = false,
        _ body: (inout WriteTransaction) throws(CacheError) -> Void
    ) throws(CacheError) -> CommitTokens? {
        var committed: TransactionSummary?
        var others: [ChangeSet] = []
        let (numbers, known) = state.withLock { ($0.numbers, $0.commits.last) }
        let history = historyLimit
        do throws(CacheError) {
            try currentStore().transact { (transaction) throws(CacheError) in
                try checkIsCurrent()
                var commit = try WriteTransaction(
                    isBuffered ? BufferedTransaction(transaction) : transaction, session: opening.session,
                    shift: numbers.shift, lastCommitted: numbers.committed,
                    eviction: EvictionWork(
                        evictor, clock: evictor == nil ? .nan : ages.clock.ofRead, shows: audience.streams.shows),
                    renewal: ages.renewal.seconds, history: history,
                    lists: ListWork(
                        followers.neededLog,
                        mostTold: audience.streams.isFollowed ? .max : history.mostElementsTold))
                others = changesOfOthers(
                    after: known, commit.stored, in: transaction)
                try commit.prepareAccount()
                absorbTouches()
                try body(&commit)
                try commit.finish()
                committed = commit.summary
                followers.ownEdits.announce(group, commit.summary.stored.commit)
                ledger.upcoming.withLock { $0 = commit.summary }
            }
        } catch {
            ledger.upcoming.withLock { $0 = nil }
            followers.ownEdits.withdraw(group)
            evictor?.abort()
            ledger.noteLockFailure(error)
            if error.code != .cancelled, !noticeIfReplaced() {
                noteDamage(error, in: state.withLock { $0.life.currentStore })
            }
            throw error
        }
        guard let committed else { return nil }
        evictor?.commit(committed.stored)
        followers.listLog.append(committed.listEdits)
        let unneeded = state.withLock { state in
            state.countCommit()
            state.numbers.commit(committed)
            state.commits.note(committed.stored, of: opening.session)
            state.leave(group)
            ledger.upcoming.withLock { $0 = nil }
            return state.overlay.takeUnneeded()
        }
        overlay.remove(unneeded)
        for set in others { audience.tell(of: set) }
        if let released = evictor?.pins.takeReleased(), released > 0 {
            audience.tell { $0.cacheDidReleasePins(released) }
        }
        ledger.note(committed)
        return CommitTokens(committed, hasHistory: history.places > 0)
    }

    /// Makes commits survive loss of power, if a call in the group asks for that.
    ///
    /// - Returns: the error, if they may not survive it.
    private func synchronize(_ settled: [Settled]) -> CacheError? {
        guard settled.contains(where: { $0.write.isDurable && (try? $0.outcome.get()) != nil }) else { return nil }
        return synchronizeStore()
    }

    /// Makes commits survive loss of power.
    ///
    /// - Returns: the error, if they may not survive it.
    func synchronizeStore() -> CacheError? {
        if let failure = ledger.synchronizationFailure { return failure }
        let store: any NodeStore
        do throws(CacheError) {
            store = try currentStore()
        } catch {
            return error
        }
        do throws(CacheError) {
            try store.synchronize()
        } catch {
            // A store that is opened again has nothing that could not be synced.
            if noticeIfReplaced() { return error }
            // The system has reported the data that it could not write, and may take it for written from now on.
            let lasting = CacheError(
                error.code, "Since a sync failed, writes may not survive loss of power: \(error.message)")
            ledger.synchronizationFailure = lasting
            return error
        }
        // The synced files may be gone from the directory; if a store is being replaced, its main file goes first.
        let lost = source.lostCompanion
        if noticeIfReplaced() {
            return CacheError(
                .inputOutput, "The files in \(source.directory ?? "") were removed or replaced meanwhile; write again.")
        }
        return lost.map { CacheError(.inputOutput, "The file \($0) was removed; close the cache and open it again.") }
    }

    private func wipeStore(_ wipe: PendingWrite) -> Result<ChangeSet, CacheError> {
        readers.awaitNone()
        do throws(CacheError) {
            // The files that are to be empty are those in the directory.
            noticeIfReplaced()
            let store = try currentStore()
            // The file that is gone for a moment is not taken for one that another process replaced.
            state.withLock { $0.files.identity = nil }
            defer { state.withLock { $0.files.identity = source.file } }
            // A wipe that no call asked for forgets all but the kept records.
            let isAsked = wipe.completion != nil
            var stored = StoreState()
            _ = try source.replacing { (generation) throws(CacheError) in
                if let generation { state.withLock { $0.advance(generation) } }
                if isAsked {
                    try store.wipe()
                } else {
                    stored = try KeptRecords(in: store, source.directory).empty(store, in: source.directory)
                }
                if let generation, isAsked { state.withLock { $0.wipes.count(generation) } }
                if let directory = source.directory {
                    try StoreDirectory.removeSetAside(directory)
                    if isAsked { KeptRecords.removeSaved(in: directory) }
                }
                wipeBudget()
            }
            let shift = state.withLock { [stored] state in
                state.numbers.empty()
                state.commits.begin(stored)
                return state.numbers.shift
            }
            followers.listLog.removeAll()
            ledger.synchronizationFailure = nil
            var changes = ChangeSet(sequence: wipe.sequence.number(shiftedBy: shift), changesEverything: true)
            changes.isWipe = isAsked
            changes.origin = wipe.origin
            return .success(changes)
        } catch {
            ledger.noteLockFailure(error)
            return .failure(error)
        }
    }

    /// Tells the callers that wait, and the audience, the outcomes of calls that left the queue.
    private func finish(_ settled: [Settled], synchronizationFailure: CacheError?) {
        func isUnsynchronized(_ settled: Settled) -> Bool {
            synchronizationFailure != nil && settled.write.isDurable && settled.outcome.failure == nil
        }
        let unsynchronized = synchronizationFailure == nil ? 0 : settled.count(where: isUnsynchronized)
        ledger.note(writes: settled.count, failed: unsynchronized)
        let waiting = state.withLock { state in
            let hasRoom = state.queue.awaitedByteCount <= state.queue.limit / 2
            return hasRoom ? state.waiting.takeAll() : []
        }
        tellAudience(
            of: settled.map { write, outcome in
                (
                    isAnswered: write.completion != nil || write.isAnswered(outcome.failure),
                    outcome: outcome.mapError { $0.concerning(optional: write.subject) }
                )
            }, unsynchronized > 0 ? synchronizationFailure : nil)
        for continuation in waiting { continuation.resume() }
        for entry in settled {
            if let settled = entry.write.settled {
                settled(entry.outcome.map { !$0.isSuperseded })
            }
            if let synchronizationFailure, isUnsynchronized(entry) {
                entry.write.completion?(.failure(synchronizationFailure))
            } else {
                entry.write.completion?(entry.outcome)
            }
        }
    }

    /// Tells observers and streams the outcomes of a group, in the order of the commits.
    func tellAudience(
        of outcomes: @autoclosure () -> [(isAnswered: Bool, outcome: Result<ChangeSet, CacheError>)],
        _ synchronizationFailure: CacheError? = nil
    ) {
        guard !audience.isEmpty else { return }
        let report = takeReport()
        let outcomes = outcomes()
        audience.tell(audience.present) { tell in
            for (isAnswered, outcome) in outcomes {
                switch outcome {
                case .success(let set): tell.change(set)
                case .failure(let error): if !isAnswered { tell.failure(error) }
                }
            }
            if let synchronizationFailure { tell.failure(synchronizationFailure) }
            for observer in tell.observers { observer.cacheDidFinishCommit(report) }
        }
    }
}

extension PendingWrite {
    /// Whether the follower that made this edit makes up for its failure by storing the whole list.
    fileprivate func isAnswered(_ error: CacheError?) -> Bool { content.ticket != .none && error?.code == .outOfRange }
}

extension Result {
    fileprivate var failure: Failure? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}
