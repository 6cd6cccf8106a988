import GroveModel

/// What a call, a read and the writer must see together, behind one lock that is held to look at it or to change it, and
/// never across a call to an engine, a file or an observer.
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
    /// How many commits of all processes this one knows of; see ``StoreGeneration/commitCount``.
    var commitCount: UInt64
    /// Whether the writer is about to look for what other processes wrote.
    var isLookScheduled = false
    /// The store's last commit that the audience was told of; see ``StoreState/commit``.
    var knownCommit: UInt64
    /// How many wipes of all processes this one knows of; see ``StoreGeneration/wipeCount``.
    var wipeCount: UInt64 = 0
    /// What the writer knows of nodes; `nil` where it is nothing, or in the hands of a group commit.
    var fingerprints: Fingerprints?
    /// Calls whose commits are not visible yet.
    var queue = WriteQueue()
    /// Advances with each call that fails, and where the store is opened again.
    let epoch: ReadEpoch
    /// What could not be stored.
    var failedWrites = FailedWrites()
    /// Callers that wait until the queue has room.
    var waiting = WaitingLine<Void>()
    var isDrainScheduled = false
    /// The number of the last call that does not land any more: what is there now is from after it.
    var wipedAt: UInt64 = 0
    /// The number of the last call before others replaced the files, which may hold what such calls were to replace.
    var replacedAt: UInt64 = 0
}

extension CacheState {
    /// Whether a view of the store shows all there is.
    var isPlain: Bool {
        guard case .open(.current) = life else { return false }
        return queue.showsNothing && failedWrites.isEmpty
    }

    /// Takes `group`, the first calls of the queue, out of it: what they brought is committed.
    ///
    /// - Returns: what is to be let go of where no lock is held.
    mutating func leave(_ group: [PendingWrite]) -> [QueueIndex.Generation] {
        for write in group { failedWrites.settle(by: write) }
        return queue.removeFirst(group.count)
    }

    /// Makes what `write` names a miss: the store does not hold what was last set.
    ///
    /// A read that has looked at the queue and has no view yet begins again: its view may show what was called later.
    mutating func forget(_ write: PendingWrite) {
        failedWrites.add(write)
        epoch.advance()
    }

    /// Takes `write`, which failed, out of the queue.
    ///
    /// Where no caller waits for it, what the store still holds under its keys is not what was last set: a miss.
    ///
    /// - Returns: false where it was not in the queue any more.
    mutating func fail(_ write: PendingWrite) -> Bool {
        guard queue.remove(write) else { return false }
        if write.completion == nil { forget(write) }
        return true
    }
}
