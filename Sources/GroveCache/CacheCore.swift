import Dispatch
import GroveModel
import Synchronization

/// What all handles on one store share: it joins the rooms, each of which has its own owner.
///
/// ``state`` is what calls, reads and the writer must see together. ``readers`` keeps the readers, ``ledger`` what the
/// writer has done, ``audience`` who is told. ``evictor`` is the writer's alone. Everything that
/// opens, commits, evicts or closes runs on ``writer``.
final class CacheCore: Sendable {
    let source: StoreSource
    let state: Lock<CacheState>
    /// Advances with each call that fails and each opening; ``state`` has it too.
    let epoch = ReadEpoch()
    /// What the store does not show, for readers; ``state`` has it too.
    let overlay: OverlayTable
    let readers = Readers()
    /// The views that users hold open.
    let openViews = OpenViews()
    let ledger = WriteLedger()
    let audience = Audience()
    /// Who evicts, if there is a budget.
    let evictor: Evictor?

    /// The most bytes of queued writes; what `setModel` brings beyond them becomes an invalidation.
    let queueLimit: Int
    /// The most bytes that name what could not be stored.
    let lostLimit: Int
    /// What tells the time of confirmations.
    let clock: AgeClock
    /// How old the time of a record must be for a write that changes nothing to renew it.
    let renewal = RenewalInterval()
    /// What the store remembers this cache by if that wrote last.
    let session = SessionID.random()
    /// Whether the bytes of a view stay until it ends.
    let keepsBytes: Bool

    /// Commits, one after the other; of code of users only the bodies of their transactions run here.
    let writer = DispatchQueue(label: "grove.cache.writer", qos: .utility)
    static let writerKey = DispatchSpecificKey<ObjectIdentifier>()
    /// Reads that were asked for with a completion.
    let readQueue = DispatchQueue(label: "grove.cache.readers", qos: .userInitiated, attributes: .concurrent)
    /// Where the calls of followers wait for a moment.
    let followers = FollowerLine()
    /// What this process did to lists lately, for answers of the network that were asked for before.
    let listLog = ListLog()
    /// Whether an answer can be as of a place.
    let isPlaceTaken = Atomic(false)
    /// Which edits of lists followers have in which commit.
    let ownEdits = OwnEdits()
    /// What the transaction that is about to commit leaves behind: a view may show it before ``state`` says so.
    let upcoming = Lock<TransactionSummary?>(nil)
    /// How many commits the history is to have: the most that a handle asked for.
    private let historyLength = Atomic(0)
    /// The number of the handle that was opened last.
    private let handles = Atomic<UInt64>(0)
    /// Why the store was set aside and made again when it was opened first, if it was.
    private let rebuiltAfter: CacheError?

    /// Opens the store.
    init(
        _ source: StoreSource, queueLimit: Int, budget: CacheBudget = .unlimited,
        clock: AgeClock = AgeClock(now: nil)
    ) throws(CacheError) {
        self.source = source
        self.clock = clock
        evictor = budget.isLimited ? Evictor(budget) : nil
        self.queueLimit = queueLimit
        lostLimit = max(queueLimit, 1 << 20)
        if let age = budget.expiresAfter { renewal.note(maxAge: age) }
        let opened = try source.opened(within: evictor)
        rebuiltAfter = opened.rebuiltAfter
        keepsBytes = opened.store.keepsBytes
        let state = CacheState(opened, epoch: epoch, lostLimit: lostLimit)
        overlay = state.overlay.table
        self.state = Lock(state)
        writer.setSpecific(key: Self.writerKey, value: ObjectIdentifier(self))
    }

    // MARK: Handles

    /// Takes in a handle and its observer.
    ///
    /// - Returns: what the handle leaves by.
    func enter(_ observer: (any CacheObserver)?) -> HandleID {
        let handle = HandleID(rawValue: handles.add(1, ordering: .relaxed).newValue)
        // An observer is not told of what was before.
        if !audience.hasObservers { _ = ledger.takeReport() }
        if let observer { audience.enter(observer, of: handle) }
        return handle
    }

    /// Keeps a history of at least so many commits from now on.
    func keepHistory(of commits: Int) {
        historyLength.max(commits, ordering: .relaxed)
    }

    /// How much the store remembers of its commits.
    var historyLimit: HistoryLimit {
        HistoryLimit(commits: historyLength.load(ordering: .relaxed), within: evictor?.budget.bytes)
    }

    /// Tells observers that the store was made again when it was opened, if it was.
    func tellOfRebuild() {
        if let rebuiltAfter { audience.tell { $0.cacheDidRebuild(after: rebuiltAfter) } }
    }

    /// Lets the observer, the streams and the pins of a handle go.
    func leave(_ handle: HandleID) {
        if let evictor { writer.async { evictor.pins.leave(handle) } }
        audience.leave(handle)
    }

    /// Whether the caller runs on the writer's queue.
    var isOnWriter: Bool { DispatchQueue.getSpecific(key: Self.writerKey) == ObjectIdentifier(self) }

    /// - Throws: ``CacheError`` with code `reentrant` if this thread is inside a read of this cache.
    func checkReentrance() throws(CacheError) {
        guard CurrentRead.isUnderWay(ObjectIdentifier(self)) else { return }
        throw CacheError(
            .reentrant,
            "The cache was called inside one of its own reads or transactions: use the view or the transaction there.")
    }

    // MARK: The store itself

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
}

extension CacheError {
    static var isClosed: CacheError { CacheError(.closed, "The cache is closed.") }

    static var isSuspended: CacheError {
        CacheError(.suspended, "The cache is suspended; call `resume()` before it is used again.")
    }
}
