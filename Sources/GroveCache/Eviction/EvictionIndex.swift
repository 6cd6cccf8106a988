import GroveCoding
import GroveModel

/// Which records the cache holds, in the order in which they may go: the policy, and where the journal has their keys.
///
/// It belongs to the writer. What a transaction does to it is not undone when the transaction fails: the index is then
/// compared with the journal again, before the next one.
///
/// What every record that is written changes is not checked for exclusive access.
// SAFETY: everything but `budget` is used on the cache's writer queue alone, which runs one block at a time.
final class EvictionIndex: @unchecked Sendable {
    let budget: CacheBudget
    /// The bytes of payload that the store may hold at most.
    private(set) var capacity = Int.max
    @safe @exclusivity(unchecked) var policy: any EvictionPolicy
    /// The policy's capacity, which asking it for would copy it.
    private var policyCapacity = 0
    @safe @exclusivity(unchecked) private var segments = SegmentMap()
    /// Bytes allocated for finding keys in the journal, beside what the policy has.
    var listBytes: Int { segments.bytes + journal.liveTableBytes }
    @safe @exclusivity(unchecked) var journal = EvictionJournal()
    /// Entries that the policy has given up and that are still stored.
    @safe @exclusivity(unchecked) private var victims: [EvictedEntry] = []
    /// Whether the index agrees with the journal as of the last commit of this process.
    private(set) var isLoaded = false
    /// The directory in which an earlier process may have saved the policy, until it is looked for.
    private var savedIn: String?
    /// What was saved there, where it was taken away before it was looked for.
    var saved: [UInt8]?
    /// Insertions and evictions since the policy was saved.
    @safe @exclusivity(unchecked) var changesSinceSave = 0
    @safe @exclusivity(unchecked) var counters = EvictionCounters()
    /// What must stay.
    @safe @exclusivity(unchecked) var pins = PinTable()
    /// Where expired records are looked for, and those that reads have found.
    var expiry = ExpiryQueue()
    /// The account as this process committed it last: another one says that somebody else wrote.
    var account: StoreState.Account?
    /// The number of the last write, as this process committed it last.
    var sequence: UInt64 = 0

    init(_ budget: CacheBudget) {
        self.budget = budget
        policy = budget.policy.init(capacity: budget.nodes ?? 0)
        policyCapacity = policy.capacity
    }

    /// Whether entries weigh 1: where their number alone is limited.
    var countsEntries: Bool { budget.bytes == nil }

    /// How many nodes of `tree`, one after the other, may be stored in another order than they come in.
    ///
    /// What is stored first is evicted first, so that of a write as large as the budget all roots would go before any child.
    func orderWindow(for tree: NodeTree) -> Int {
        let weight = countsEntries ? 1 : max(tree.byteCount / max(tree.count, 1), 1)
        return min(capacity, policyCapacity) / 64 / weight
    }

    /// Sets how much payload fits.
    ///
    /// - Parameter saved: where an earlier process may have saved the policy, which is taken up before the first write.
    func begin(capacity: Int, saved: String?) {
        self.capacity = capacity
        policy = budget.policy.init(capacity: countsEntries ? budget.nodes ?? 0 : capacity)
        policyCapacity = policy.capacity
        savedIn = saved
        self.saved = nil
        isLoaded = false
    }

    /// Takes up what an earlier process saved of the policy, once.
    func restorePolicy() {
        guard let directory = savedIn else { return }
        let taken = saved
        savedIn = nil
        saved = nil
        guard let saved = taken ?? EvictionIndex.readSaved(in: directory),
            let restored = budget.policy.init(restoring: saved, capacity: policy.capacity)
        else { return }
        policy = restored
    }

    /// Forgets everything: the store is empty.
    func removeAll() {
        policy = budget.policy.init(capacity: policy.capacity)
        savedIn = nil
        saved = nil
        pins.removeAll()
        segments.removeAll()
        journal = EvictionJournal()
        victims = []
        changesSinceSave = 0
        isLoaded = true
    }

    /// Says that the index may not agree with the store: a transaction that changed it has failed.
    func distrust() {
        isLoaded = false
        pins.rollBack()
    }

    /// Notes that the policy was saved.
    func didSave() { changesSinceSave = 0 }

    static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 { unsafe hash64(key, seed: 0) }

    /// Whether records under `key` are evicted: the store's own are not.
    static func isEvictable(_ key: UnsafeRawBufferPointer) -> Bool {
        unsafe key[0] >= Namespace.node && key[0] <= Namespace.alias || key[0] == Namespace.chunk
    }

    /// What a record weighs, its entry in the journal included.
    func weight(_ key: UnsafeRawBufferPointer, valueCount: Int) -> Int {
        unsafe countsEntries ? 1 : EvictionIndex.bytes(key, valueCount: valueCount)
    }

    /// What a record takes, its entry in the journal included.
    static func bytes(_ key: UnsafeRawBufferPointer, valueCount: Int) -> Int {
        weight(keyCount: key.count, valueCount: valueCount)
    }

    // MARK: What happens to records

    /// Notes reads, in order.
    func touch(_ hashes: ContiguousArray<UInt64>) {
        guard isLoaded else { return }
        for hash in hashes { _ = policy.access(hash) }
    }

    /// Notes that what is under `key` was confirmed without being written.
    func touch(_ key: UnsafeRawBufferPointer) { _ = unsafe policy.access(EvictionIndex.hash(key)) }

    /// Notes that `key` is stored with a value of `valueCount` bytes; what has to go for it becomes a victim.
    ///
    /// - Parameter isNew: whether nothing was stored under it. Then it is listed at the journal's end, wherever it was listed
    ///   before: another process may have removed it since, and then ends with the list without it.
    /// - Throws: ``CacheError`` with code `overBudget` where it alone is more than fits.
    func keep(_ key: UnsafeRawBufferPointer, valueCount: Int, isNew: Bool) throws(CacheError) {
        let weight = unsafe self.weight(key, valueCount: valueCount)
        guard weight <= policyCapacity, weight <= UInt32.max else { throw EvictionIndex.overBudget(weight) }
        let hash = unsafe EvictionIndex.hash(key)
        changesSinceSave += 1
        if pins.isMarked(hash) {
            unsafe pin(key, hash, valueCount: valueCount)
        } else {
            _ = policy.insert(hash, weight: weight) { victims.append($0) }
        }
        if let segment = segment(of: hash) {
            if isNew { unsafe relist(key, hash, weight, from: segment) }
        } else {
            unsafe enter(key, hash, weight)
        }
    }

    /// Notes that nothing is stored under the key any more whose hash is `hash`, of `count` bytes.
    func forget(_ hash: UInt64, keyCount count: Int) -> UInt32? {
        // One that the policy gave up itself has left a ghost, which must stay.
        if policy.contains(hash) { _ = policy.remove(hash) }
        pins.note(hash, bytes: 0)
        return unlist(hash, keyCount: count)
    }

    /// Forgets where the journal has a key; returns the segment that has no live key left by it.
    func unlist(_ hash: UInt64, keyCount count: Int) -> UInt32? {
        guard let low = segments.remove(hash) else { return nil }
        let segment = journal.number(endingIn: low)
        return journal.kill(segment, keyCount: count) ? segment : nil
    }

    /// Lists `key` in the journal's open segment.
    func enter(_ key: UnsafeRawBufferPointer, _ hash: UInt64, _ weight: Int) {
        let segment = unsafe journal.append(key, weight: weight)
        _ = segments.set(hash, segment)
        journal.enliven(segment, keyCount: key.count)
    }

    /// Moves `key` from one segment to the open one.
    func relist(_ key: UnsafeRawBufferPointer, _ hash: UInt64, _ weight: Int, from segment: UInt32) {
        _ = journal.kill(segment, keyCount: key.count)
        unsafe enter(key, hash, weight)
    }

    /// The segment that has the key whose hash is `hash`.
    func segment(of hash: UInt64) -> UInt32? { segments.find(hash).map(journal.number(endingIn:)) }

    // MARK: Who goes

    /// Whether the policy has given up anything that may still be stored.
    var hasVictims: Bool { !victims.isEmpty }

    /// Makes `key`, under which a value of `valueCount` bytes is stored, the next to go.
    func giveUp(_ key: UnsafeRawBufferPointer, valueCount: Int) {
        let hash = unsafe EvictionIndex.hash(key)
        guard policy.remove(hash) else { return }
        changesSinceSave += 1
        unsafe victims.append(EvictedEntry(key: hash, weight: weight(key, valueCount: valueCount)))
    }

    /// Gives an entry that was kept from it back to the policy.
    func giveBack(_ hash: UInt64, weight: Int) {
        changesSinceSave += 1
        _ = policy.insert(hash, weight: weight) { victims.append($0) }
    }

    /// The next entry that the policy has given up already, unless it came back since.
    func nextVictim() -> EvictedEntry? {
        while let victim = victims.popLast() {
            if !policy.contains(victim.key), !pins.isMarked(victim.key) { return victim }
        }
        return nil
    }

    /// The next entry to go, whether there is room or not.
    func takeVictim() -> EvictedEntry? {
        if let victim = nextVictim() { return victim }
        while let victim = policy.evict() {
            changesSinceSave += 1
            // What has been marked in this transaction may not be out of the policy yet.
            if !pins.isMarked(victim.key) { return victim }
        }
        return nil
    }

    /// Whether there are more entries than the budget allows.
    var hasTooMany: Bool { policy.count + pins.count > budget.nodes ?? .max }

    static func overBudget(_ bytes: Int) -> CacheError {
        CacheError(.overBudget, "The write needs \(bytes) bytes and the budget has no room for so many.")
    }

    // MARK: Agreeing with the journal

    /// Takes up entries of the journal that this process does not know, in the order of their segments.
    ///
    /// - Parameter size: the size of the value stored under a key, `nil` where there is none.
    func absorb(
        _ entries: [JournalEntry], size: ([UInt8]) throws(CacheError) -> Int?
    ) throws(CacheError) {
        for entry in entries {
            let hash = unsafe entry.key.withUnsafeBytes { unsafe EvictionIndex.hash($0) }
            if pins.isMarked(hash) {
                let count = try size(entry.key)
                unsafe entry.key.withUnsafeBytes { key in
                    if let count { unsafe pin(key, hash, valueCount: count) }
                }
            } else if !policy.contains(hash) {
                // It was evicted or removed, or came after the policy was saved.
                guard let count = try size(entry.key) else { continue }
                let weight = unsafe entry.key.withUnsafeBytes { unsafe self.weight($0, valueCount: count) }
                if weight <= policy.capacity, weight <= UInt32.max {
                    _ = policy.insert(hash, weight: weight) { victims.append($0) }
                } else {
                    // Whoever has a larger budget stored it. It goes as soon as anything goes.
                    victims.append(EvictedEntry(key: hash, weight: weight))
                }
            }
            if let low = segments.set(hash, entry.segment) {
                _ = journal.kill(journal.number(endingIn: low), keyCount: entry.key.count)
            }
            journal.enliven(entry.segment, keyCount: entry.key.count)
        }
    }

    /// Begins to agree with the journal of the store, of which segment `open` is written to.
    func reload(open: UInt32, openBytes: [UInt8]) {
        restorePolicy()
        segments.removeAll()
        pins.removeMarks()
        victims = []
        journal = EvictionJournal(open: open, openBytes: openBytes)
    }

    /// Ends it: what the policy knows and the journal does not is gone.
    func finishLoading() {
        var strangers: [UInt64] = []
        policy.forEachResident { hash, _ in if segments.find(hash) == nil { strangers.append(hash) } }
        for hash in strangers { _ = policy.remove(hash) }
        isLoaded = true
    }
}

/// An entry of the journal with a copy of its key.
struct JournalEntry {
    let key: [UInt8]
    let segment: UInt32
}

/// What eviction has done so far.
struct EvictionCounters {
    var evictions = 0
    var evictedBytes = 0
    var writtenBytes = 0
}
