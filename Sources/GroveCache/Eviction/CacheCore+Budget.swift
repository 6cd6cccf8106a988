import GroveCoding
import GroveModel
import GrovePlatform

/// The keeping of the budget: all of it is on ``writer``, but for the beginning.
extension CacheCore {
    /// The store, if it keeps within a budget.
    private var budgetedStore: (any BudgetedStore)? { state.withLock { $0.life.currentStore?.budgeted } }

    /// Whether making room may wait for views to end: none has been open for long, and nothing in the queue waited in
    /// vain.
    private var waitsForViews: Bool { readers.openViews.longest == nil && evictor?.hasWaited != true }

    /// The most payload that fits now.
    func payloadLimit(of commit: borrowing WriteTransaction) -> PayloadLimit {
        guard let evictor, evictor.budget.bytes != nil else { return .none }
        let store = waitsForViews ? state.withLock { $0.life.store?.budgeted } : nil
        return PayloadLimit(hard: evictor.capacity, soft: store?.payloadLimit(holding: commit.payload) ?? .max)
    }

    /// The most records in a group commit: each may cost the engine a page or two.
    var groupEntries: Int { evictor?.budget.bytes.map { max($0 / 262_144, 8) } ?? .max }

    /// The bytes in memory at which a group commit closes; a larger write is a group of its own.
    var groupBytes: Int { min(8 << 20, evictor?.budget.bytes.map { max($0 / 32, 64 << 10) } ?? .max) }

    /// Commits `group`, evicting beforehand if the store has no room for it.
    ///
    /// - Throws: ``CacheError`` with code `overBudget` if it is more than the whole budget, and what committing throws.
    func transactWithinBudget(_ group: [PendingWrite]) throws(CacheError) -> [ChangeSet] {
        do throws(CacheError) {
            return try transactMakingRoom(group)
        } catch {
            throw evictor == nil ? error : readers.openViews.explain(error)
        }
    }

    private func transactMakingRoom(_ group: [PendingWrite]) throws(CacheError) -> [ChangeSet] {
        guard let evictor else { return try transact(group) }
        var (bytes, entries) = (0, 0)
        for write in group {
            let size = write.payloadBytes
            guard size <= evictor.capacity else { throw Evictor.overBudget(size) }
            if let nodes = evictor.budget.nodes, write.entryCount > nodes {
                throw CacheError(
                    .overBudget, "The write has \(write.entryCount) records and the budget allows \(nodes).")
            }
            (bytes, entries) = (bytes + size, entries + write.entryCount)
        }
        guard evictor.budget.bytes != nil, entries > 0 else { return try transact(group) }
        _ = try currentStore()
        var load = WriteLoad(
            entries: entries, replaced: entries, evictions: EvictionWork.evictions(beside: entries), bytes: bytes)
        if isLarge(load) { load.replaced -= newEntries(of: group, entries) }
        return try makingRoom(for: historyLimit.added(to: load), evictor) { () throws(CacheError) in try transact(group)
        }
    }

    /// Runs `commit`, which writes `load`, once there is room for it; if the store is full all the same, more records
    /// go.
    func makingRoom<Value>(
        for load: WriteLoad, _ evictor: Evictor, _ commit: () throws(CacheError) -> Value
    ) throws(CacheError) -> Value {
        // Records go before a large write, not inside it as with a small one: its transaction becomes no larger, and
        // the store's files do not hold them beside it.
        if isLarge(load) {
            try makeRoom(ofPayload: load.bytes / load.entries * (load.entries - load.replaced), evictor)
        }
        var failure: CacheError?
        for attempt in 0..<5 {
            // The store may be fragmented, or a view may hold the freed pages: half of the payload is the most to give.
            try makeRoom(for: load, giving: evictor.capacity / (attempt == 0 ? 2 : 4), evictor)
            do throws(CacheError) {
                return try commit()
            } catch {
                guard error.code == .full, waitsForViews else { throw error }
                failure = error
                // Views end soon, and let go of their pages: most often that is all it takes.
                usleep(UInt32(20_000 * (attempt + 1)))
                _ = try freePayload(evictor.capacity / (128 >> min(2 * attempt, 4)), largest: evictor.capacity / 4)
            }
        }
        evictor.hasWaited = true
        throw failure ?? Evictor.overBudget(load.bytes)
    }

    /// Whether the store has room for `load`, which may wait for views; notes if that was in vain.
    private func hasRoom(for load: WriteLoad) throws(CacheError) -> Bool {
        guard let store = budgetedStore else { return true }
        var load = load
        load.waitsForViews = waitsForViews
        do throws(CacheError) {
            return try store.makeRoom(for: load)
        } catch {
            if error.code == .full { evictor?.hasWaited = true }
            throw error
        }
    }

    /// Whether a write has more records than may be evicted in its transaction, or more bytes than a group.
    private func isLarge(_ load: WriteLoad) -> Bool { load.entries > load.evictions || load.bytes > groupBytes }

    /// Evicts until `bytes` more of payload fit.
    func makeRoom(ofPayload bytes: Int, _ evictor: Evictor) throws(CacheError) {
        guard let payload = evictor.account?.payloadBytes else { return }
        let limit = min(budgetedStore?.payloadLimit(holding: payload) ?? .max, evictor.capacity)
        if payload + bytes > limit { _ = try freePayload(payload + bytes - limit) }
    }

    /// Evicts until the engine has room for `load`, at most about `most` bytes of payload.
    func makeRoom(for load: WriteLoad, giving most: Int, _ evictor: Evictor) throws(CacheError) {
        var left = most
        while left > 0, try !hasRoom(for: load) {
            // While a view is open no bytes come back: to evict more would empty the cache for nothing. Most end soon.
            if left == most, waitsForViews { readers.openViews.awaitEnds() }
            guard waitsForViews else {
                evictor.hasWaited = true
                throw CacheError(.full, "The store has no room for the write within its budget.")
            }
            // At the end not only small records may go: otherwise a small list would go for the last few bytes.
            let freed = try freePayload(
                max(evictor.capacity / 512, min(load.bytes, evictor.capacity / 8)),
                largest: max(left, evictor.capacity / 64))
            guard freed > 0 else { return }
            left -= freed
        }
    }

    /// About the number of the `entries` records in `group` that are not stored yet, from a sample of them.
    private func newEntries(of group: [PendingWrite], _ entries: Int) -> Int {
        guard let store = state.withLock({ $0.life.currentStore }), let view = try? store.engine.view() else {
            return 0
        }
        defer { view.end() }
        var (looks, absent, position) = (0, 0, 0)
        let step = max(entries / 64, 1)
        for write in group {
            guard let tree = write.tree else { continue }
            var index = (step - position % step) % step
            position += tree.count
            while index < tree.count {
                looks += 1
                let isThere = (try? unsafe view.get(tree.key(index)) != nil) ?? true
                if !isThere { absent += 1 }
                index += step
            }
        }
        // Rounded down: a record that replaces another may cost the engine more.
        return looks == 0 ? 0 : min(position, entries) * absent / looks * 15 / 16
    }

    /// Evicts about `bytes` of payload in transactions of their own, no record of more than `largest`; returns the
    /// bytes that went.
    func freePayload(_ bytes: Int, largest: Int = .max) throws(CacheError) -> Int {
        var freed = 0
        while freed < bytes {
            var evicted = EvictedNames()
            var step = 0
            var tokens: CommitTokens?
            do throws(CacheError) {
                // An eviction writes too: into the log, and to pages.
                let most = min(groupEntries, 256)
                _ = try hasRoom(
                    for: historyLimit.added(to: WriteLoad(entries: 0, replaced: 0, evictions: most, bytes: 0)))
                tokens = try transact { (commit) throws(CacheError) in
                    let before = commit.payload
                    commit.eviction.own = evictor?.spared ?? []
                    evicted = try commit.removeVictims(
                        downTo: max(before - min(bytes - freed, groupBytes), 0), most: most, isSoft: largest < .max,
                        largest: largest)
                    commit.history.add(ChangeSet(sequence: commit.stored.sequence, names: .init(evicted: evicted)))
                    step = before - commit.payload
                }
            } catch {
                // There is no room even for a removal: the caller decides whether that is an error.
                guard error.code == .full || error.code == .overBudget else { throw error }
                break
            }
            guard step > 0 else { break }
            freed += step
            let set = ChangeSet(sequence: state.withLock { $0.numbers.committed }, names: .init(evicted: evicted))
            for set in [set].stamped(tokens) { audience.tell(of: set) }
        }
        return freed
    }

    // MARK: Touches

    /// Takes in the reads since the last call.
    func absorbTouches() {
        evictor?.touch(readers.takeTouches())
    }

    // MARK: Saving

    /// Saves the touches: if they are lost, hits are lost, never a record.
    func saveTouches() {
        absorbTouches()
        if let directory = source.directory, source.isPersistent { evictor?.save(in: directory) }
    }

    /// Forgets the touches, as their records are gone.
    func wipeBudget() {
        evictor?.removeAll()
        if let directory = source.directory { Evictor.removeSaved(in: directory) }
    }
}

/// The payload that fits.
struct PayloadLimit {
    /// The bytes above which records go at once.
    var hard: Int
    /// The bytes above which records go little by little: the engine's estimate from its own overhead.
    var soft: Int

    static let none = PayloadLimit(hard: .max, soft: .max)
}
