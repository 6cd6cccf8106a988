import Dispatch
import GroveModel

/// The noticing that a store's files were replaced, and the opening of the new ones.
///
/// All of it runs on ``writer``, but for the parts that begin there. A replacement by Grove shows in the word of the
/// files' generation, which every call compares. A removal without Grove's knowledge shows in the identity of the main
/// file. That is looked at when a store is opened or resumed, before a wipe, after a sync and after an engine's error.
extension CacheCore {
    // MARK: Replaced files

    /// The store that is open and the one to use; it is opened again if another process replaced its files.
    ///
    /// - Throws: ``CacheError`` as opening does.
    func currentStore() throws(CacheError) -> any NodeStore {
        if let current = state.withLock({ $0.life.currentStore }) { return current.engine }
        letGo()
        let opened = try source.opened(within: evictor)
        adopt(opened, isOther: true) { $0.adopt($1) }
        return opened.store
    }

    /// Opens the store again, if another process replaced its files.
    ///
    /// - Throws: ``CacheError`` with code `closed` or `suspended`, and what opening throws.
    func refresh() throws(CacheError) {
        try writer.sync {
            Result { () throws(CacheError) in
                try state.withLock { (state) throws(CacheError) in try state.life.checkUsable() }
                if let failure = reopenIfReplaced() { throw failure }
            }
        }.get()
    }

    /// Opens the store again, if another process replaced its files; called on ``writer``.
    ///
    /// - Returns: the error if it cannot be opened.
    func reopenIfReplaced() -> CacheError? {
        state.withLock { $0.noticeReplacement() }
        do throws(CacheError) {
            _ = try currentStore()
            return nil
        } catch {
            ledger.noteLockFailure(error)
            return error
        }
    }

    /// Looks whether the files in the directory are still the store's; may be called on any thread.
    ///
    /// - Returns: whether they are not.
    @discardableResult
    func noticeIfReplaced() -> Bool {
        let known = state.withLock { $0.life.currentStore == nil ? nil : $0.files.identity }
        guard let known, source.isReplaced(since: known) else { return false }
        return state.withLock { state in
            guard state.files.identity == known, state.life.currentStore != nil else { return false }
            state.noticeOtherFiles()
            return true
        }
    }

    /// Takes over a store that was just opened.
    ///
    /// - Parameters:
    ///   - isOther: whether it is another store than the one that was last open: then no earlier call lands in it.
    ///   - transition: the change of the store's life.
    func adopt(
        _ opened: StoreSource.Opened, isOther: Bool, _ transition: (inout StoreLife, OpenStore) -> Void
    ) {
        let isOther = isOther || opened.rebuiltAfter != nil
        CoreRegistry.shared.noteReopening(of: self)
        let (dropped, waiting, isWiped) = state.withLock { state in
            transition(&state.life, OpenStore(opened.store, opened.generation))
            let isWiped = state.wipes.noteOthers(opened.generation)
            let (dropped, waiting) = state.adopt(opened, isOther: isOther)
            return (dropped, waiting, isWiped)
        }
        if isOther {
            evictor?.pins.removeAll()
            ledger.synchronizationFailure = nil
            var set = ChangeSet.everything(opened.state.sequence, historyLimit.places > 0 ? opened.state.token : nil)
            set.isWipe = isWiped
            audience.tell(of: set)
        }
        for continuation in waiting { continuation.resume() }
        for write in dropped {
            let error = CacheError(.cancelled, "The store was replaced after the call was made.")
            write.completion?(.failure(error))
            write.settled?(.failure(error))
        }
        if let failure = opened.rebuiltAfter { audience.tell { $0.cacheDidRebuild(after: failure) } }
    }

    /// Waits for reads and closes the store, if it is open; new reads are turned away meanwhile.
    func letGo() {
        readers.awaitNone()
        readers.removeAll()
        guard let store = state.withLock({ $0.life.letGo() }) else { return }
        saveTouches()
        CoreRegistry.shared.noteLettingGo(of: self)
        store.generation?.leave()
        store.engine.close()
    }
}

extension CacheState {
    /// The store, if the files are still its own; notes if another process replaced them.
    @inline(__always)
    var usableStore: OpenStore? {
        mutating get {
            noticeReplacement()
            return life.currentStore
        }
    }

    /// Notes whether another process replaced the files through Grove.
    @inline(__always)
    mutating func noticeReplacement() {
        guard let word = life.store?.generation?.word, word != files.word else { return }
        files.word = word
        noticeOtherFiles()
    }

    /// Notes that other files are in place of the store's: calls until now are earlier than they are.
    mutating func noticeOtherFiles() {
        life.markReplaced()
        noteReplacement()
    }

    /// Notes that calls until now do not land in the files that are there now.
    mutating func noteReplacement() {
        numbers.replace()
        wipes.life.replace()
    }

    /// Whether `opened` is another store than the one that was open last.
    func isOther(_ opened: StoreSource.Opened) -> Bool {
        // A store that lacks commits was made again, though it may have reached the same number since.
        opened.file != files.identity || opened.generation != nil && opened.word != files.word
            || opened.state.sequence < numbers.committed
    }

    /// Tells other processes that this one, which holds the lock of `generation`, is about to replace the files.
    mutating func advance(_ generation: StoreGeneration) {
        if generation.word != files.word { noticeOtherFiles() }
        files.word = generation.advance()
    }

    /// Takes over the state of `opened`.
    ///
    /// - Returns: the calls that were made before the files were replaced, and the callers that wait for room.
    fileprivate mutating func adopt(
        _ opened: StoreSource.Opened, isOther: Bool
    ) -> (dropped: [PendingWrite], waiting: [CheckedContinuation<Void, Never>]) {
        // The readers' knowledge of the store that was open before is of no use.
        epoch.advance()
        files.word = opened.generation == nil ? nil : opened.word
        files.identity = opened.file
        guard isOther else {
            numbers.learn(opened.state)
            return ([], [])
        }
        commits.count = opened.commitCount
        commits.begin(opened.state)
        numbers.adopt(opened.state)
        let dropped = removeCalls(upTo: numbers.wipedAt)
        // The files may have the records of the old ones, which lack the last writes.
        for write in dropped where write.completion == nil {
            forget(write)
        }
        guard !dropped.isEmpty else { return ([], []) }
        return (dropped, waiting.takeAll())
    }
}
