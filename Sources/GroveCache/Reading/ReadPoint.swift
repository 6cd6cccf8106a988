import GroveModel
import Synchronization

/// What a read begins with: the store that is open, and what a view of it does not show (decision 19).
///
/// All readers share one while it *stands*: while nothing of that changes. A reader keeps it from read to read, and begins again
/// with it without the lock of the state, by ``enter()``. Before anything changes, ``fall()`` ends that. The queued calls are let
/// go of then, or when the last read that uses them ends: a reader at rest keeps none.
// SAFETY: `pending` of a plain point does not change. Of another it is read between `enter()` and `leave()`, and changed once, after `fall()`, by
// the one thread that finds in `uses` that no such read is left, nor can begin.
final class ReadPoint: @unchecked Sendable {
    let store: OpenStore
    /// Whether the store shows; it does not if it is about to be emptied.
    let showsStore: Bool
    let epochNumber: UInt64
    /// What a view of the store does not show; `nil` if it shows all there is.
    private(set) var pending: PendingReads?
    /// Whether a view of the store shows all there is.
    private let isPlain: Bool
    /// The generation's word, if other processes may have the store open.
    private let word: UInt64?
    /// See ``CacheState/commitCount``.
    private let commitCount: Atomic<UInt64>
    /// 2 for each read that uses ``pending``, and 1 while the point stands; ``empty`` once ``pending`` was let go of.
    private let uses = Atomic(1)

    private static let empty = Int.min

    init(
        _ store: OpenStore, showsStore: Bool, epochNumber: UInt64, word: UInt64?, commitCount: CommitCount,
        pending: PendingReads?
    ) {
        self.store = store
        self.showsStore = showsStore
        self.epochNumber = epochNumber
        self.word = word
        self.commitCount = Atomic(commitCount.rawValue)
        self.pending = pending
        isPlain = pending == nil
    }

    /// Whether the point stands; if so a read has begun to use it, and ``leave()`` must follow.
    func enter() -> Bool {
        // Nothing that may go is used.
        if isPlain { return uses.load(ordering: .acquiring) & 1 == 1 }
        if uses.wrappingAdd(2, ordering: .acquiring).oldValue & 1 == 1 { return true }
        leave()
        return false
    }

    /// Ends what ``enter()`` began.
    func leave() {
        guard !isPlain else { return }
        if uses.wrappingSubtract(2, ordering: .acquiringAndReleasing).newValue == 0 { letGo() }
    }

    /// Lets no further read begin with the point.
    ///
    /// Called once, under the lock of the state.
    func fall() {
        if uses.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 { letGo() }
    }

    /// Lets go of the queued calls, unless a read that came too late is just finding that out: then it does so as it leaves.
    private func letGo() {
        guard !isPlain,
            uses.compareExchange(expected: 0, desired: ReadPoint.empty, ordering: .acquiringAndReleasing).exchanged
        else { return }
        pending = nil
    }

    /// Whether other processes have neither committed nor replaced the files since the writer last looked: that would be to be
    /// noted, under the lock of the state.
    var isOfLastCommit: Bool {
        guard let generation = store.generation else { return true }
        return generation.word == word && generation.commitCount.rawValue == commitCount.load(ordering: .relaxed)
    }

    func note(commitCount count: CommitCount) { commitCount.store(count.rawValue, ordering: .relaxed) }
}
