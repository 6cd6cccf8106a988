import GroveCoding
import GroveModel

/// The values that a call, a read and the writer must see together, behind one lock.
///
/// The lock is held to look at them or to change them, and never across a call to an engine, a file or an observer.
struct CacheState: Sendable {
    /// The store, and whether calls are taken.
    var life: StoreLife { didSet { dropSnapshot() } }
    /// The files as they were when the store was last opened.
    var files: KnownFiles { didSet { if files.word != oldValue.word { dropSnapshot() } } }
    /// The numbers of calls.
    var numbers: CallNumbers
    /// Commits of all processes.
    var commits: KnownCommits { didSet { snapshot?.note(commitCount: commits.count) } }
    /// Wipes of all processes, and the life of the cache that the last one has begun.
    var wipes: KnownWipes
    /// Calls whose commits are not visible yet.
    private(set) var queue: WriteQueue
    /// Advances with each call that fails, and if the store is opened again.
    let epoch: ReadEpoch
    /// The queued calls and lost keys that the store does not show.
    var overlay: Overlay
    /// The snapshot that reads begin with; `nil` if the next read makes it.
    private var snapshot: ReadSnapshot?
    /// Callers that wait until the queue has room.
    var waiting = WaitingLine<Void>()
    var isDrainScheduled = false
}

extension CacheState {
    init(_ opened: StoreSource.Opened, epoch: ReadEpoch, queueLimit: Int) {
        life = StoreLife(OpenStore(opened.store, opened.generation))
        files = KnownFiles(word: opened.generation?.word, identity: opened.file)
        numbers = CallNumbers(opened.state)
        commits = KnownCommits(opened.commitCount, opened.state)
        wipes = KnownWipes(opened.generation)
        self.epoch = epoch
        queue = WriteQueue(limit: queueLimit)
        overlay = Overlay(lostLimit: max(queueLimit, 1 << 20))
    }

    /// Whether a view of the store, while that is open, shows all there is.
    var isPlain: Bool { queue.showsNothing && !overlay.hasLost }

    // MARK: Reads

    /// The snapshot that a read begins with, already entered; `nil` if the store must be opened again first.
    ///
    /// - Throws: ``CacheError`` with code `closed` or `suspended`.
    mutating func enterSnapshot(_ core: CacheCore) throws(CacheError) -> ReadSnapshot? {
        try life.checkUsable()
        guard let store = usableStore else { return nil }
        let snapshot = self.snapshot ?? makeSnapshot(store, core)
        self.snapshot = snapshot
        _ = snapshot.enter()
        return snapshot
    }

    /// A snapshot of now.
    ///
    /// Commits may change ``CallNumbers/shift`` and ``CallNumbers/forgottenDeletion`` while it stands: a read asks its
    /// view for both.
    private func makeSnapshot(_ store: OpenStore, _ core: CacheCore) -> ReadSnapshot {
        let everything = overlay.everything
        let showsStore = everything == nil && queue.wipePlace == .zero
        // If everything in the store is lost, only later calls count.
        let pending =
            isPlain
            ? nil
            : PendingReads(
                core, at: overlay.lastPlace, showsLost: showsStore, afterNumber: everything ?? .zero,
                PendingReads.Placement(
                    afterPlace: max(queue.wipePlace, queue.leftPlace), shift: numbers.shift,
                    forgottenDeletion: showsStore ? numbers.forgottenDeletion : .zero))
        return ReadSnapshot(
            store, showsStore: showsStore, epoch: epoch.current, word: files.word, commitCount: commits.count,
            pending: pending)
    }

    /// Makes reads look at the state again: what they begin with is about to change, or has changed under this lock.
    ///
    /// To be called before an entry of the overlay ends: reads that go on need the entry.
    private mutating func dropSnapshot() {
        if let snapshot = snapshot.take(), snapshot.fall() { overlay.keep(snapshot) }
    }

    // MARK: Calls

    /// Whether the first call of the queue empties the store.
    var isWipeNext: Bool { queue.calls.first?.isWipe == true }

    /// Puts `call` behind all others in the queue.
    mutating func append(_ call: PendingWrite) {
        if call.isWipe || call.isShown { dropSnapshot() }
        call.take(place: overlay.nextPlace())
        queue.append(call)
        if call.isShown { overlay.insert(call) }
    }

    /// Takes `group`, the first calls of the queue, out of it: they are committed.
    mutating func leave(_ group: [PendingWrite]) {
        if !queue.showsNothing { dropSnapshot() }
        settle(by: group)
        queue.removeFirst(group.count)
        for call in group where call.isShown { overlay.leave(call) }
    }

    /// Lets go of lost keys that `writes`, which were committed, have made good.
    mutating func settle(by writes: [PendingWrite]) {
        guard overlay.hasLost else { return }
        dropSnapshot()
        // A superseded write makes nothing good.
        for write in writes where !write.isSuperseded { overlay.settle(by: write) }
    }

    /// Lets go of those of `lost` whose keys `invalidation`, which was committed, has forgotten.
    mutating func settle(_ lost: Set<ObjectIdentifier>, by invalidation: PendingWrite) {
        dropSnapshot()
        overlay.settle(lost, by: invalidation)
    }

    /// Makes what `write` names a miss: the store does not hold what was last set.
    ///
    /// A read that has looked at the queue and has no view yet begins again: its view may show later calls.
    mutating func forget(_ write: PendingWrite) {
        dropSnapshot()
        let isFirst = queue.calls.first.map { write.sequence < $0.sequence } ?? true
        overlay.lose(write, at: isFirst ? numbers.place(ofCall: write.sequence) : nil)
        epoch.advance()
    }

    /// Takes `write`, which failed, out of the queue.
    ///
    /// If no caller waits for it, its keys become misses: the store does not hold what was last set.
    ///
    /// - Returns: false if it was not in the queue any more.
    mutating func fail(_ write: PendingWrite) -> Bool {
        dropSnapshot()
        guard queue.remove(write) else { return false }
        if write.isShown { overlay.remove(write) }
        if write.completion == nil { forget(write) }
        return true
    }

    /// Takes every call up to number `sequence` out of the queue, but for those that empty the store; returns them in
    /// order.
    mutating func removeCalls(upTo sequence: LocalNumber) -> [PendingWrite] {
        dropSnapshot()
        let removed = queue.removeAll(upTo: sequence)
        for call in removed where call.isShown { overlay.remove(call) }
        return removed
    }
}
