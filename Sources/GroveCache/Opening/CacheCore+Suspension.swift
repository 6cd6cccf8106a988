import Dispatch
import GroveModel

/// A store that is let go of for a while, or for good.
///
/// All of it runs on ``writer``, but for what begins there; ``StoreLife`` has the transitions.
extension CacheCore {
    // MARK: Suspension

    /// Commits what is queued and lets go of every file and lock; calls are refused from the moment this begins.
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

    /// Commits what is queued and lets go of the store.
    func finishSuspension(since failures: Int) {
        guard case .suspending = state.withLock({ $0.life }) else { return }
        drain(isScheduled: false, since: failures)
        // A store in memory alone must not be closed: nothing would bring it back, and it holds no file.
        if source.isPersistent { letGo() } else { readers.awaitNone() }
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
    /// - Returns: why it cannot be.
    func finishResumption() -> CacheError? {
        let life = state.withLock { $0.life }
        switch life {
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
        // Keys that were set meanwhile are to be forgotten.
        drain(isScheduled: false)
        // Followers could not read what was committed just before, nor what other processes did.
        audience.tellFollowers(of: ChangeSet(sequence: .zero, changesEverything: true))
        return nil
    }

    /// Opens a store that was let go of; without what it held, if that is damaged as `damage` says.
    func takeUp(
        after damage: CacheError? = nil, _ transition: (inout StoreLife, OpenStore) -> Void
    ) throws(CacheError) {
        let opened = try source.opened(within: evictor, after: damage)
        let isOther = state.withLock { state in
            let isOther = state.isOther(opened)
            // Calls that were made before the suspension and come to the queue after it.
            if isOther { state.noteReplacement() }
            return isOther
        }
        adopt(opened, isOther: isOther, transition)
    }

    // MARK: Closing

    /// Commits what is queued, waits for reads, and closes the store.
    ///
    /// Calls after the first return when it is done.
    func close() {
        state.withLock { $0.life.beginClosing() }
        let failures = ledger.lockFailures
        writer.sync {
            guard case .closing = state.withLock({ $0.life }) else { return }
            takeUpToForget()
            drain(isScheduled: false, since: failures)
            letGo()
            state.withLock { $0.life.finishClosing() }
        }
    }

    /// Opens the store once more before the cache is closed, if calls came while it was suspended.
    ///
    /// The records that the calls would have replaced are to be forgotten. If the store cannot be opened, they stay.
    private func takeUpToForget() {
        guard case .closing(nil) = state.withLock({ $0.life }), state.withLock({ $0.overlay.hasLost }),
            let directory = source.directory, source.isPersistent, FileIdentity(directory) != nil
        else { return }
        try? takeUp { $0.reopenWhileClosing($1) }
    }
}
