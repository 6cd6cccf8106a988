import Dispatch
import GroveModel
import Synchronization

/// The store's comings and goings: opened anew where others replaced it, let go of while the cache is suspended.
///
/// All of it runs on ``writer``, but for what begins there.
extension CacheCore {
    // MARK: Replaced files

    /// Opens the store anew, where others replaced its files.
    ///
    /// - Throws: ``CacheError`` with code `closed` or `suspended`, and what opening throws.
    func refresh() throws(CacheError) {
        let failure = writer.sync { () -> CacheError? in
            do throws(CacheError) {
                try state.withLock { (state) throws(CacheError) in try state.checkUsable() }
                _ = try currentStore()
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    /// The store, opened anew where others are known to have replaced its files.
    func currentStore() throws(CacheError) -> any NodeStore {
        let current = state.withLock { $0.isStale ? nil : $0.opened?.store }
        if let current { return current }
        letGo()
        let opened = try CoreRegistry.shared.reopen(self)
        adopt(opened, isOther: true)
        return opened.store
    }

    /// Opens the store within its budget, in the directory `place` where somebody looked which it is.
    ///
    /// It is not this core's before ``adopt(_:isOther:)``, but its directory is held from here on.
    func open(in place: FileIdentity? = nil) throws(CacheError) -> StoreSource.Opened {
        let opened = try CacheCore.open(source, in: place, index)
        state.withLock { $0.directory = opened.directory }
        return opened
    }

    static func open(
        _ source: StoreSource, in place: FileIdentity?, _ index: EvictionIndex?, after damage: CacheError? = nil
    ) throws(CacheError) -> StoreSource.Opened {
        var opened = try source.opened(in: place, budget: index?.storeBudget(in: source), after: damage)
        do throws(CacheError) {
            try index?.begin(&opened, source)
            // A budget may have opened files anew.
            if let directory = source.directory { try opened.directory?.check(directory) }
            return opened
        } catch {
            opened.store.close()
            // A budget looks at more of the files than opening does.
            guard opened.rebuiltAfter == nil, source.isRepairable(error) else { throw error }
            return try open(source, in: place, index, after: error)
        }
    }

    /// Whether the path of the store's directory leads to it, so that the cache's own files beside it are this store's.
    var isAtHome: Bool {
        guard let held = state.withLock({ $0.directory?.identity }) else { return false }
        return source.directory.flatMap { FileIdentity($0) } == held
    }

    /// Opens the store anew, where others replaced its files; looks at the files themselves.
    ///
    /// - Returns: why it cannot be opened.
    func openAnewIfReplaced() -> CacheError? {
        _ = state.withLock { $0.isCurrentNow(source) }
        do throws(CacheError) {
            _ = try currentStore()
            return nil
        } catch {
            return error
        }
    }

    /// Whether `directory` is where the store lies: it is open in there, or where it is not open, its path leads there.
    func isIn(_ directory: FileIdentity) -> Bool {
        if let held = state.withLock({ $0.directory?.identity }) { return held == directory }
        return source.directory.flatMap { FileIdentity($0) } == directory
    }

    /// Takes over a store that was just opened.
    ///
    /// - Parameter isOther: whether it holds something else than when it was last open: then nothing that was called
    ///   before lands in it.
    private func adopt(_ opened: StoreSource.Opened, isOther: Bool) {
        let (dropped, waiting) = state.withLock { state in
            state.adopt(opened, isOther: isOther || opened.rebuiltAfter != nil)
        }
        if isOther || opened.rebuiltAfter != nil {
            index?.pins.removeAll()
            publish(ChangeSet(sequence: opened.state.sequence, changesEverything: true))
        }
        for continuation in waiting { continuation.resume() }
        for write in dropped {
            write.completion?(
                .failure(CacheError(.cancelled, "The store was replaced after the call was made.")))
        }
        if let failure = opened.rebuiltAfter { notify { $0.cacheDidRebuild(after: failure) } }
    }

    /// Waits for reads and closes the store, if it is open; new reads are turned away meanwhile.
    func letGo() {
        saveAges()
        awaitReads()
        let opened = state.withLock { state in
            defer { state.opened = nil }
            state.spareReaders = []
            return state.opened
        }
        if opened != nil { savePolicy() }
        opened?.store.close()
        state.withLock { $0.directory = nil }
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
        try state.withLock { (state) throws(CacheError) in
            guard !state.isClosed else { throw CacheError.isClosed }
            state.isSuspended = true
        }
    }

    /// Commits what is queued and lets go of the store.
    func finishSuspension() {
        guard state.withLock({ $0.isSuspended && !$0.isAway && !$0.isStoreClosed }) else { return }
        drain(isScheduled: false)
        // What lives in memory alone must not be closed: nothing would bring it back, and it holds no file.
        if source.isPersistent { letGo() } else { awaitReads() }
        state.withLock { $0.isAway = true }
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
        guard !state.withLock({ $0.isClosed }) else { return .isClosed }
        do throws(CacheError) {
            try takeUp()
        } catch {
            return error
        }
        state.withLock { $0.isSuspended = false }
        // What was set meanwhile is to be forgotten.
        drain(isScheduled: false)
        return nil
    }

    /// Opens the store again, where it was let go of.
    private func takeUp() throws(CacheError) {
        if state.withLock({ $0.isAway }), source.isPersistent {
            let opened = try CoreRegistry.shared.reopen(self)
            let isOther = state.withLock { state in
                let isOther = state.isOther(opened)
                // Who was called before the suspension and comes to the queue after it.
                if isOther { state.noteReplacement() }
                return isOther
            }
            adopt(opened, isOther: isOther)
        }
        state.withLock { $0.isAway = false }
    }

    /// Opens the store once more before the cache is closed, where calls that came while it was suspended are to forget
    /// what they would have replaced; where it cannot be opened, that stays.
    func takeUpToForget() {
        guard let directory = source.directory, source.isPersistent, FileIdentity(directory) != nil,
            state.withLock({ $0.isAway && !$0.unsettled.isEmpty })
        else { return }
        try? takeUp()
    }
}

extension CacheState {
    /// - Throws: ``CacheError`` with code `closed` or `suspended`.
    func checkUsable() throws(CacheError) {
        guard isClosed || isSuspended else { return }
        throw isClosed ? CacheError.isClosed : CacheError.isSuspended
    }

    /// Notes whether others replaced the files, and returns whether the store that is open is the one to use.
    ///
    /// What others do through Grove shows in the word at once. What removes or replaces the files otherwise shows in the
    /// file's identity, which costs a call of the system and is looked at ten times a second at most.
    @inline(__always)
    mutating func isCurrent(_ source: StoreSource) -> Bool {
        guard source.isPersistent, !isReplacing else { return !isStale }
        noticeReplacement()
        let now = CoarseClock.now
        if now &- checkedAt > CacheState.fileCheckInterval {
            checkedAt = now
            if !isStale, source.isReplaced(since: lastFile) { noticeOtherFiles() }
        }
        return !isStale
    }

    /// The same, looking at the file's identity now.
    mutating func isCurrentNow(_ source: StoreSource) -> Bool {
        checkedAt = 0
        return isCurrent(source)
    }

    /// Nanoseconds between two looks at the file's identity.
    private static var fileCheckInterval: UInt64 { 100_000_000 }

    /// Notes whether others replaced the files through Grove.
    @inline(__always)
    mutating func noticeReplacement() {
        guard let word = opened?.generation?.word, word != lastWord else { return }
        lastWord = word
        noticeOtherFiles()
    }

    /// Notes that the files are others' now: what was called until now was called before.
    private mutating func noticeOtherFiles() {
        isStale = true
        noteReplacement()
    }

    /// Notes that what was called until now does not land in the files that are there now.
    fileprivate mutating func noteReplacement() {
        wipedAt = max(wipedAt, sequence)
        replacedAt = sequence
    }

    /// Whether `opened` is another store than the one that was open last.
    func isOther(_ opened: StoreSource.Opened) -> Bool {
        guard opened.directory != nil else { return false }
        // What has forgotten commits was made anew, though it may have come by the same number.
        return opened.file != lastFile || opened.generation != nil && opened.word != lastWord
            || opened.state.sequence < lastCommitted
    }

    /// Notes what others did before this process, which holds the lock of `generation`, replaces the files itself.
    mutating func prepareToReplace(_ generation: StoreGeneration) {
        if generation.word != lastWord { noticeOtherFiles() }
        isReplacing = true
    }

    /// Takes over the place of files that this process has just replaced itself.
    mutating func adopt(_ replaced: StoreSource.Replaced) {
        opened?.generation = replaced.generation
        fingerprints = nil
        lastWord = replaced.word
        lastFile = replaced.file
        isReplacing = false
    }

    /// Takes over `opened`.
    ///
    /// - Returns: the calls that were made before others replaced the files, and the callers that wait for room.
    fileprivate mutating func adopt(
        _ opened: StoreSource.Opened, isOther: Bool
    ) -> (dropped: [PendingWrite], waiting: [CheckedContinuation<Void, Never>]) {
        self.opened = opened
        directory = opened.directory
        fingerprints = nil
        lastWord = opened.generation == nil ? nil : opened.word
        lastFile = opened.file
        isStale = false
        guard isOther else {
            ages.reopen(opened.state, lastCommitted: lastCommitted, upTo: sequence + shift)
            return ([], [])
        }
        // Later calls get higher numbers than anything in there.
        if opened.state.sequence > sequence + shift { shift = opened.state.sequence - sequence }
        ages.reopen(opened.state, lastCommitted: nil, upTo: sequence + shift)
        lastCommitted = opened.state.sequence
        forgottenDeletion = opened.state.forgottenDeletion
        synchronizationFailure = nil
        let dropped = queue.removeAll(upTo: wipedAt)
        // The files may hold what the old ones held, which is not what was last set.
        for write in dropped where write.completion == nil {
            forget(write)
        }
        guard !dropped.isEmpty else { return ([], []) }
        return (dropped, waiting.takeAll())
    }
}
