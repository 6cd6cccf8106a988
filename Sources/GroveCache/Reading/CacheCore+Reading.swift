import Dispatch
import GroveModel

/// How a read begins and ends (decision 19).
///
/// A read takes a snapshot, which says how much of the queue it sees, and opens its view of the store with no lock
/// held. The view says by itself which of the queued calls it shows. So a read sees every write that was queued before
/// it, and never half of one. If the snapshot of the reader's last read still stands, it is used again, and no lock is
/// taken.
extension CacheCore {
    /// Begins a read over one consistent view and the writes queued at this moment; ``endRead(_:isHit:miss:)`` must
    /// follow.
    ///
    /// With a maximum age, in seconds, records that were last confirmed longer ago are missing.
    ///
    /// - Throws: ``CacheError`` with code `closed`, `suspended` or `reentrant`, and what the store throws.
    func beginRead(maxAge: Double? = nil) throws(CacheError) -> Reconstructor {
        try checkReentrance()
        // The read sees what providers wrote before it.
        followers.line.pass()
        do throws(CacheError) {
            let reader = try beginReadOfStore()
            limitAges(of: reader, to: maxAge)
            return reader
        } catch {
            // A call to a closed or suspended cache is its caller's mistake, and no failure of the store.
            if error.code != .closed, error.code != .suspended {
                noteFailure(ofRead: error, in: state.withLock { $0.life.currentStore })
            }
            throw error
        }
    }

    /// Makes records last confirmed longer ago than `maxAge` seconds missing from the tree that `reader` begins.
    func limitAges(of reader: Reconstructor, to maxAge: Double?) {
        guard let maxAge else { return }
        ages.renewal.note(maxAge: maxAge)
        if maxAge != .infinity { reader.limitAges(AgeLimit(maxAge: maxAge, now: ages.clock.ofRead)) }
    }

    /// Tells observers of a read of `store` that failed, and looks whether the files are there and whole.
    func noteFailure(ofRead error: CacheError, in store: OpenStore?) {
        if !noticeIfReplaced() { noteDamage(error, in: store) }
        audience.tell { $0.cacheDidFailToRead(error) }
    }

    /// Begins a read: looks at the queue, then opens a view, with no lock held.
    ///
    /// If a call failed between the two, the view may show later calls, and the read begins again.
    private func beginReadOfStore() throws(CacheError) -> Reconstructor {
        while true {
            let reader = readers.begin {
                Reconstructor(owner: ObjectIdentifier(self), keepsTouches: evictor != nil)
            }
            let snapshot: ReadSnapshot?
            do throws(CacheError) {
                snapshot = try enterSnapshot(of: reader)
                if let snapshot, try begin(reader, snapshot) { return reader }
            } catch {
                abandon(reader)
                throw error
            }
            abandon(reader)
            if snapshot == nil { try refresh() }
        }
    }

    /// The snapshot that the read of `reader` begins with: that of its last read, if it still stands.
    ///
    /// - Returns: `nil` if the store must be opened again first.
    private func enterSnapshot(of reader: Reconstructor) throws(CacheError) -> ReadSnapshot? {
        if let snapshot = unsafe reader.state.pointee.basis.snapshot, snapshot.isOfLastCommit, snapshot.enter() {
            return snapshot
        }
        unsafe reader.state.pointee.basis.snapshot = nil
        let (snapshot, isBehindOthers, unneeded) = try state.withLock { (state) throws(CacheError) in
            (try state.enterSnapshot(self), state.noticeCommits(), state.overlay.takeUnneeded())
        }
        unsafe reader.state.pointee.basis.snapshot = snapshot
        overlay.remove(unneeded)
        if isBehindOthers { writer.async { self.lookForWritesOfOthers() } }
        return snapshot
    }

    /// Gives up a read that has no view.
    private func abandon(_ reader: Reconstructor) {
        if unsafe reader.state.pointee.basis.snapshot?.leave() == true { sweep() }
        _ = readers.end(reader, wasActive: true)
    }

    /// Takes the entries that no read needs any more out of the overlay.
    func sweep() { overlay.remove(state.withLock { $0.overlay.takeUnneeded() }) }

    /// Begins the read of `reader`, which counts as active, with `snapshot`.
    ///
    /// - Returns: false if it must begin again.
    private func begin(_ reader: Reconstructor, _ snapshot: ReadSnapshot) throws(CacheError) -> Bool {
        guard snapshot.showsStore else {
            readers.endView(reader)
            reader.begin(nil, keepsBytes: false, pending: snapshot.pending)
            return true
        }
        let view = try snapshot.store.engine.view()
        guard readers.epoch.current == snapshot.epoch else {
            view.end()
            return false
        }
        reader.begin(view, keepsBytes: opening.keepsBytes, pending: snapshot.pending)
        return true
    }

    /// The shift of the numbers of this process's queued calls over a view that holds `stored`, by other processes'
    /// commits.
    ///
    /// As of now: commits that were made since the read began are this process's own, and shift nothing.
    func shift(over stored: StoreState) -> CallNumber.Shift {
        state.withLock { state in
            if let upcoming = ledger.upcoming.withLock({ $0 }), stored.sequence >= upcoming.stored.sequence {
                return upcoming.shift + CallNumber.numbers(after: upcoming.stored.sequence, upTo: stored.sequence)
            }
            return state.numbers.shift + CallNumber.numbers(after: state.numbers.committed, upTo: stored.sequence)
        }
    }

    /// The place in this process's queue up to which a view that holds `stored` shows its calls.
    func committedPlace(in stored: StoreState) -> QueuePlace {
        if let place = stored.place(of: opening.session) { return place }
        // Many processes have written since this one did: more than the record names.
        return state.withLock { state in
            if let upcoming = ledger.upcoming.withLock({ $0?.stored }), upcoming.sequence <= stored.sequence {
                return upcoming.place(of: opening.session) ?? .zero
            }
            return state.commits.own.place(upTo: stored.sequence)
        }
    }

    /// Ends a read; its reader is not used again by the caller.
    ///
    /// - Parameters:
    ///   - isHit: whether it found what it looked for.
    ///   - miss: why it did not.
    /// - Returns: whether the cache has an observer.
    @discardableResult
    func endRead(_ reader: Reconstructor, isHit: Bool = false, miss: CacheMiss.Reason? = nil) -> Bool {
        let hadView = reader.hasView
        if reader.end() { sweep() }
        let mustAbsorb = readers.end(
            reader, wasActive: hadView, isHit: isHit, miss: miss, hasBudget: evictor != nil)
        if mustAbsorb { writer.async { self.absorbTouches() } }
        return audience.hasObservers
    }
}
