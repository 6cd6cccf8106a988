import GroveModel
import Synchronization

/// The state that a read begins with: the open store, and the calls that a view of it does not show (decision 19).
///
/// All readers share one while it *stands*: until any of that changes. A reader keeps it from read to read, and begins
/// again with it without the lock of the state, by ``enter()``. Before anything changes, ``fall()`` ends that. Queued
/// calls stay in the ``Overlay`` as long as a read uses the snapshot; a reader at rest keeps none of them.
final class ReadSnapshot: Sendable {
    let store: OpenStore
    /// Whether the store shows; it does not if it is about to be emptied.
    let showsStore: Bool
    let epoch: ReadEpoch.Number
    /// The calls that a view of the store does not show; `nil` if it shows all there is.
    let pending: PendingReads?
    /// The generation's word, if other processes may have the store open.
    private let word: StoreGeneration.Word?
    /// See ``KnownCommits/count``.
    private let commitCount: Atomic<UInt64>
    /// 2 for each read that uses ``pending``, and 1 while the snapshot stands.
    private let uses = Atomic(1)

    init(
        _ store: OpenStore, showsStore: Bool, epoch: ReadEpoch.Number, word: StoreGeneration.Word?,
        commitCount: CommitCount, pending: PendingReads?
    ) {
        self.store = store
        self.showsStore = showsStore
        self.epoch = epoch
        self.word = word
        self.commitCount = Atomic(commitCount.rawValue)
        self.pending = pending
    }

    /// The place in the queue up to which reads with the snapshot see calls.
    var place: QueuePlace { pending?.place ?? .zero }

    /// Whether a read uses the snapshot, or may begin to.
    var isUsed: Bool { uses.load(ordering: .acquiring) > 0 }

    /// Whether the snapshot stands; if so a read has begun to use it, and ``leave()`` must follow.
    func enter() -> Bool {
        // Without pending calls the overlay keeps nothing for the read, so uses are not counted.
        if pending == nil { return uses.load(ordering: .acquiring) & 1 == 1 }
        if uses.wrappingAdd(2, ordering: .acquiring).oldValue & 1 == 1 { return true }
        _ = leave()
        return false
    }

    /// Ends what ``enter()`` began.
    ///
    /// - Returns: whether the snapshot has fallen and no other read uses it: what it needed may go.
    func leave() -> Bool { pending != nil && uses.wrappingSubtract(2, ordering: .acquiringAndReleasing).newValue == 0 }

    /// Lets no further read begin with the snapshot; returns whether one still uses it.
    ///
    /// Called once, under the lock of the state.
    func fall() -> Bool { uses.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue > 0 }

    /// Whether other processes have neither committed nor replaced the files since this one last looked.
    ///
    /// Either must be noted, under the lock of the state.
    var isOfLastCommit: Bool {
        guard let generation = store.generation else { return true }
        return generation.word == word && generation.commitCount.rawValue == commitCount.load(ordering: .relaxed)
    }

    func note(commitCount count: CommitCount) { commitCount.store(count.rawValue, ordering: .relaxed) }
}
