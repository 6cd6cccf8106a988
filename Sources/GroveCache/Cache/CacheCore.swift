import Dispatch
import GroveModel
import Synchronization

/// What all handles on one store share: the store, the queue of writes and the pool of readers.
///
/// Reads capture the store's view and the queue under one lock, and a write leaves the queue under that lock once its
/// commit is visible: so a read sees every write that was queued before it, and never half of one.
final class CacheCore: Sendable {
    let store: any NodeStore
    let state: Mutex<CacheState>
    private let keepsBytes: Bool
    /// The most bytes of queued writes; what `setModel` brings beyond them becomes an invalidation.
    private let queueLimit: Int
    /// The store's directory, `nil` in memory.
    private let directory: String?
    /// Commits, one after the other; no code of a user runs here.
    let writer = DispatchQueue(label: "grove.cache.writer", qos: .utility)
    /// Reads that were asked for with a completion.
    let readers = DispatchQueue(label: "grove.cache.readers", qos: .userInitiated, attributes: .concurrent)
    /// Calls to observers, in order.
    let events = DispatchQueue(label: "grove.cache.events", qos: .utility)
    private let readsEnded = DispatchSemaphore(value: 0)
    /// What the transaction that is about to commit leaves behind: a view may show it before ``state`` says so.
    private let upcoming = Mutex<GroupSummary?>(nil)

    init(store: some NodeStore, directory: String?, queueLimit: Int) throws(CacheError) {
        self.store = store
        self.queueLimit = queueLimit
        self.directory = directory
        keepsBytes = store.keepsBytes
        let stored: StoreState
        do throws(CacheError) {
            stored = try CacheCore.state(of: store)
        } catch {
            // Whoever opens the directory next must not find it locked by a store that nobody holds.
            store.close()
            throw error
        }
        state = Mutex(
            CacheState(
                sequence: stored.sequence, forgottenDeletion: stored.forgottenDeletion,
                lastCommitted: stored.sequence))
    }

    private static func state(of store: some NodeStore) throws(CacheError) -> StoreState {
        let view = try store.view()
        defer { view.end() }
        return try StoreState(view)
    }

    // MARK: Reading

    /// Begins a read over one consistent view and the writes queued at this moment; ``endRead(_:)`` must follow.
    ///
    /// - Throws: ``CacheError`` with code `closed` or `reentrant`, and what the store throws.
    func beginRead() throws(CacheError) -> Reconstructor {
        try checkReentrance()
        let owner = ObjectIdentifier(self)
        return try state.withLock { (state) throws(CacheError) -> Reconstructor in
            guard !state.isClosed else { throw CacheError.isClosed }
            let reader = state.spareReaders.popLast() ?? Reconstructor(owner: owner)
            let wipe = state.pending.isEmpty ? nil : state.pending.lastIndex(where: \.isWipe)
            if let wipe {
                // The store is about to be emptied: nothing of it shows, and nobody may hold it open.
                reader.begin(
                    nil, keepsBytes: false, pending: Array(state.pending[(wipe + 1)...]), shift: state.shift,
                    forgottenDeletion: 0)
            } else {
                let view = try store.view()
                let pending = state.unsettled.isEmpty ? state.pending : state.unsettled + state.pending
                let place = pending.isEmpty ? (0, 0) : try place(in: view, state)
                reader.begin(
                    view, keepsBytes: keepsBytes, pending: pending, shift: place.0, forgottenDeletion: place.1)
                state.activeReads += 1
            }
            return reader
        }
    }

    /// By how much queued calls are shifted over what `view` shows, other processes' commits included, and the highest
    /// number of a deletion that it has forgotten.
    private func place(
        in view: any NodeView, _ state: borrowing CacheState
    ) throws(CacheError) -> (shift: UInt64, forgottenDeletion: UInt64) {
        let stored: StoreState
        do throws(CacheError) {
            stored = try StoreState(view)
        } catch {
            view.end()
            throw error
        }
        if let upcoming = upcoming.withLock({ $0 }), stored.sequence >= upcoming.sequence {
            return (upcoming.shift + (stored.sequence - upcoming.sequence), stored.forgottenDeletion)
        }
        let foreign = stored.sequence > state.lastCommitted ? stored.sequence - state.lastCommitted : 0
        return (state.shift + foreign, stored.forgottenDeletion)
    }

    /// Ends a read; its reader is not used again by the caller.
    func endRead(_ reader: Reconstructor) {
        let hadView = reader.hasView
        reader.end()
        let isLast = state.withLock { state in
            if hadView { state.activeReads -= 1 }
            if state.spareReaders.count < 8 { state.spareReaders.append(reader) }
            guard state.isAwaitingReads, state.activeReads == 0 else { return false }
            state.isAwaitingReads = false
            return true
        }
        if isLast { readsEnded.signal() }
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
    private func awaitReads() {
        let mustWait = state.withLock { state in
            state.isAwaitingReads = state.activeReads > 0
            return state.isAwaitingReads
        }
        if mustWait { readsEnded.wait() }
    }

    // MARK: Writing

    /// Takes the number of a call that writes, at the moment it is made.
    func takeSequence() throws(CacheError) -> UInt64 {
        try state.withLock { (state) throws(CacheError) -> UInt64 in
            guard !state.isClosed else { throw CacheError.isClosed }
            state.sequence += 1
            return state.sequence
        }
    }

    /// Queues `write`; from now on every read sees it.
    ///
    /// - Throws: ``CacheError`` with code `closed`, or `cancelled` where the store was wiped since the call was made.
    func enqueue(_ write: PendingWrite, schedulingDrain: Bool) throws(CacheError) {
        var isRefused = false
        let mustSchedule = try state.withLock { (state) throws(CacheError) -> Bool in
            guard !state.isClosed else { throw CacheError.isClosed }
            guard write.sequence > state.wipedAt || write.isWipe else {
                throw CacheError(.cancelled, "The cache was wiped after the call was made.")
            }
            if write.isWipe { state.wipedAt = max(state.wipedAt, write.sequence) }
            // Whoever waits for a write is held up elsewhere; what nobody waits for must not fill the memory.
            if write.completion == nil, !write.isInvalidation, state.pendingBytes + write.byteCount > queueLimit {
                isRefused = true
                let invalidation = write.invalidation
                state.pending.append(invalidation)
                state.pendingBytes += invalidation.byteCount
            } else {
                state.pending.append(write)
                state.pendingBytes += write.byteCount
            }
            guard schedulingDrain, !state.isDrainScheduled else { return false }
            state.isDrainScheduled = true
            return true
        }
        if mustSchedule { writer.async { self.drain(isScheduled: true) } }
        if isRefused {
            throw CacheError(
                .queueFull, "More than \(queueLimit) bytes of writes are queued; what the call names is forgotten.")
        }
    }

    /// Commits what is queued, on the calling thread, and returns when it is visible.
    func drainNow() { writer.sync { self.drain(isScheduled: false) } }

    /// Group commit: everything queued goes into few transactions, in order.
    ///
    /// Runs on ``writer`` only.
    private func drain(isScheduled: Bool) {
        let isStoreClosed = state.withLock { state in
            if isScheduled { state.isDrainScheduled = false }
            return state.isStoreClosed
        }
        while !isStoreClosed {
            let group = state.withLock { CacheCore.nextGroup($0.pending) }
            settle()
            guard !group.isEmpty else { return }
            let outcomes = commit(group)
            finish(group, outcomes)
        }
    }

    /// Tries again to forget what could not be stored.
    private func settle() {
        var unsettled = state.withLock { $0.unsettled }
        guard !unsettled.isEmpty else { return }
        if (try? transact(unsettled)) != nil {
            unsettled = []
        } else if unsettled.count > 1 {
            // One that the store refuses must not keep the others. Where it refuses everything, a few tell.
            var refused: [PendingWrite] = []
            while refused.count < 8, !unsettled.isEmpty {
                let write = unsettled.removeFirst()
                if (try? transact([write])) == nil { refused.append(write) }
            }
            unsettled += refused
        }
        state.withLock { $0.unsettled = unsettled }
    }

    /// Returns when the queue has room for another write, at once where it has.
    func awaitRoom() async {
        // Those who waited together look again one after the other: the first may have filled the queue.
        while state.withLock({ !hasRoom($0) }) {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    guard !hasRoom(state) else { return false }
                    state.waiting.append(continuation)
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        }
    }

    private func hasRoom(_ state: borrowing CacheState) -> Bool {
        state.pendingBytes <= queueLimit || state.pending.isEmpty || state.isClosed
    }

    private static func nextGroup(_ pending: [PendingWrite]) -> [PendingWrite] {
        var bytes = 0
        var count = 0
        for write in pending {
            if write.isWipe {
                if count == 0 { count = 1 }
                break
            }
            bytes += write.byteCount
            guard count == 0 || bytes <= GroupLimit.bytes else { break }
            count += 1
        }
        return Array(pending.prefix(count))
    }

    private func commit(_ group: [PendingWrite]) -> [Result<ChangeSet, CacheError>] {
        if let wipe = group.first, wipe.isWipe { return [wipeStore(wipe)] }
        do throws(CacheError) {
            return try transact(group).map { .success($0) }
        } catch {
            guard group.count > 1 else { return [.failure(error)] }
        }
        // One write that cannot be stored must not take its neighbours with it.
        return group.map { write in
            do throws(CacheError) {
                return .success(try transact([write])[0])
            } catch {
                return .failure(error)
            }
        }
    }

    private func transact(_ group: [PendingWrite]) throws(CacheError) -> [ChangeSet] {
        var changes: [ChangeSet] = []
        var committed: GroupSummary?
        defer { upcoming.withLock { $0 = nil } }
        let before = state.withLock { ($0.shift, $0.forgottenDeletion, $0.lastCommitted) }
        try store.transact { (transaction) throws(CacheError) in
            var commit = try GroupCommit(transaction, shift: before.0, lastCommitted: before.2)
            changes = []
            for write in group { changes.append(try commit.apply(write)) }
            try commit.finish()
            committed = commit.summary
            upcoming.withLock { $0 = commit.summary }
        }
        if let committed {
            state.withLock { state in
                state.shift = committed.shift
                state.forgottenDeletion = committed.forgottenDeletion
                state.lastCommitted = committed.sequence
            }
        }
        return changes
    }

    private func wipeStore(_ wipe: PendingWrite) -> Result<ChangeSet, CacheError> {
        awaitReads()
        do throws(CacheError) {
            try store.wipe()
            if let directory { try StoreDirectory.removeSetAside(directory) }
            state.withLock { state in
                state.forgottenDeletion = 0
                state.lastCommitted = 0
            }
            return .success(ChangeSet(sequence: wipe.sequence))
        } catch {
            return .failure(error)
        }
    }

    /// Lets the committed writes leave the queue, then tells whoever waits and whoever observes.
    private func finish(_ group: [PendingWrite], _ outcomes: [Result<ChangeSet, CacheError>]) {
        var waiting: [CheckedContinuation<Void, Never>] = []
        let observers = state.withLock { state in
            state.pending.removeFirst(group.count)
            for (write, outcome) in zip(group, outcomes) {
                state.pendingBytes -= write.byteCount
                guard case .failure(let error) = outcome else {
                    state.settle(by: write)
                    continue
                }
                guard write.completion == nil else { continue }
                if state.failure == nil { state.failure = error }
                // Nobody waited: what the store still holds under these keys is not what was last set.
                state.unsettled.append(write.isInvalidation ? write : write.invalidation)
            }
            if state.pendingBytes <= queueLimit / 2 || state.pending.isEmpty, !state.waiting.isEmpty {
                waiting = state.waiting
                state.waiting = []
            }
            return state.observers
        }
        for continuation in waiting { continuation.resume() }
        for (write, outcome) in zip(group, outcomes) { write.completion?(outcome) }
        guard !observers.isEmpty else { return }
        let isAwaited = group.map { $0.completion != nil }
        events.async {
            for (index, outcome) in outcomes.enumerated() {
                for observer in observers {
                    switch outcome {
                    case .success(let changes): if !changes.isEmpty { observer.cacheDidCommit(changes) }
                    case .failure(let error): if !isAwaited[index] { observer.cacheDidFailToWrite(error) }
                    }
                }
            }
        }
    }

    /// Reports a write that failed before it could be queued.
    func reportFailure(_ error: CacheError) {
        let observers = state.withLock { state in
            if state.failure == nil { state.failure = error }
            return state.observers
        }
        guard !observers.isEmpty else { return }
        events.async { for observer in observers { observer.cacheDidFailToWrite(error) } }
    }

    /// Tells observers of something, in order.
    func notify(_ event: @escaping @Sendable (any CacheObserver) -> Void) {
        let observers = state.withLock { $0.observers }
        guard !observers.isEmpty else { return }
        events.async { for observer in observers { event(observer) } }
    }

    /// Runs `body` on the store while it cannot be closed or wiped.
    ///
    /// - Throws: ``CacheError`` with code `closed` or `reentrant`, and what `body` throws.
    func withOpenStore<Value>(_ body: (any NodeStore) throws(CacheError) -> Value) throws(CacheError) -> Value {
        try checkReentrance()
        return try writer.sync { () -> Result<Value, CacheError> in
            guard !state.withLock({ $0.isClosed }) else { return .failure(.isClosed) }
            do throws(CacheError) {
                return .success(try body(store))
            } catch {
                return .failure(error)
            }
        }.get()
    }

    // MARK: Closing

    /// Commits what is queued, waits for reads, and closes the store.
    ///
    /// Calls after the first return when it is done.
    func close() {
        state.withLock { $0.isClosed = true }
        writer.sync {
            guard !state.withLock({ $0.isStoreClosed }) else { return }
            drain(isScheduled: false)
            awaitReads()
            state.withLock { state in
                state.spareReaders = []
                state.isStoreClosed = true
            }
            store.close()
        }
    }
}

/// The size of a group commit.
enum GroupLimit {
    /// A group closes once its writes hold this many bytes in memory; a larger write is a group of its own.
    static let bytes = 8 << 20
}

extension CacheError {
    static var isClosed: CacheError { CacheError(.closed, "The cache is closed.") }
}

extension NodeStore {
    /// Whether a view's bytes stay until it ends.
    fileprivate var keepsBytes: Bool { View.keepsBytes }

    /// ``write(_:)`` for whoever does not know the type of the transaction.
    fileprivate func transact(_ body: (any NodeTransaction) throws(CacheError) -> Void) throws(CacheError) {
        try write { (transaction) throws(CacheError) in try body(transaction) }
    }
}
