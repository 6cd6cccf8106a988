import Dispatch
import GroveCoding
import GroveModel

/// The core of a cache, which all handles on one store share; each of its parts has an owner of its own.
///
/// ``state`` holds the values that calls, reads and the writer must see together. ``readers`` keeps the readers,
/// ``ledger`` the writer's results, ``audience`` the observers and streams, ``handles`` the open handles. ``evictor``
/// is the writer's alone. Everything that opens, commits, evicts or closes runs on ``writer``.
final class CacheCore: Sendable {
    let source: StoreSource
    let state: Lock<CacheState>
    /// The queued calls and lost keys that the store does not show, for readers; ``state`` has the table too.
    let overlay: OverlayTable
    let readers = Readers()
    let ledger = WriteLedger()
    let audience = Audience()
    let followers = Followers()
    let handles: OpenHandles
    /// The evictor, if there is a budget.
    let evictor: Evictor?
    let ages: Ages
    /// The results of the first opening of the store.
    let opening: Opening
    /// Commits, one after the other; of code of users only the bodies of their transactions run here.
    let writer = DispatchQueue(label: "grove.cache.writer", qos: .utility)
    static let writerKey = DispatchSpecificKey<ObjectIdentifier>()

    /// The clock of confirmations, and the rule by which writes renew them.
    struct Ages {
        /// The time of confirmations.
        let clock: AgeClock
        /// The age from which the time of a record is renewed by a write that changes nothing.
        let renewal = RenewalInterval()
    }

    /// The opening of the store by a core.
    struct Opening {
        /// The identifier by which the store remembers this cache, if that is among its last writers.
        let session = SessionID.random()
        /// Whether the bytes of a view stay until it ends.
        let keepsBytes: Bool
        /// The error for which the store was set aside and made again, if it was.
        let rebuiltAfter: CacheError?
    }

    /// Opens the store.
    init(
        _ source: StoreSource, queueLimit: Int, budget: CacheBudget = .unlimited,
        clock: AgeClock = AgeClock(now: nil)
    ) throws(CacheError) {
        self.source = source
        ages = Ages(clock: clock)
        let handles = OpenHandles()
        self.handles = handles
        evictor = budget.isLimited ? Evictor(budget, handles) : nil
        if let age = budget.expiresAfter { ages.renewal.note(maxAge: age) }
        let opened = try source.opened(within: evictor)
        opening = Opening(keepsBytes: opened.store.keepsBytes, rebuiltAfter: opened.rebuiltAfter)
        let state = CacheState(opened, epoch: readers.epoch, queueLimit: queueLimit)
        overlay = state.overlay.table
        self.state = Lock(state)
        writer.setSpecific(key: Self.writerKey, value: ObjectIdentifier(self))
    }

    // MARK: Handles

    /// Takes in a handle and its observer.
    ///
    /// - Returns: the identifier by which the handle leaves.
    func enter(_ observer: (any CacheObserver)?) -> HandleID {
        let handle = handles.enter()
        // An observer is not told of earlier writes.
        if !audience.hasObservers { _ = ledger.takeReport() }
        if let observer { audience.enter(observer, of: handle) }
        return handle
    }

    /// The limit of the commits that the store remembers.
    var historyLimit: HistoryLimit {
        HistoryLimit(commits: handles.historyLength, within: evictor?.budget.bytes)
    }

    /// Tells observers that the store was made again when it was opened, if it was.
    func tellOfRebuild() {
        if let rebuiltAfter = opening.rebuiltAfter { audience.tell { $0.cacheDidRebuild(after: rebuiltAfter) } }
    }

    /// Lets the observer, the streams and the pins of a handle go.
    func leave(_ handle: HandleID) {
        handles.leave(handle)
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
        Result { () throws(CacheError) in
            try state.withLock { (state) throws(CacheError) in try state.life.checkUsable() }
            return try body(try currentStore())
        }
    }
}

extension CacheError {
    static var isClosed: CacheError { CacheError(.closed, "The cache is closed.") }

    static var isSuspended: CacheError {
        CacheError(.suspended, "The cache is suspended; call `resume()` before it is used again.")
    }
}
