import Dispatch
import GroveCoding
import GroveModel
import Synchronization

/// The queue of calls for the writer; every read sees at once those for which no caller waits.
extension CacheCore {
    /// Takes the number of a call that writes, at the moment it is made.
    ///
    /// - Parameter isAwaited: whether the caller is told the outcome. A call without an outcome takes its number even
    ///   while the cache is suspended, so that the keys it names are forgotten.
    func takeSequence(isAwaited: Bool = true) throws(CacheError) -> LocalNumber {
        try state.withLock { (state) throws(CacheError) in
            if isAwaited || state.life.isClosing { try state.life.checkUsable() }
            // Calls from before other processes replaced the files must not land in the new ones; later calls must.
            state.noticeReplacement()
            return state.numbers.take()
        }
    }

    /// Takes the number of a call inside a transaction, which has the writer's turn: the store stays until it is done.
    func takeNumber() -> LocalNumber {
        state.withLock { state in
            state.noticeReplacement()
            return state.numbers.take()
        }
    }

    /// A place between the calls that were made before and those that are made from now on.
    func place() -> StoredPlace {
        followers.notePlace()
        let time = ages.clock.ofCall
        return state.withLock { state in
            state.noticeReplacement()
            // No two places have the same number.
            let number = state.numbers.take()
            return StoredPlace(life: state.wipes.life, time: time, numbers: state.numbers.place(ofCall: number))
        }
    }

    /// The life that the store is in.
    var life: LifeID {
        state.withLock { state in
            state.noticeReplacement()
            return state.wipes.life
        }
    }

    /// A place whose number is not known yet.
    func unnumberedPlace() -> StoredPlace { StoredPlace(life: life, time: ages.clock.ofCall) }

    /// The place of a call of this number, which confirms nothing if it is saved again.
    func place(ofCall sequence: LocalNumber) -> StoredPlace {
        state.withLock { StoredPlace(life: $0.wipes.life, time: 0, numbers: $0.numbers.place(ofCall: sequence)) }
    }

    /// Queues `write`; if no caller waits for it, every read sees it from now on.
    ///
    /// - Throws: ``CacheError`` with code `closed` or `suspended`. With code `cancelled` if the call stores something
    ///   and the store was wiped since it was made, or since the place that it is as of.
    func enqueue(_ write: PendingWrite, schedulingDrain: Bool) throws(CacheError) {
        var isRefused = false
        let (mustSchedule, limit) = try state.withLock { (state) throws(CacheError) -> (Bool, Int) in
            do throws(CacheError) {
                try state.life.checkUsable()
            } catch {
                // The store does not hold what was last set under these keys: they are misses, once it is back.
                if error.code == .suspended, write.completion == nil { state.forget(write) }
                throw error
            }
            if state.isOfAnotherLife(write) { throw CacheError.isOfAnotherLife }
            guard write.sequence > state.numbers.wipedAt || write.isEmpty else {
                // If the wipe fails, or another process has put older files back, the store does not hold what was last
                // set.
                if write.completion == nil,
                    write.sequence <= state.numbers.replacedAt
                        || state.queue.calls.contains(where: { $0.isWipe && $0.sequence > write.sequence })
                {
                    state.forget(write)
                }
                throw CacheError(.cancelled, "The cache was wiped after the call was made.")
            }
            if write.isWipe { state.numbers.wipe(at: write.sequence) }
            // A wipe that no call asked for only forgets.
            if write.isWipe, write.completion != nil { state.wipes.life.wipe() }
            // Writes that callers wait for are held up elsewhere, and take no room from other writes.
            if write.completion == nil, write.kind != .invalidation,
                state.queue.unawaitedByteCount + write.byteCount > state.queue.limit
            {
                isRefused = true
                refuse(write, &state)
            } else {
                state.append(write)
            }
            guard schedulingDrain, !state.isDrainScheduled else { return (false, state.queue.limit) }
            state.isDrainScheduled = true
            return (true, state.queue.limit)
        }
        if mustSchedule { writer.async { self.drain(isScheduled: true) } }
        if isRefused {
            throw CacheError(
                .queueFull, "More than \(limit) bytes of writes are queued; what the call names is forgotten.")
        }
    }

    /// Queues an invalidation of the keys that `write` names; if there is no room even for that, a wipe.
    private func refuse(_ write: PendingWrite, _ state: inout CacheState) {
        // Behind a wipe for which no caller waits there is nothing to forget.
        if let last = state.queue.calls.last, last.isWipe, last.completion == nil { return }
        var refused = write.invalidation()
        if state.queue.unawaitedByteCount + refused.byteCount > state.queue.limit + state.overlay.lostLimit {
            refused = PendingWrite(sequence: write.sequence, kind: .wipe)
            state.numbers.wipe(at: write.sequence)
        }
        state.append(refused)
    }

    /// Commits the queued calls, on the calling thread, and returns when they are visible.
    func drainNow() {
        let failures = ledger.lockFailures
        writer.sync { _ = self.drain(isScheduled: false, since: failures) }
    }

    /// Returns when the queue has room for another write that is waited for or the task is cancelled, at once if it has
    /// or is.
    func awaitRoom() async {
        // Tasks that waited together look again one after the other: the first may have filled the queue.
        while let ticket = ticketUnlessRoom() {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let mustWait = state.withLock { state in
                        guard !hasRoom(state), !Task.isCancelled else { return false }
                        state.waiting.wait(ticket, continuation)
                        return true
                    }
                    if !mustWait { continuation.resume() }
                }
            } onCancel: {
                state.withLock { $0.waiting.leave(ticket) }?.resume()
            }
        }
    }

    /// A ticket for a task that has to wait; `nil` if the queue has room or the task is cancelled.
    private func ticketUnlessRoom() -> WaitingLine<Void>.Ticket? {
        state.withLock { state in
            hasRoom(state) || Task.isCancelled ? nil : state.waiting.drawTicket()
        }
    }

    func hasRoom(_ state: borrowing CacheState) -> Bool {
        guard state.life.phase == .open else { return true }
        return state.queue.awaitedByteCount <= state.queue.limit
    }

    /// Reports a write that failed before it could be queued: to `observer` alone, if the handle is closed.
    func reportFailure(_ error: CacheError, to observer: (any CacheObserver)?) {
        guard error.code == .closed else {
            ledger.noteUnawaited(error)
            return audience.tell { $0.cacheDidFailToWrite(error) }
        }
        guard let observer else { return }
        audience.tell([observer]) { $0.failure(error) }
    }
}

extension CacheState {
    /// Whether `write` speaks as of a place in another life of the cache, or was made before a wipe that takes it
    /// along.
    func isOfAnotherLife(_ write: PendingWrite) -> Bool {
        write.asOf.map { $0.life != wipes.life } ?? false || write.content.wipes.map { $0 != wipes.life.wipes } ?? false
    }

    /// Begins another life of the cache; returns the queued calls that are of an earlier one.
    ///
    /// They were queued while the transaction ran that ended that life.
    mutating func beginLife() -> [PendingWrite] {
        wipes.life.wipe()
        return queue.calls.filter { isOfAnotherLife($0) }
    }

}

extension CacheError {
    /// The error of an answer that was asked for before a wipe and comes after it.
    static var isOfAnotherLife: CacheError {
        CacheError(.cancelled, "The place is of before a wipe, or of another handle.")
    }
}
