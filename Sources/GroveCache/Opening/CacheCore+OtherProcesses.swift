import Dispatch
import GroveModel

/// Commits of other processes: how they are noticed, and told to the audience.
///
/// A transaction sees them by itself. Between transactions they show in a word that the processes share, which reads compare.
/// What they changed is not known: the audience is told that anything may have.
extension CacheCore {
    /// Looks, by a load, whether other processes have committed; the audience is told soon.
    func noticeCommitsOfOthers() {
        guard state.withLock({ $0.life.mayCommit && $0.noticeCommits() }) else { return }
        writer.async { self.lookForWritesOfOthers() }
    }

    /// Looks into the store for what other processes wrote, on ``writer``.
    func lookForWritesOfOthers() {
        let mayLook = state.withLock { state in
            state.isLookScheduled = false
            return state.life.mayCommit
        }
        // Where others replaced the files, that is told by opening them.
        guard mayLook, reopenIfReplaced() == nil, let store = state.withLock({ $0.usableStore }),
            let count = store.generation?.commitCount, let stored = try? store.engine.storedState()
        else { return }
        // What fails is looked at again by the next read.
        let isNews = state.withLock { state in
            state.commitCount = count
            return !audience.isEmpty && state.noteWritesOfOthers(upTo: stored.sequence)
        }
        if isNews { tellOfOthers(upTo: stored.sequence) }
    }

    /// Tells the audience that other processes wrote, up to number `sequence`.
    func tellOfOthers(upTo sequence: UInt64) {
        audience.tell(of: ChangeSet(sequence: sequence, changesEverything: true))
    }
}

extension CacheState {
    /// Whether the writer is to look, as another process has counted a commit since it looked last, or replaced the files.
    @inline(__always)
    mutating func noticeCommits() -> Bool {
        guard let generation = life.store?.generation,
            generation.commitCount != commitCount || generation.word != lastWord, !isLookScheduled
        else { return false }
        isLookScheduled = true
        return true
    }

    /// Counts a commit of this process, for the others.
    mutating func countCommit() {
        guard let generation = life.store?.generation else { return }
        generation.countCommit()
        commitCount &+= 1
    }

    /// Whether the store's numbers up to `sequence` are others' and the audience does not know of them; it is told now.
    mutating func noteWritesOfOthers(upTo sequence: UInt64) -> Bool {
        guard sequence > max(lastCommitted, toldOfOthersUpTo) else { return false }
        toldOfOthersUpTo = sequence
        return true
    }
}
