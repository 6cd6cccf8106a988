import Dispatch
import GroveModel
import Synchronization

/// How a read begins and ends (decision 19).
///
/// A read takes a snapshot of the queue under the lock, and opens its view of the store with no lock held; the view says by
/// itself which of the queued calls it shows. So a read sees every write that was queued before it, and never half of one.
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
            guard let maxAge else { return reader }
            renewal.note(maxAge: maxAge)
            if maxAge != .infinity { reader.limitAges(AgeLimit(maxAge: maxAge, now: clock.ofRead)) }
            return reader
        } catch {
            // Calls that come at a wrong time are their callers' matter.
            if error.code != .closed, error.code != .suspended { noteFailure(ofRead: error) }
            throw error
        }
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
            let reader =
                readers.begin() ?? Reconstructor(owner: ObjectIdentifier(self), keepsTouches: index != nil)
            let start: ReadStart?
            do throws(CacheError) {
                start = try state.withLock { (state) throws(CacheError) in try ReadStart(&state) }
                if let start, try begin(reader, start) { return reader }
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

    /// Begins the read of `reader`, which counts as active.
    ///
    /// - Returns: false where it must begin again.
    private func begin(_ reader: Reconstructor, _ start: ReadStart) throws(CacheError) -> Bool {
        guard let store = start.store else {
            readers.endView()
            reader.begin(nil, keepsBytes: false, pending: start.pending)
            return true
        }
        let view = try store.view()
        guard start.epoch.current == start.epochNumber else {
            view.end()
            return false
        }
        var pending = start.pending
        do throws(CacheError) {
            if !pending.isEmpty { try place(&pending, over: view, start) }
        } catch {
            view.end()
            throw error
        }
        reader.begin(view, keepsBytes: keepsBytes, pending: pending)
        return true
    }

    /// Says of the queued calls in `pending` which of them `view` shows already, by how much the numbers of the others are
    /// shifted over it, other processes' commits included, and the highest number of a deletion that it has forgotten.
    ///
    /// A view may show calls that had not left the queue: their commit was made, and the cache did not know it.
    ///
    /// - Throws: what the engine throws when it is asked.
    private func place(
        _ pending: inout PendingReads, over view: any NodeView, _ start: ReadStart
    ) throws(CacheError) {
        let stored: StoreState
        do throws(CacheError) {
            stored = try StoreState(view)
        } catch {
            guard error.code == .corrupted || error.code == .unsupportedFormat else { throw error }
            // No call is committed over a damaged state, so what was known last still holds.
            pending.forgottenDeletion = start.forgottenDeletion
            return
        }
        pending.afterPlace = max(pending.afterPlace, stored.place(of: session) ?? 0)
        pending.forgottenDeletion = stored.forgottenDeletion
        // As of now: commits that were made since the read began are this process's own, and shift nothing.
        pending.shift = state.withLock { state in
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
    let pending: PendingReads
    let epoch: ReadEpoch
    let epochNumber: UInt64
    let forgottenDeletion: UInt64

    /// Takes it, or is `nil` where the store must be opened again first.
    ///
    /// - Throws: ``CacheError`` with code `closed` or `suspended`.
    init?(_ state: inout CacheState) throws(CacheError) {
        try state.life.checkUsable()
        guard let store = state.usableStore?.engine else { return nil }
        var pending = PendingReads(
            queue: state.queue.shown, after: max(state.queue.wipePlace, state.queue.leftPlace), shift: state.shift)
        let everything = state.failedWrites.everything
        if let everything {
            // Too much of the store is not what was last set to tell it apart.
            pending.afterNumber = everything
        } else if state.queue.wipePlace == 0 {
            pending.failedWrites = state.failedWrites.writes
        }
        self.store = everything == nil && state.queue.wipePlace == 0 ? store : nil
        self.pending = pending
        epoch = state.epoch
        epochNumber = state.epoch.current
        forgottenDeletion = state.forgottenDeletion
    }
}
