import Dispatch
import GroveModel

/// The noticing of other processes' commits, and of those from before this one opened the store; the audience is told
/// of them.
///
/// A transaction sees them by itself. Between transactions they show in a word that the processes share, which reads
/// compare. If the history has their changes, the audience is told these, and else that anything may have changed.
extension CacheCore {
    /// Looks, by a load, whether other processes have committed; the audience is told soon.
    func noticeCommitsOfOthers() {
        // The replacement of the files may have been seen already, and opening them may have failed.
        guard state.withLock({ $0.life.mayCommit && ($0.noticeCommits() || $0.life.currentStore == nil) }) else {
            return
        }
        writer.async { self.lookForWritesOfOthers() }
    }

    /// Looks into the store for the commits of other processes, on ``writer``.
    func lookForWritesOfOthers() {
        let mayLook = state.withLock { state in
            state.commits.isLookScheduled = false
            return state.life.mayCommit
        }
        // If another process replaced the files, opening them tells the audience.
        guard mayLook, reopenIfReplaced() == nil, let store = state.withLock({ $0.usableStore }) else { return }
        learn(of: store)
    }

    /// Learns of the commits of other processes in `store`, and tells the audience of them.
    func learn(of store: OpenStore) {
        guard let count = store.generation?.commitCount, let view = try? store.engine.view() else { return }
        defer { view.end() }
        // If this fails, the next read looks again.
        guard let stored = try? StoreState(view) else { return }
        let known = state.withLock { state in
            state.commits.count = count
            let known = state.commits.last
            state.commits.last.advance(to: stored)
            state.numbers.learn(stored)
            return known
        }
        for set in changesOfOthers(after: known, stored, in: view) { audience.tell(of: set) }
    }

    /// The change sets that other processes committed after `known`, up to `stored`, which is the state in `view`.
    ///
    /// None if there is no observer, stream or follower.
    func changesOfOthers(after known: KnownCommit, _ stored: StoreState, in view: any NodeView) -> [ChangeSet] {
        let isSame = known.isSame(stored)
        guard !isSame || stored.commit > known.number, !audience.isEmpty else { return [] }
        // A stream would keep no more change sets.
        let isNamed =
            isSame
            && CommitNumber.commits(after: known.number, upTo: stored.commit) <= UInt64(ChangeHub.unreadChangeSets)
        let sets = isNamed ? try? view.history(after: known.number, upTo: stored.commit, stored) : nil
        return sets ?? [.everything(stored.sequence, historyLimit.places > 0 ? stored.token : nil)]
    }

    /// Begins `stream` with the commits after `token`.
    func begin(_ stream: ChangeSubscription<ChangeSet>, after token: ChangeToken?) {
        // The commits of other processes until now are told before the stream begins, and so not twice.
        lookForWritesOfOthers()
        audience.begin(stream, with: changes(since: token))
    }

    /// The change sets of the commits after `token`, up to the last one that the audience knows of.
    private func changes(since token: ChangeToken?) -> [ChangeSet] {
        let (store, known) = state.withLock { ($0.life.currentStore, $0.commits.last.number) }
        guard historyLimit.places > 0, let view = try? store?.engine.view() else { return [.everything(.zero, nil)] }
        defer { view.end() }
        guard let stored = try? StoreState(view), stored.commit >= known else { return [.everything(.zero, nil)] }
        if let token, token.commit <= known, let isKnown = try? view.knows(token, stored), isKnown,
            let sets = try? view.history(after: token.commit, upTo: known, stored)
        {
            return sets
        }
        // Later commits, which this process does not know of yet, are told when they are noticed.
        let last = try? view.history(after: known.previous, upTo: known, stored)?.last?.token
        return [.everything(stored.sequence, stored.commit == known ? stored.token : last)]
    }
}

extension CacheState {
    /// Whether the writer is to look, as another process has counted a commit since it looked last, or has replaced
    /// the files.
    @inline(__always)
    mutating func noticeCommits() -> Bool {
        guard let generation = life.store?.generation,
            generation.commitCount != commits.count || generation.word != files.word, !commits.isLookScheduled
        else { return false }
        commits.isLookScheduled = true
        return true
    }

    /// Counts a commit of this process, so that other processes notice it.
    mutating func countCommit() {
        guard let generation = life.store?.generation else { return }
        generation.countCommit()
        commits.count = commits.count.next
    }
}
