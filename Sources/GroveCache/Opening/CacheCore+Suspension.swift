import Dispatch
import GroveModel

/// The letting go of a store for a while, or for good.
///
/// All of it runs on ``writer``, but for the parts that begin there; ``StoreLife`` has the transitions.
extension CacheCore {
    // MARK: Suspension

    /// Commits the queued calls and lets go of every file and lock; calls are refused from the moment this begins.
    ///
    /// - Throws: ``CacheError`` with code `closed` or `reentrant`.
    func suspend() throws(CacheError) {
        try beginSuspension()
        let failures = ledger.lockFailures
        writer.sync { finishSuspension(since: failures) }
    }

    /// Refuses calls from now on; ``finishSuspension(since:)`` must follow on ``writer``.
    func beginSuspension() throws(CacheError) {
        try checkReentrance()
        try state.withLock { (state) throws(CacheError) in try state.life.beginSuspension() }
    }

    /// Commits the queued calls and lets go of the store.
    func finishSuspension(since failures: Int) {
        guard state.withLock({ $0.life.phase }) == .suspending else { return }
        drain(isScheduled: false, since: failures)
        // A store in memory must not be closed: its content could not be brought back, and it holds no file.
        if source.isPersistent {
            // Calls that are refused from now on are later than what other processes have committed. Files that were
            // removed are not made again.
            if let store = state.withLock({ $0.usableStore }) { learn(of: store) }
            letGo()
        } else {
            readers.awaitNone()
        }
        state.withLock { $0.life.finishSuspension() }
    }

    /// Opens the store again, and calls are taken again; nothing happens if it was not suspended.
    ///
    /// - Throws: ``CacheError`` with code `closed` or `reentrant`, and what opening throws: then it stays suspended.
    func resume() throws(CacheError) {
        try checkReentrance()
        let failure = writer.sync { finishResumption() }
        if let failure { throw failure }
    }

    /// Opens the store again.
    ///
    /// - Returns: the error if it cannot be opened.
    func finishResumption() -> CacheError? {
        let life = state.withLock { $0.life }
        switch life.phase {
        case .open: return nil
        case .closing, .closed: return .isClosed
        case .suspending, .suspended: break
        }
        do throws(CacheError) {
            if let store = life.currentStore {
                state.withLock { $0.life.resume(store) }
            } else {
                try takeUp { $0.resume($1) }
            }
        } catch {
            return error
        }
        // The records that calls meanwhile would have replaced are to be forgotten.
        drain(isScheduled: false)
        // Followers could not read the last commits before the suspension, nor those of other processes.
        audience.tellFollowers(of: ChangeSet(sequence: .zero, changesEverything: true))
        return nil
    }

    /// Opens the store, and lets go of one that is open; without its records, if `damage` says that they are damaged.
    func takeUp(
        after damage: CacheError? = nil, _ transition: (inout StoreLife, OpenStore) -> Void
    ) throws(CacheError) {
        letGo()
        let opened = try source.opened(within: evictor, after: damage)
        let isOther = state.withLock { state in
            let isOther = state.isOther(opened)
            // There may be calls that were made before the suspension and come to the queue after it.
            if isOther { state.noteReplacement() }
            return isOther
        }
        adopt(opened, isOther: isOther, transition)
    }

    // MARK: Closing

    /// Commits the queued calls, waits for reads, and closes the store.
    ///
    /// Calls after the first return when it is done.
    func close() {
        state.withLock { $0.life.beginClosing() }
        let failures = ledger.lockFailures
        writer.sync {
            guard state.withLock({ $0.life.phase }) == .closing else { return }
            takeUpToForget()
            drain(isScheduled: false, since: failures)
            letGo()
            state.withLock { $0.life.finishClosing() }
        }
    }

    /// Opens the store once more before the cache is closed, if calls during a suspension are to forget records.
    ///
    /// These are the records that the calls would have replaced; if the store cannot be opened, they stay.
    private func takeUpToForget() {
        guard state.withLock({ $0.life.phase == .closing && !$0.life.mayCommit && $0.overlay.hasLost }),
            let directory = source.directory, source.isPersistent, FileIdentity(directory) != nil
        else { return }
        try? takeUp { $0.adopt($1) }
    }
}
