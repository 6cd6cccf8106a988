import GroveCoding
import GroveModel

/// The memory of a cache with a budget: the records asked for lately, the places to look at next, and the pins.
///
/// Nothing is kept for each record, and no list of records is loaded: hands sweep the store's own order, look at some
/// records, and take the worst of them. The memory may be lost at any time: then records go by the time at which they
/// were written.
///
/// It belongs to the writer. If a transaction fails, only the pins and the counters are taken back: the rest only
/// decides which record goes.
// SAFETY: everything but `budget` is used on the cache's writer queue alone, which runs one block at a time.
final class Evictor: @unchecked Sendable {
    /// The bytes that a record is taken to have if almost nothing is stored yet.
    private static let usualRecord = 256

    let budget: CacheBudget
    /// The bytes of payload that the store may hold at most.
    private(set) var capacity = Int.max
    /// What says which records go.
    @safe @exclusivity(unchecked) var policy = EvictionPolicy(capacity: 1, records: 1)
    /// The places to look at.
    @safe @exclusivity(unchecked) var hands = ClockHands()
    /// The counters of committed transactions, and the same with the transaction that is under way.
    @safe @exclusivity(unchecked) private var counted = (committed: EvictionCounters(), now: EvictionCounters())
    /// The records that must stay.
    @safe @exclusivity(unchecked) var pins: PinTable
    /// The hashes of keys that are not to go now.
    @safe @exclusivity(unchecked) var spared: Set<UInt64> = []
    /// Whether room was waited for in vain since the writer turned to the queue: what is queued behind does not wait
    /// again.
    @safe @exclusivity(unchecked) var hasWaited = false
    /// The store's state when this process saw it last, and the number of times that it was another one since, or that
    /// the store was opened.
    private var seen: (last: StoreState?, foreignCommits: Int) = (nil, 0)
    /// The time by which hits have advanced the clock since the store's own record was written.
    @safe @exclusivity(unchecked) private(set) var hitTime = 0
    /// The mean size of a record, and the share of expired ones among those that were looked at lately.
    @safe @exclusivity(unchecked) private var records: (mean: Int, expired: Float)
    /// Whether the policy was made for the store as it is.
    private var isPrepared = false
    /// The directory in which an earlier process may have saved a file, until it is looked for, and the number of
    /// changes since this process saved one.
    @safe @exclusivity(unchecked) var saved: (in: String?, changesSince: Int) = (nil, 0)

    init(_ budget: CacheBudget, _ handles: OpenHandles = OpenHandles()) {
        self.budget = budget
        pins = PinTable(handles)
        records = (Evictor.usualRecord, budget.expiresAfter == nil ? 0 : 1)
    }

    /// The number of times that another process had written, or that the store was opened.
    var foreignCommits: Int { seen.foreignCommits }

    /// The mean size of a record.
    var mean: Int { records.mean }

    /// The counters of committed transactions.
    var counters: EvictionCounters { counted.committed }

    /// The account as this process committed it last.
    var account: StoreState.Account? { seen.last?.account }

    /// Sets the payload that fits.
    ///
    /// - Parameter saved: the directory in which an earlier process may have saved a file, which is read before the
    ///   first write.
    func begin(capacity: Int, saved directory: String?) {
        self.capacity = capacity
        (saved.in, seen.last, isPrepared) = (directory, nil, false)
        seen.foreignCommits += 1
        pins.limit = (
            // The rest is for records that come and go, and for the engine, which needs room to write even if nothing
            // can be evicted.
            bytes: budget.bytes == nil ? .max : capacity / 100 * 50, count: budget.nodes ?? .max
        )
    }

    /// Begins a transaction on a store whose state is `stored`.
    func begin(at stored: StoreState) {
        if seen.last != stored {
            pins.distrust()
            if seen.last != nil { seen.foreignCommits += 1 }
            seen.last = stored
        }
        guard let account = stored.account else { return }
        self.records.mean = account.entries > 4 ? max(account.payloadBytes / account.entries, 1) : Evictor.usualRecord
        let fitting = min(capacity, budget.nodes.map { $0.multipliedReportingOverflow(by: mean).partialValue } ?? .max)
        let records = max(min(fitting / mean, budget.nodes ?? .max), 1)
        let now = stored.clock.now &+ UInt64(hitTime)
        guard !isPrepared else { return policy.resize(fitting, records: records, now: now) }
        isPrepared = true
        // Eight bytes for each record that fits: the saved file takes no more than a twenty-first part of the budget.
        policy = EvictionPolicy(capacity: fitting, records: records)
        hands = ClockHands()
        restore(now: now)
    }

    /// Notes that a transaction was committed, which left `stored` in the store.
    func commit(_ stored: StoreState) {
        if seen.last != stored { hitTime = 0 }
        seen.last = stored
        counted.committed = counted.now
        pins.commit()
    }

    /// Says that a transaction was given up, or failed.
    func abort() {
        counted.now = counted.committed
        pins.rollBack()
    }

    /// Forgets everything: the store is empty.
    func removeAll() {
        begin(capacity: capacity, saved: nil)
        pins.removeAll()
        (hitTime, saved.changesSince) = (0, 0)
    }

    static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 { unsafe hash64(key, seed: 0) }

    // MARK: Touches and writes

    /// Notes reads, in policy.
    func touch(_ hashes: ContiguousArray<UInt64>) {
        guard isPrepared, let last = seen.last else { return }
        for hash in hashes { hitTime += policy.hit(hash, weight: mean, now: last.clock.now &+ UInt64(hitTime)) }
        saved.changesSince += hashes.count
    }

    /// Notes that a record of `weight` bytes is stored under the key whose hash is `hash`.
    ///
    /// - Parameter number: the number of the call.
    func keep(_ hash: UInt64, weight: Int, number: CallNumber, isNew: Bool, now: UInt64) {
        counted.now.writtenBytes += weight
        saved.changesSince += 1
        pins.note(hash, bytes: weight, number: number)
        policy.stored(hash, weight: weight, isNew: isNew, now: now)
    }

    // MARK: Eviction

    /// Notes whether a record that was looked at is expired, if the budget says when that is.
    func noteLook(foundExpired isExpired: Bool) {
        records.expired += ((isExpired ? 1 : 0) - records.expired) / 256
    }

    /// Whether so many records are expired that they are worth a search.
    var findsExpired: Bool { records.expired > 1 / 128 }

    /// Notes that a record was evicted, of `bytes` bytes with its key.
    func went(_ hash: UInt64, written: UInt64?, bytes: Int, now: UInt64) {
        counted.now.evictions += 1
        counted.now.evictedBytes += budget.bytes == nil ? 1 : bytes
        saved.changesSince += 1
        pins.note(hash, bytes: 0, number: .zero)
        policy.went(hash, written: written, now: now)
    }

    /// Whether `account` has more records than the budget allows.
    func hasTooMany(_ account: StoreState.Account) -> Bool { account.evictableEntries > budget.nodes ?? .max }

    static func overBudget(_ bytes: Int) -> CacheError {
        CacheError(.overBudget, "The write needs \(bytes) bytes and the budget has no room for so many.")
    }

    // MARK: Saving

    /// Whether so much has changed that it should be saved.
    var isWorthSaving: Bool { isPrepared && saved.changesSince > max(2 * policy.records, 1_000) }

    private static let savedVersion: UInt64 = 2

    /// The policy and the hands, as bytes; `nil` if no policy was made yet.
    func save() -> [UInt8]? {
        guard isPrepared else { return nil }
        let (main, slots) = (policy.main, policy.main.seen.slots)
        var out = ByteBuffer(capacity: policy.byteCount + 16_384)
        defer { out.deallocate() }
        out.append(integer: Evictor.savedVersion)
        out.append(integer: main.seen.unit)
        out.append(integer: main.trialShare.bitPattern)
        out.append(integer: UInt64(main.kind.rawValue))
        out.append(integer: UInt64(slots.count))
        for slot in slots { out.append(littleEndian: slot) }
        for case let hand? in hands.cursors {
            out.append(integer: UInt64(hand.bytes.count))
            unsafe hand.bytes.withUnsafeBytes { unsafe out.append($0) }
        }
        unsafe out.append(littleEndian: hash64(out.bytes, seed: 2))
        return unsafe Array(out.bytes)
    }

    /// Takes up the file that an earlier process saved, once.
    private func restore(now: UInt64) {
        guard let directory = saved.in else { return }
        saved.in = nil
        let bytes = Evictor.readSaved(in: directory) ?? []
        try? unsafe bytes.withUnsafeBytes { bytes in
            guard bytes.count > 8 else { return }
            let content = unsafe UnsafeRawBufferPointer(rebasing: bytes.dropLast(8))
            guard
                unsafe bytes.loadUnaligned(fromByteOffset: content.count, as: UInt64.self).littleEndian
                    == hash64(content, seed: 2)
            else { return }
            var reader = unsafe EnvelopeReader(content)
            guard try reader.integer() == Evictor.savedVersion else { return }
            let (unit, trial) = (try reader.integer(), Double(bitPattern: try reader.integer()))
            guard let kind = TouchOrder.Kind(rawValue: UInt8(clamping: try reader.integer())) else { return }
            let stored = try unsafe reader.bytes(reader.integer().multipliedReportingOverflow(by: 4).partialValue)
            let slots = stride(from: 0, to: stored.count, by: 4).map {
                unsafe stored.loadUnaligned(fromByteOffset: $0, as: UInt32.self).littleEndian
            }
            guard let seen = TouchTable(slots: ContiguousArray(slots), unit: unit) else { return }
            policy.main.restore(seen, kind, trialShare: trial, now: now)
            while !reader.isAtEnd {
                let cursor = try unsafe reader.bytes(reader.integer())
                unsafe hands.add(SweepCursor(Array(cursor)))
            }
        }
    }
}

/// The counts of evictions and of bytes so far.
struct EvictionCounters {
    var evictions = 0
    var evictedBytes = 0
    var writtenBytes = 0
}
