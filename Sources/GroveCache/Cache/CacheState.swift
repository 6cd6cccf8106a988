import GroveModel
import Synchronization

/// What the handles, readers and writer of one store share, behind one lock.
struct CacheState: Sendable {
    /// The store, and whether calls are taken.
    var life: StoreLife
    /// The generation's word and the file as they were when the store was last opened; no word where no other process may
    /// have it open, and no file in memory or where it was gone.
    var lastWord: UInt64?
    var lastFile: FileIdentity?
    /// The number of the last call that writes.
    var sequence: UInt64
    /// What other processes' writes added to the numbers since.
    var shift: UInt64 = 0
    /// See ``StoreState/forgottenDeletion``.
    var forgottenDeletion: UInt64
    /// The highest number that the store held when this process last looked.
    var lastCommitted: UInt64
    /// What the writer knows of nodes; `nil` where it is nothing, or in the hands of a group commit.
    var fingerprints: Fingerprints?
    /// Calls whose commits are not visible yet.
    var queue = WriteQueue()
    /// Advances with each call that fails.
    let epoch = ReadEpoch()
    /// What could not be stored.
    var unsettled = Unsettled()
    /// Callers that wait until the queue has room.
    var waiting = WaitingLine<Void>()
    var isDrainScheduled = false
    /// The number of the last call that does not land any more: what is there now is from after it.
    var wipedAt: UInt64 = 0
    /// The number of the last call before others replaced the files, which may hold what such calls were to replace.
    var replacedAt: UInt64 = 0
    var spareReaders: [Reconstructor] = []
    /// Reads that hold a view of the store open.
    var activeReads = 0
    var isAwaitingReads = false
    /// Why what was committed may not survive loss of power, since a sync failed: a later one that succeeds says nothing
    /// of what that one left out.
    var synchronizationFailure: CacheError?
    /// The first failure of a write that nobody waited for, until `flush()` reports it.
    var failure: CacheError?
    /// Whoever observes, and the handle with which they leave.
    var observerEntries: [(handle: UInt64, observer: any CacheObserver)] = []
    /// The number of the handle that was opened last.
    var handles: UInt64 = 0
    /// Reads that found what they looked for, and those that did not, by reason.
    var hits = 0
    var misses: [CacheMiss.Reason: Int] = [:]
    /// What the writer has done.
    var tally = WriteTally()
    /// What reads have touched since the writer last looked, in order; nothing where there is no budget.
    var touches: ContiguousArray<UInt64> = []
    var isTouchScheduled = false
    /// What reads with a maximum age found too old since then.
    var expired: [ExpiryQueue.Candidate] = []
}

extension CacheState {
    /// Whoever observes.
    var observers: [any CacheObserver] { observerEntries.isEmpty ? [] : observerEntries.map(\.observer) }

    /// Takes in a handle and its observer.
    mutating func enter(_ observer: (any CacheObserver)?) -> UInt64 {
        handles += 1
        // Nobody is told of what was before.
        if observerEntries.isEmpty { tally.unreported = CommitReport() }
        if let observer { observerEntries.append((handles, observer)) }
        return handles
    }

    /// Takes `group`, the first calls of the queue, out of it: what they brought is committed.
    mutating func leave(_ group: [PendingWrite]) {
        queue.removeFirst(group.count)
        for write in group { unsettled.settle(by: write) }
    }

    /// Counts a read with a view less; returns whether it was the last of those that a caller waits for.
    mutating func endsLastRead() -> Bool {
        activeReads -= 1
        guard isAwaitingReads, activeReads == 0 else { return false }
        isAwaitingReads = false
        return true
    }

    /// Makes what `write` names a miss: the store does not hold what was last set.
    ///
    /// A read that has looked at the queue and has no view yet begins again: its view may show what was called later.
    mutating func forget(_ write: PendingWrite) {
        unsettled.add(write)
        epoch.advance()
    }

    /// Takes `write`, which failed with `error`, out of the queue.
    ///
    /// Where no caller waits for it, what the store still holds under its keys is not what was last set: a miss.
    ///
    /// - Returns: false where it was not in the queue any more.
    mutating func fail(_ write: PendingWrite, _ error: CacheError) -> Bool {
        guard queue.remove(write) else { return false }
        tally.failures += 1
        guard write.completion == nil else { return true }
        if failure == nil, error.code != .cancelled { failure = error }
        forget(write)
        return true
    }
}

/// How often something happened that a read must not miss between its look at the queue and its view of the store.
final class ReadEpoch: Sendable {
    private let number = Atomic<UInt64>(0)

    var current: UInt64 { number.load(ordering: .acquiring) }

    func advance() { number.add(1, ordering: .releasing) }
}
