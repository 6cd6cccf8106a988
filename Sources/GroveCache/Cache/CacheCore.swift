import Dispatch
import GroveModel
import Synchronization

/// What all handles on one store share: the store, the queue of writes and the pool of readers.
///
/// A read takes a snapshot of the queue under the lock, and opens its view of the store with no lock held; the view says by
/// itself which of the queued calls it shows. So a read sees every write that was queued before it, and never half of one.
final class CacheCore: Sendable {
    let source: StoreSource
    let state: Mutex<CacheState>
    private let keepsBytes: Bool
    /// The most bytes of queued writes; what `setModel` brings beyond them becomes an invalidation.
    let queueLimit: Int
    /// The most bytes that name what could not be stored.
    let unsettledLimit: Int
    /// Commits, one after the other; no code of a user runs here.
    let writer = DispatchQueue(label: "grove.cache.writer", qos: .utility)
    /// Reads that were asked for with a completion.
    let readers = DispatchQueue(label: "grove.cache.readers", qos: .userInitiated, attributes: .concurrent)
    /// Calls to observers, in order.
    let events = DispatchQueue(label: "grove.cache.events", qos: .utility)
    /// Whether the writer keeps in mind what it wrote.
    let keepsFingerprints: Bool
    private let readsEnded = DispatchSemaphore(value: 0)
    /// What the transaction that is about to commit leaves behind: a view may show it before ``state`` says so.
    let upcoming = Mutex<GroupSummary?>(nil)
    /// Whoever reads changes as a stream.
    let changes = ChangeHub()

    /// What may be evicted, where there is a budget; the writer's.
    let index: EvictionIndex?
    /// Why the store was set aside and made again when it was opened first, where it was.
    private let rebuiltAfter: CacheError?

    /// What tells the time of confirmations.
    let clock: AgeClock
    /// How old the time of a record must be for a write that changes nothing to renew it.
    let renewal = RenewalInterval()
    /// A random number by which the store remembers that this cache wrote last.
    let session = UInt64.random(in: 1 ... .max)

    /// Opens the store.
    init(
        _ source: StoreSource, queueLimit: Int, budget: CacheBudget = .unlimited,
        clock: AgeClock = AgeClock(now: nil)
    ) throws(CacheError) {
        self.source = source
        self.clock = clock
        index = budget.isLimited ? EvictionIndex(budget) : nil
        self.queueLimit = queueLimit
        unsettledLimit = max(queueLimit, 1 << 20)
        if let age = budget.expiresAfter { renewal.note(maxAge: age) }
        let opened = try CacheCore.open(source, index)
        rebuiltAfter = opened.rebuiltAfter
        keepsBytes = opened.store.keepsBytes
        keepsFingerprints = type(of: opened.store).profile.writesFasterUnseen
        state = Mutex(
            CacheState(
                life: .open(.current(OpenStore(opened.store, opened.generation))), lastWord: opened.generation?.word,
                lastFile: opened.file, sequence: opened.state.sequence,
                forgottenDeletion: opened.state.forgottenDeletion,
                lastCommitted: opened.state.sequence, unsettled: Unsettled(limit: unsettledLimit)))
    }

    // MARK: Reading

    /// Begins a read over one consistent view and the writes queued at this moment; ``endRead(_:)`` must follow.
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
        notify { $0.cacheDidFailToRead(error) }
    }

    /// Begins a read: looks at the queue, then opens a view, with no lock held.
    ///
    /// Where a call failed between the two, the view may show what was called after it, and the read begins again.
    func beginReadOfStore() throws(CacheError) -> Reconstructor {
        while true {
            guard let start = try state.withLock({ (state) throws(CacheError) in try startRead(&state) }) else {
                try refresh()
                continue
            }
            guard let store = start.store else {
                start.reader.begin(nil, keepsBytes: false, pending: start.pending)
                return start.reader
            }
            let view: any NodeView
            do throws(CacheError) {
                view = try store.view()
            } catch {
                abandon(start)
                throw error
            }
            guard start.epoch.current == start.epochNumber else {
                view.end()
                abandon(start)
                continue
            }
            var pending = start.pending
            do throws(CacheError) {
                if !pending.isEmpty { try place(&pending, over: view, start) }
            } catch {
                view.end()
                abandon(start)
                throw error
            }
            start.reader.begin(view, keepsBytes: keepsBytes, pending: pending)
            return start.reader
        }
    }

    /// What a read takes from the cache's state before it opens its view; it counts as active from then on.
    private struct ReadStart {
        let reader: Reconstructor
        /// `nil` where nothing of the store shows: it is about to be emptied.
        let store: (any NodeStore)?
        var pending: PendingReads
        let epoch: ReadEpoch
        let epochNumber: UInt64
        let forgottenDeletion: UInt64
    }

    /// Starts a read, or returns `nil` where the store must be opened anew first.
    private func startRead(_ state: inout CacheState) throws(CacheError) -> ReadStart? {
        try state.life.checkUsable()
        guard let store = state.usableStore?.engine else { return nil }
        let reader =
            state.spareReaders.popLast() ?? Reconstructor(owner: ObjectIdentifier(self), keepsTouches: index != nil)
        var pending = PendingReads(queue: state.queue.shown, after: state.queue.wipePlace, shift: state.shift)
        let everything = state.unsettled.everything
        if let everything {
            // Too much of the store is not what was last set to tell it apart.
            pending.afterNumber = everything
        } else if state.queue.wipePlace == 0 {
            pending.unsettled = state.unsettled.writes
        }
        let showsStore = everything == nil && state.queue.wipePlace == 0
        if showsStore { state.activeReads += 1 }
        return ReadStart(
            reader: reader, store: showsStore ? store : nil, pending: pending, epoch: state.epoch,
            epochNumber: state.epoch.current, forgottenDeletion: state.forgottenDeletion)
    }

    /// Gives up a read that has no view.
    private func abandon(_ start: ReadStart) {
        let isLast = state.withLock { state in
            if state.spareReaders.count < 8 { state.spareReaders.append(start.reader) }
            return state.endsLastRead()
        }
        if isLast { readsEnded.signal() }
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
        var isObserved = false
        var mustAbsorb = false
        let isLast = state.withLock { state in
            if index != nil { mustAbsorb = reader.handTouches(to: &state) }
            if isHit { state.hits += 1 }
            if let miss { state.misses[miss, default: 0] += 1 }
            isObserved = !state.observerEntries.isEmpty
            if state.spareReaders.count < 8 { state.spareReaders.append(reader) }
            return hadView && state.endsLastRead()
        }
        if isLast { readsEnded.signal() }
        if mustAbsorb { writer.async { self.absorbTouches() } }
        return isObserved
    }

    /// - Throws: ``CacheError`` with code `reentrant` where this thread is inside a read of this cache.
    func checkReentrance() throws(CacheError) {
        guard CurrentRead.isUnderWay(ObjectIdentifier(self)) else { return }
        throw CacheError(
            .reentrant, "A model's initialiser called back into the cache that is reading it; read before or after.")
    }

    /// Returns when no read has a view.
    ///
    /// New ones must have been turned away before.
    func awaitReads() {
        let mustWait = state.withLock { state in
            state.isAwaitingReads = state.activeReads > 0
            return state.isAwaitingReads
        }
        if mustWait { readsEnded.wait() }
    }

    /// Tells observers of a read that found `identifier`, on the reading thread.
    func tellHit(_ identifier: ModelIdentifier) {
        for observer in state.withLock({ $0.observers }) { observer.cacheDidHit(identifier) }
    }

    /// Takes in a handle and its observer.
    ///
    /// - Returns: the number by which the handle leaves.
    func enter(_ observer: (any CacheObserver)?) -> UInt64 { state.withLock { $0.enter(observer) } }

    /// Tells observers that the store was made again when it was opened, where it was.
    func tellOfRebuild() {
        if let rebuiltAfter { notify { $0.cacheDidRebuild(after: rebuiltAfter) } }
    }

    /// Lets the observer and the streams of a handle go, after they were told what was committed before.
    func leave(_ handle: UInt64) {
        // Whoever goes with its last reference may call the cache, so not under the lock.
        let left = state.withLock { state in
            defer { state.observerEntries.removeAll { $0.handle == handle } }
            return state.observerEntries.filter { $0.handle == handle }
        }
        defer { extendLifetime(left) }
        if let index { writer.async { index.pins.leave(handle) } }
        guard !changes.isIdle else { return }
        events.async { [changes] in changes.end(handle) }
    }

    /// Tells observers of something, in order.
    func notify(_ event: @escaping @Sendable (any CacheObserver) -> Void) {
        let observers = state.withLock { $0.observers }
        guard !observers.isEmpty else { return }
        events.async { for observer in observers { event(observer) } }
    }

    /// Runs `body` on the store while it cannot be closed or wiped.
    ///
    /// - Throws: ``CacheError`` with code `closed`, `suspended` or `reentrant`, and what `body` throws.
    func withOpenStore<Value>(_ body: (any NodeStore) throws(CacheError) -> Value) throws(CacheError) -> Value {
        try checkReentrance()
        return try writer.sync { inOpenStore(body) }.get()
    }

    /// The same, without blocking the caller's thread.
    func withOpenStore<Value: Sendable>(
        _ body: @escaping @Sendable (any NodeStore) throws(CacheError) -> Value
    ) async throws(CacheError) -> Value {
        try checkReentrance()
        let outcome: Result<Value, CacheError> = await withCheckedContinuation { continuation in
            writer.async { [self] in continuation.resume(returning: inOpenStore(body)) }
        }
        return try outcome.get()
    }

    private func inOpenStore<Value>(
        _ body: (any NodeStore) throws(CacheError) -> Value
    ) -> Result<Value, CacheError> {
        do throws(CacheError) {
            try state.withLock { (state) throws(CacheError) in try state.life.checkUsable() }
            return .success(try body(try currentStore()))
        } catch {
            return .failure(error)
        }
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
}

extension CacheError {
    static var isClosed: CacheError { CacheError(.closed, "The cache is closed.") }

    static var isSuspended: CacheError {
        CacheError(.suspended, "The cache is suspended; call `resume()` before it is used again.")
    }
}
