import GroveCoding
import GroveModel

/// A store that has more than its budget when it is opened.
extension Evictor {
    /// The most records that go in one transaction.
    private static let evictionsAtOnce = 1_024
    /// The most attempts, each of which keeps less if the files still have too much.
    private static let shrinkAttempts = 6

    /// Evicts records until the rest fits the store's share of `bytes`, and has the files made smaller.
    ///
    /// If the process is killed meanwhile, the store has lost some of the records that were to be evicted.
    ///
    /// - Returns: whether the store is within its budget now; its content is the rest either way.
    func shrink(
        _ opened: inout StoreSource.Opened, _ source: StoreSource, to bytes: Int
    ) throws(CacheError) -> Bool {
        guard let store = opened.store as? any BudgetedStore else { return false }
        let directory = source.isPersistent ? source.directory : nil
        var share = Int(Double(bytes) * type(of: store).profile.livePayloadShare)
        begin(capacity: share, saved: directory)
        do throws(CacheError) {
            for attempt in 1...Evictor.shrinkAttempts {
                try thinOut(store, downTo: share, session: opened.state.session)
                if let store = store as? any ShrinkableStore {
                    try replace(&opened, source) { (generation) throws(CacheError) in
                        try store.shrink { _ = generation?.advance() }
                    }
                }
                opened.state = try store.storedState()
                do throws(CacheError) {
                    let capacity = try store.setBudget(bytes)
                    if let directory { save(in: directory) }
                    begin(capacity: capacity, saved: directory)
                    return true
                } catch {
                    guard error.code == .overBudget, attempt < Evictor.shrinkAttempts else { throw error }
                    // The declared share is that of a budget that is not small.
                    share = share / 6 * 5
                }
            }
            return false
        } catch {
            // A damaged store is emptied too, rather than kept from opening.
            guard error.code == .overBudget || error.code == .full || error.code == .corrupted else { throw error }
            return false
        }
    }

    /// Evicts in as many transactions as it takes, until the records have `limit` bytes or none may go any more.
    private func thinOut(_ store: any BudgetedStore, downTo limit: Int, session: SessionID) throws(CacheError) {
        var payload = Int.max
        var isDone = false
        while !isDone {
            // The log of an engine that has one may be cut off; if it cannot be, it grows until the files shrink.
            _ = try? store.makeRoom(
                for: WriteLoad(entries: 0, replaced: 0, evictions: Evictor.evictionsAtOnce, bytes: 0))
            var summary: TransactionSummary?
            do throws(CacheError) {
                try store.transact { (transaction) throws(CacheError) in
                    var commit = try WriteTransaction(
                        transaction, session: session, shift: .zero, lastCommitted: .max, eviction: EvictionWork(self))
                    try commit.prepareAccount()
                    let evicted = try commit.removeVictims(downTo: limit, most: Evictor.evictionsAtOnce)
                    // Counted and not named: there is no room.
                    commit.history.add(ChangeSet(sequence: commit.stored.sequence, names: .init(evicted: evicted)))
                    try commit.finish()
                    summary = commit.summary
                }
            } catch {
                abort()
                throw error
            }
            guard let summary else { return }
            commit(summary.stored)
            let left = account?.payloadBytes ?? 0
            isDone = left >= payload || left <= limit
            payload = left
        }
    }
}
