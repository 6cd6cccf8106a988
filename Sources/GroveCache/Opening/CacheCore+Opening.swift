import Dispatch
import GroveModel
import Synchronization

/// The store opened again: after other processes replaced its files, and after a suspension.
///
/// All of it runs on ``writer``, but for what begins there. That the files were replaced shows in the word of their
/// generation, which every call compares; that something removed them without Grove's knowledge shows in the identity of the
/// main file, which is looked at where a store is opened or resumed, before a wipe, after a sync and after an engine's error.
extension CacheCore {
    // MARK: Replaced files

    /// The store that is open and the one to use; it is opened again where others replaced its files.
    ///
    /// - Throws: ``CacheError`` as opening does.
    func currentStore() throws(CacheError) -> any NodeStore {
        if let current = state.withLock({ $0.life.currentStore }) { return current.engine }
        letGo()
        let opened = try CacheCore.open(source, index)
        adopt(opened, isOther: true) { $0.adopt($1) }
        return opened.store
    }

    /// Opens the store again, where others replaced its files.
    ///
    /// - Throws: ``CacheError`` with code `closed` or `suspended`, and what opening throws.
    func refresh() throws(CacheError) {
        let failure = writer.sync { () -> CacheError? in
            do throws(CacheError) {
                try state.withLock { (state) throws(CacheError) in try state.life.checkUsable() }
            } catch {
                return error
            }
            return reopenIfReplaced()
        }
        if let failure { throw failure }
    }

    /// The same where the writer is already.
    ///
    /// - Returns: why it cannot be opened.
    func reopenIfReplaced() -> CacheError? {
        state.withLock { $0.noticeReplacement() }
        do throws(CacheError) {
            _ = try currentStore()
            return nil
        } catch {
            return error
        }
    }

    /// Looks whether the files in the directory are still the store's; may be called on any thread.
    ///
    /// - Returns: whether they are not.
    @discardableResult
    func noticeIfReplaced() -> Bool {
        let known = state.withLock { $0.life.currentStore == nil ? nil : $0.lastFile }
        guard let known, source.isReplaced(since: known) else { return false }
        return state.withLock { state in
            guard state.lastFile == known, state.life.currentStore != nil else { return false }
            state.noticeOtherFiles()
            return true
        }
    }

    /// Opens the store within its budget; damage that shows then is set aside as well.
    static func open(
        _ source: StoreSource, _ index: EvictionIndex?, after damage: CacheError? = nil
    ) throws(CacheError) -> StoreSource.Opened {
        var opened = try source.opened(budget: index?.storeBudget(in: source), after: damage)
        do throws(CacheError) {
            try index?.begin(&opened, source)
            return opened
        } catch {
            opened.store.close()
            // A budget looks at more of the files than opening does.
            guard opened.rebuiltAfter == nil, source.isRepairable(error) else { throw error }
            return try open(source, index, after: error)
        }
    }

    /// Takes over a store that was just opened.
    ///
    /// - Parameters:
    ///   - isOther: whether it holds something else than when it was last open: then nothing that was called before lands
    ///     in it.
    ///   - transition: what that makes of the store's life.
    private func adopt(
        _ opened: StoreSource.Opened, isOther: Bool, _ transition: (inout StoreLife, OpenStore) -> Void
    ) {
        let isOther = isOther || opened.rebuiltAfter != nil
        CoreRegistry.shared.noteReopening(of: self)
        let (dropped, waiting) = state.withLock { state in
            transition(&state.life, OpenStore(opened.store, opened.generation))
            return state.adopt(opened, isOther: isOther)
        }
        if isOther {
            index?.pins.removeAll()
            ledger.synchronizationFailure = nil
            audience.tell(of: ChangeSet(sequence: opened.state.sequence, changesEverything: true))
        }
        for continuation in waiting { continuation.resume() }
        for write in dropped {
            write.completion?(.failure(CacheError(.cancelled, "The store was replaced after the call was made.")))
        }
        if let failure = opened.rebuiltAfter { audience.tell { $0.cacheDidRebuild(after: failure) } }
    }

    /// Waits for reads and closes the store, if it is open; new reads are turned away meanwhile.
    func letGo() {
        readers.awaitNone()
        readers.removeAll()
        guard let store = state.withLock({ $0.life.letGo() }) else { return }
        savePolicy()
        store.engine.close()
    }

    // MARK: Suspension

    /// Commits what is queued and lets go of every file and lock; calls are refused from the moment this begins.
    ///
    /// - Throws: ``CacheError`` with code `closed` or `reentrant`.
    func suspend() throws(CacheError) {
        try beginSuspension()
        writer.sync { finishSuspension() }
    }

    /// Refuses calls from now on; ``finishSuspension()`` must follow on ``writer``.
    func beginSuspension() throws(CacheError) {
        try checkReentrance()
        try state.withLock { (state) throws(CacheError) in try state.life.beginSuspension() }
    }

    /// Commits what is queued and lets go of the store.
    func finishSuspension() {
        guard case .suspending = state.withLock({ $0.life }) else { return }
        drain(isScheduled: false)
        // What lives in memory alone must not be closed: nothing would bring it back, and it holds no file.
        if source.isPersistent { letGo() } else { readers.awaitNone() }
        state.withLock { $0.life.finishSuspension() }
    }

    /// Opens the store again, and calls are taken again; nothing happens where it was not suspended.
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
        // What was set meanwhile is to be forgotten.
        drain(isScheduled: false)
        return nil
    }

    /// Opens a store that was let go of.
    private func takeUp(_ transition: (inout StoreLife, OpenStore) -> Void) throws(CacheError) {
        let opened = try CacheCore.open(source, index)
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
        writer.sync {
            guard case .closing = state.withLock({ $0.life }) else { return }
            takeUpToForget()
            drain(isScheduled: false)
            letGo()
            state.withLock { $0.life.finishClosing() }
        }
    }

    /// Opens the store once more before the cache is closed, where calls that came while it was suspended are to forget
    /// what they would have replaced; where it cannot be opened, that stays.
    private func takeUpToForget() {
        guard case .closing(nil) = state.withLock({ $0.life }), !state.withLock({ $0.unsettled.isEmpty }),
            let directory = source.directory, source.isPersistent, FileIdentity(directory) != nil
        else { return }
        try? takeUp { $0.reopenWhileClosing($1) }
    }
}

extension CacheState {
    /// The store, where the files are still its own; notes that others replaced them.
    @inline(__always)
    var usableStore: OpenStore? {
        mutating get {
            noticeReplacement()
            return life.currentStore
        }
    }

    /// Notes whether others replaced the files through Grove.
    @inline(__always)
    mutating func noticeReplacement() {
        guard let word = life.store?.generation?.word, word != lastWord else { return }
        lastWord = word
        noticeOtherFiles()
    }

    /// Notes that the files are others' now: what was called until now was called before.
    mutating func noticeOtherFiles() {
        life.markReplaced()
        noteReplacement()
    }

    /// Notes that what was called until now does not land in the files that are there now.
    fileprivate mutating func noteReplacement() {
        wipedAt = max(wipedAt, sequence)
        replacedAt = sequence
    }

    /// Whether `opened` is another store than the one that was open last.
    fileprivate func isOther(_ opened: StoreSource.Opened) -> Bool {
        // What has forgotten commits was made again, though it may have come by the same number.
        opened.file != lastFile || opened.generation != nil && opened.word != lastWord
            || opened.state.sequence < lastCommitted
    }

    /// Tells other processes that this one, which holds the lock of `generation`, is about to replace the files.
    mutating func advance(_ generation: StoreGeneration) {
        if generation.word != lastWord { noticeOtherFiles() }
        lastWord = generation.advance()
    }

    /// Takes over what `opened` says of itself.
    ///
    /// - Returns: the calls that were made before others replaced the files, and the callers that wait for room.
    fileprivate mutating func adopt(
        _ opened: StoreSource.Opened, isOther: Bool
    ) -> (dropped: [PendingWrite], waiting: [CheckedContinuation<Void, Never>]) {
        fingerprints = nil
        lastWord = opened.generation == nil ? nil : opened.word
        lastFile = opened.file
        guard isOther else { return ([], []) }
        // Later calls get higher numbers than anything in there.
        if opened.state.sequence > sequence + shift { shift = opened.state.sequence - sequence }
        lastCommitted = opened.state.sequence
        forgottenDeletion = opened.state.forgottenDeletion
        let dropped = queue.removeAll(upTo: wipedAt)
        // The files may hold what the old ones held, which is not what was last set.
        for write in dropped where write.completion == nil {
            forget(write)
        }
        guard !dropped.isEmpty else { return ([], []) }
        return (dropped, waiting.takeAll())
    }
}
