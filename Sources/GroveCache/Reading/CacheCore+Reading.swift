import Dispatch
import GroveModel

/// How a read begins and ends (decision 19).
///
/// A read takes a snapshot of the queue under the lock, and opens its view of the store with no lock held; the view says by
/// itself which of the queued calls it shows. So a read sees every write that was queued before it, and never half of one.
/// Where nothing is queued the snapshot is empty, and the reader's last one will do: then no lock is taken.
extension CacheCore {
    /// Begins a read over one consistent view and the writes queued at this moment; ``endRead(_:isHit:miss:)`` must follow.
    ///
    /// To a read with a maximum age what was last confirmed longer ago, in seconds, is missing.
    ///
    /// - Throws: ``CacheError`` with code `closed`, `suspended` or `reentrant`, and what the store throws.
    func beginRead(maxAge: Double? = nil) throws(CacheError) -> Reconstructor {
        try checkReentrance()
        do throws(CacheError) {
            let reader = try beginReadOfStore()
            limitAges(of: reader, to: maxAge)
            return reader
        } catch {
            // Calls that come at a wrong time are their callers' matter.
            if error.code != .closed, error.code != .suspended { noteFailure(ofRead: error) }
            throw error
        }
    }

    /// Makes what was last confirmed longer ago than `maxAge` seconds missing from the tree that `reader` begins.
    func limitAges(of reader: Reconstructor, to maxAge: Double?) {
        guard let maxAge else { return }
        renewal.note(maxAge: maxAge)
        if maxAge != .infinity { reader.limitAges(AgeLimit(maxAge: maxAge, now: clock.ofRead)) }
    }

    /// Tells observers of a read that failed, and looks whether the files are still there.
    func noteFailure(ofRead error: CacheError) {
        noticeIfReplaced()
        audience.tell { $0.cacheDidFailToRead(error) }
    }

    /// Begins a read: looks at the queue, then opens a view, with no lock held.
    ///
    /// Where a call failed between the two, the view may show what was called after it, and the read begins again.
    private func beginReadOfStore() throws(CacheError) -> Reconstructor {
        while true {
            let reader = readers.begin {
                Reconstructor(owner: ObjectIdentifier(self), keepsTouches: index != nil)
            }
            let start: ReadStart?
            do throws(CacheError) {
                if let start = unsafe reader.state.pointee.plainStart, state.isValid(start),
                    try begin(reader, start.store.engine, epochNumber: start.epochNumber)
                {
                    return reader
                }
                unsafe reader.state.pointee.plainStart = nil
                start = try state.withLock { (state) throws(CacheError) in try ReadStart(&state, self) }
                unsafe reader.state.pointee.plainStart = start?.plainStart
                if start?.isBehindOthers == true { writer.async { self.lookForWritesOfOthers() } }
                if let start, try begin(reader, start.store, start.pending, epochNumber: start.epochNumber) {
                    return reader
                }
            } catch {
                abandon(reader)
                throw error
            }
            abandon(reader)
            if start == nil { try refresh() }
        }
    }

    /// Gives up a read that has no view.
    private func abandon(_ reader: Reconstructor) { _ = readers.end(reader, wasActive: true) }

    /// Begins the read of `reader`, which counts as active, over `store` and `pending`, both taken at `epochNumber`.
    ///
    /// - Returns: false where it must begin again.
    private func begin(
        _ reader: Reconstructor, _ store: (any NodeStore)?, _ pending: PendingReads? = nil, epochNumber: UInt64
    ) throws(CacheError) -> Bool {
        guard let store else {
            readers.endView(reader)
            reader.begin(nil, keepsBytes: false, pending: pending)
            return true
        }
        let view = try store.view()
        guard epoch.current == epochNumber else {
            view.end()
            return false
        }
        reader.begin(view, keepsBytes: keepsBytes, pending: pending)
        return true
    }

    /// What a view that holds `stored` adds to the numbers of this process's queued calls: other processes' commits.
    ///
    /// As of now: commits that were made since the read began are this process's own, and shift nothing.
    func shift(over stored: StoreState) -> UInt64 {
        state.withLock { state in
            if let upcoming = upcoming.withLock({ $0 }), stored.sequence >= upcoming.stored.sequence {
                return upcoming.shift + (stored.sequence - upcoming.stored.sequence)
            }
            let foreign = stored.sequence > state.lastCommitted ? stored.sequence - state.lastCommitted : 0
            return state.shift + foreign
        }
    }

    /// Ends a read; its reader is not used again by the caller.
    ///
    /// - Parameters:
    ///   - isHit: whether it found what it looked for.
    ///   - miss: why it did not.
    /// - Returns: whether somebody observes.
    @discardableResult
    func endRead(_ reader: Reconstructor, isHit: Bool = false, miss: CacheMiss.Reason? = nil) -> Bool {
        let hadView = reader.hasView
        reader.end()
        let mustAbsorb = readers.end(
            reader, wasActive: hadView, isHit: isHit, miss: miss, hasBudget: index != nil)
        if mustAbsorb { writer.async { self.absorbTouches() } }
        return audience.hasObservers
    }

    /// Tells observers of a read that found `identifier`, on the reading thread.
    func tellHit(_ identifier: ModelIdentifier) {
        for observer in audience.present { observer.cacheDidHit(identifier) }
    }
}

/// What a read takes from the cache's state before it opens its view.
private struct ReadStart {
    /// `nil` where nothing of the store shows: it is about to be emptied.
    let store: (any NodeStore)?
    /// `nil` where the view shows all there is.
    let pending: PendingReads?
    let epochNumber: UInt64
    /// What the reader's next read may begin with; `nil` where the view does not show all there is.
    let plainStart: PlainStart?
    /// Whether another process has committed since this one last looked.
    let isBehindOthers: Bool

    /// Takes it, or is `nil` where the store must be opened again first.
    ///
    /// - Throws: ``CacheError`` with code `closed` or `suspended`.
    init?(_ state: inout CacheState, _ core: CacheCore) throws(CacheError) {
        try state.life.checkUsable()
        guard let open = state.usableStore else { return nil }
        let store = open.engine
        epochNumber = core.epoch.current
        isBehindOthers = state.noticeCommits()
        if state.queue.showsNothing, state.failedWrites.isEmpty {
            self.store = store
            pending = nil
            plainStart = PlainStart(store: open, epochNumber: epochNumber, word: state.lastWord)
            return
        }
        plainStart = nil
        let everything = state.failedWrites.everything
        let showsStore = everything == nil && state.queue.wipePlace == 0
        self.store = showsStore ? store : nil
        // Where too much of the store is not what was last set to tell it apart, only calls after that count.
        pending = PendingReads(
            core, failedWrites: showsStore ? state.failedWrites.writes : [], queue: state.queue.shown,
            afterPlace: max(state.queue.wipePlace, state.queue.leftPlace), afterNumber: everything ?? 0,
            shift: state.shift, forgottenDeletion: showsStore ? state.forgottenDeletion : 0)
    }
}
