import GroveModel

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Keeping the budget: all of it on ``writer``, but for the beginning.
extension CacheCore {
    /// The most payload that fits now.
    func payloadLimit(of commit: borrowing WriteTransaction) -> PayloadLimit {
        guard let index, index.budget.bytes != nil else { return .none }
        let store = state.withLock { $0.life.store?.budgeted }
        let payload = commit.stored.account?.payloadBytes ?? 0
        return PayloadLimit(hard: index.capacity, soft: store?.payloadLimit(holding: payload) ?? .max)
    }

    /// The most records in a group commit: each may cost the engine a page or two.
    var groupEntries: Int { index?.budget.bytes.map { max($0 / 262_144, 8) } ?? .max }

    /// The most bytes in a group commit.
    var groupBytes: Int { min(GroupLimit.bytes, index?.budget.bytes.map { max($0 / 32, 64 << 10) } ?? .max) }

    /// Commits `group`, evicting beforehand where the store has no room for it.
    ///
    /// - Throws: ``CacheError`` with code `overBudget` where it is more than the whole budget, and what committing throws.
    func transactWithinBudget(_ group: [PendingWrite]) throws(CacheError) -> [ChangeSet] {
        guard let index, index.budget.isLimited else { return try transact(group) }
        var sum = 0
        for write in group {
            let bytes = write.payloadBytes
            sum += bytes
            guard bytes <= index.capacity else { throw EvictionIndex.overBudget(bytes) }
            if let nodes = index.budget.nodes, write.entryCount > nodes {
                throw CacheError(
                    .overBudget, "The write has \(write.entryCount) records and the budget allows \(nodes).")
            }
        }
        guard index.budget.bytes != nil else { return try transact(group) }
        let bytes = sum
        let entries = group.reduce(0) { $0 + $1.entryCount }
        guard entries > 0 else { return try transact(group) }
        _ = try currentStore()
        let store = state.withLock { $0.life.currentStore?.budgeted }
        let load = historyLimit.added(
            to: WriteLoad(
                entries: entries, replaced: entries - newEntries(of: group, index),
                evictions: WriteTransaction.evictions(beside: entries), bytes: bytes))
        try evictAhead(of: load, index, store)
        var failure: CacheError?
        for attempt in 0..<5 {
            // The store may be fragmented, or a view may hold what was freed: half of the payload is the most to give.
            try makeRoom(for: load, giving: attempt == 0 ? index.capacity / 2 : index.capacity / 4, index, store)
            do throws(CacheError) {
                return try transact(group)
            } catch {
                guard error.code == .full else { throw error }
                failure = error
                // Views end soon, and let go of what they hold: most often that is all it takes.
                usleep(UInt32(20_000 * (attempt + 1)))
                _ = try freePayload(index.capacity / (128 >> min(2 * attempt, 4)))
            }
        }
        throw failure ?? EvictionIndex.overBudget(bytes)
    }

    /// Evicts until `bytes` more of payload fit: a user's transaction evicts only when it ends.
    func makeRoom(
        ofPayload bytes: Int, _ index: EvictionIndex, _ store: (any BudgetedStore)?
    ) throws(CacheError) {
        guard let payload = index.account?.payloadBytes else { return }
        let limit = min(store?.payloadLimit(holding: payload) ?? .max, index.capacity)
        guard payload + bytes > limit else { return }
        _ = try freePayload(payload + bytes - limit)
    }

    /// Evicts until the engine has room for `load`, at most about `most` bytes of payload.
    func makeRoom(
        for load: WriteLoad, giving most: Int, _ index: EvictionIndex, _ store: (any BudgetedStore)?
    ) throws(CacheError) {
        var left = most
        while left > 0, let store, try !store.makeRoom(for: load) {
            let freed = try freePayload(max(index.capacity / 512, min(load.bytes, index.capacity / 8)))
            guard freed > 0 else { return }
            left -= freed
        }
    }

    /// How many of the records that `group` writes are not stored yet, at the least.
    private func newEntries(of group: [PendingWrite], _ index: EvictionIndex) -> Int {
        index.isLoaded ? group.reduce(0) { $0 + index.newPayload(of: $1).entries } : 0
    }

    /// Evicts before a large write, by records or bytes, what it evicts beside a small one.
    ///
    /// So its transaction becomes no larger, and what goes does not stand beside it in the store's files.
    private func evictAhead(
        of load: WriteLoad, _ index: EvictionIndex, _ store: (any BudgetedStore)?
    ) throws(CacheError) {
        guard load.entries > load.evictions || load.bytes > groupBytes, let store,
            let payload = index.account?.payloadBytes
        else { return }
        let limit = min(store.payloadLimit(holding: payload), index.capacity)
        let coming = load.bytes / load.entries * (load.entries - load.replaced)
        guard payload + coming > limit else { return }
        _ = try freePayload(payload + coming - limit)
    }

    /// Evicts about `bytes` of payload in transactions of their own; returns how much went.
    func freePayload(_ bytes: Int) throws(CacheError) -> Int {
        var freed = 0
        while freed < bytes {
            var evicted: [ModelIdentifier] = []
            var step = 0
            var tokens: CommitTokens?
            do throws(CacheError) {
                // An eviction writes too: into the log, and to pages.
                let most = min(groupEntries, 256)
                _ = try state.withLock({ $0.life.currentStore?.budgeted })?.makeRoom(
                    for: historyLimit.added(
                        to: WriteLoad(entries: 0, replaced: 0, evictions: most, bytes: 0)))
                tokens = try transact { (commit) throws(CacheError) in
                    let before = commit.stored.account?.payloadBytes ?? 0
                    let target = before - min(bytes - freed, groupBytes)
                    evicted = try commit.removeVictims(downTo: max(target, 0), most: most)
                    commit.history.add(ChangeSet(sequence: commit.stored.sequence, evicted: evicted))
                    step = before - (commit.stored.account?.payloadBytes ?? 0)
                }
            } catch {
                // Not even a removal has room; whoever asked says what that means.
                guard error.code == .full || error.code == .overBudget else { throw error }
                break
            }
            guard step > 0 else { break }
            freed += step
            var set = ChangeSet(sequence: state.withLock { $0.lastCommitted }, evicted: evicted)
            set.token = tokens?.after
            audience.tell(of: set)
        }
        return freed
    }

    // MARK: Touches

    /// Tells the policy what was read since it was last told.
    func absorbTouches() {
        guard let index else { return }
        let findings = readers.takeFindings()
        index.touch(findings.touches)
        index.expiry.note(findings.expired)
    }

    // MARK: Saving the policy

    /// Saves the policy once most of what it holds has changed.
    func saveAtQuietMoment() {
        guard let index, index.isLoaded, index.changesSinceSave > max(index.policy.count, 1_000) else { return }
        savePolicy()
    }

    /// Saves the policy: what is lost with it are hits and ghosts, never a record.
    func savePolicy() {
        absorbTouches()
        if let directory = source.directory, source.isPersistent { index?.save(in: directory) }
    }

    /// Forgets the policy with what it was about.
    func wipeBudget() {
        index?.removeAll()
        if let directory = source.directory { EvictionIndex.removeSaved(in: directory) }
    }
}

/// How much payload fits.
struct PayloadLimit {
    /// What is above it goes at once.
    var hard: Int
    /// What is above it goes little by little: what the engine can tell of its own overhead.
    var soft: Int

    static let none = PayloadLimit(hard: .max, soft: .max)
}
