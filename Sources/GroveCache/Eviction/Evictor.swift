import GroveCoding
import GroveModel

/// What a cache with a budget knows beside its store: what was asked for lately, where it looks next, and what must stay.
///
/// Nothing is kept for each record, and nothing is loaded: hands sweep the store's own order, look at some records, and take the worst of
/// them. All of it may be lost at any time: then records go by the time at which they were written.
///
/// It belongs to the writer. What a transaction does to it is not undone when that fails, but for the pins and the counters: it decides
/// who goes, and nothing else.
// SAFETY: everything but `budget` is used on the cache's writer queue alone, which runs one block at a time.
final class Evictor: @unchecked Sendable {
    /// A record that a read with a maximum age found too old.
    struct Expired: Sendable {
        let key: [UInt8]
        /// What was last confirmed before is expired.
        let oldest: Double

        /// So many wait at most.
        static let most = 4_096
    }

    /// Where a hand stands, and for how many records it goes on.
    struct Turn {
        fileprivate(set) var hand = 0
        fileprivate(set) var cursor: SweepCursor?
        fileprivate(set) var left = 0
    }

    /// How many hands there are at the most.
    private static let mostHands = 256
    /// How many records a hand looks at in a row.
    private static let run = 16
    /// Of as many records that come as there are, so many hands move to one of them.
    private static let movingHands = mostHands / 4
    /// What a record is taken to have where nothing is stored yet.
    private static let usualRecord = 256

    let budget: CacheBudget
    /// The bytes of payload that the store may hold at most.
    private(set) var capacity = Int.max
    @safe @exclusivity(unchecked) private(set) var order = EvictionOrder(capacity: 1, records: 1)
    @safe @exclusivity(unchecked) private var hands: [SweepCursor?] = [nil]
    @safe @exclusivity(unchecked) private var turn = Turn()
    /// The system's numbers cost a call of the system each, and there is one for each record that is stored.
    @safe @exclusivity(unchecked) private var random = QuickRandom()
    /// What committed transactions have done.
    @safe @exclusivity(unchecked) private(set) var counters = EvictionCounters()
    /// The same with the transaction that is under way.
    @safe @exclusivity(unchecked) private var counting = EvictionCounters()
    /// What must stay.
    @safe @exclusivity(unchecked) var pins = PinTable()
    /// What reads found too old, the last first to go.
    @safe @exclusivity(unchecked) private(set) var expired: [Expired] = []
    /// Hashes of keys that are not to go now.
    @safe @exclusivity(unchecked) var spared: Set<UInt64> = []
    /// What the store said of itself when this process saw it last: another one says that another process wrote.
    private(set) var last: StoreState?
    /// How often that was so, or the store was opened.
    private(set) var foreignCommits = 0
    /// By how much the time has advanced for hits since the last commit.
    @safe @exclusivity(unchecked) private(set) var hitTime = 0
    /// Touches and evictions since what is known was saved.
    @safe @exclusivity(unchecked) private(set) var changesSinceSave = 0
    /// The share of expired records among those that were looked at lately.
    @safe @exclusivity(unchecked) private var expiredShare: Float = 1
    /// The mean size of a record.
    @safe @exclusivity(unchecked) private var mean = Evictor.usualRecord
    /// Whether the order is one for what is stored.
    private var isPrepared = false
    /// The directory in which an earlier process may have saved what it knew, until it is looked for.
    var savedIn: String?
    /// What was saved there, where it was taken away before it was looked for.
    var saved: [UInt8]?

    init(_ budget: CacheBudget) { self.budget = budget }

    /// Whether records count as 1: where their number alone is limited.
    var countsEntries: Bool { budget.bytes == nil }

    /// The account as this process committed it last.
    var account: StoreState.Account? { last?.account }

    /// Bytes allocated.
    var byteCount: Int { order.byteCount }

    /// Sets how much payload fits.
    ///
    /// - Parameter saved: where an earlier process may have saved what it knew, which is taken up before the first write.
    func begin(capacity: Int, saved directory: String?) {
        self.capacity = capacity
        savedIn = directory
        saved = nil
        last = nil
        foreignCommits += 1
        isPrepared = false
    }

    /// Begins a transaction on a store that says `stored` of itself.
    func begin(at stored: StoreState) {
        if last != stored {
            pins.distrust()
            if last != nil { foreignCommits += 1 }
            last = stored
        }
        guard let account = stored.account else { return }
        mean = account.entries > 4 ? max(account.payloadBytes / account.entries, 1) : Evictor.usualRecord
        let fitting = min(capacity, budget.nodes.map { $0.multipliedReportingOverflow(by: mean).partialValue } ?? .max)
        let records = max(min(fitting / mean, budget.nodes ?? .max), 1)
        let now = stored.clock.now &+ UInt64(hitTime)
        guard !isPrepared else { return order.resize(fitting, records: records, now: now) }
        isPrepared = true
        // Eight bytes for each record that fits: what is saved takes no more than a twenty-first part of the budget.
        order = EvictionOrder(capacity: fitting, records: records)
        hands = [nil]
        turn = Turn()
        restore(now: now)
    }

    /// Notes that a transaction was committed, which left `stored` in the store and wrote `hitTime` of hits.
    func commit(_ stored: StoreState, hitTime taken: Int) {
        last = stored
        hitTime -= taken
        counters = counting
        pins.commit()
    }

    /// Says that a transaction was given up, or failed.
    func abort() {
        counting = counters
        pins.rollBack()
    }

    /// Forgets everything: the store is empty.
    func removeAll() {
        savedIn = nil
        saved = nil
        last = nil
        pins.removeAll()
        expired = []
        hitTime = 0
        changesSinceSave = 0
        isPrepared = false
    }

    static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 { unsafe hash64(key, seed: 0) }

    // MARK: What happens to records

    /// Notes reads, in order.
    func touch(_ hashes: ContiguousArray<UInt64>) {
        guard isPrepared, let last else { return }
        for hash in hashes { hitTime += order.hit(hash, weight: mean, now: last.clock.now &+ UInt64(hitTime)) }
        changesSinceSave += hashes.count
    }

    /// Notes what reads found too old, as far as there is room.
    func note(_ others: [Expired]) {
        expired.append(contentsOf: others.prefix(max(Expired.most - expired.count, 0)))
    }

    /// The next record that a read has found too old.
    func nextExpired() -> Expired? { expired.popLast() }

    /// Notes that what is under the key whose hash is `hash` was confirmed without being written.
    func confirm(_ hash: UInt64, now: UInt64) { order.stored(hash, weight: mean, isNew: false, now: now) }

    /// Notes that a record of `weight` bytes is stored under the key whose hash is `hash`.
    ///
    /// - Parameter number: that of the call.
    func keep(_ hash: UInt64, weight: Int, number: CallNumber, isNew: Bool, now: UInt64) {
        counting.writtenBytes += weight
        changesSinceSave += 1
        pins.note(hash, bytes: weight, number: number)
        order.stored(hash, weight: weight, isNew: isNew, now: now)
    }

    /// Whether a hand is to move to a record that came.
    func movesHand(entries: Int) -> Bool {
        if hands.count < Evictor.mostHands { return random.next() & 15 == 0 }
        return random.next(below: max(entries, 1)) < Evictor.movingHands
    }

    /// Moves a hand to `cursor`.
    func moveHand(to cursor: SweepCursor) {
        if hands.count < Evictor.mostHands { return hands.append(cursor) }
        hands[random.next(below: hands.count)] = cursor
    }

    // MARK: Who goes

    /// Whose turn it is to look.
    func nextTurn() -> Turn {
        if turn.left <= 0 {
            let hand = random.next(below: hands.count)
            turn = Turn(hand: hand, cursor: hands[hand], left: Evictor.run)
        }
        return turn
    }

    /// Says that the turn went on to `cursor` over `count` records.
    func advance(to cursor: SweepCursor?, over count: Int) {
        hands[turn.hand] = cursor
        turn.cursor = cursor
        turn.left -= max(count, 1)
        // At the end another hand goes on.
        if cursor == nil { turn.left = 0 }
    }

    func score(_ hash: UInt64, written: UInt64?, now: UInt64) -> Double {
        order.score(hash, written: written, now: now)
    }

    func goes(_ score: Double) -> Bool { order.goes(score) }

    /// Notes whether a record that was looked at is expired, where the budget says when that is.
    func noteLook(foundExpired isExpired: Bool) { expiredShare += ((isExpired ? 1 : 0) - expiredShare) / 256 }

    /// Whether so many are expired that they are worth a search.
    var findsExpired: Bool { expiredShare > 1 / 128 }

    /// Notes that a record was evicted, of `bytes` bytes with its key.
    func went(_ hash: UInt64, written: UInt64?, bytes: Int, now: UInt64) {
        counting.evictions += 1
        counting.evictedBytes += countsEntries ? 1 : bytes
        changesSinceSave += 1
        pins.note(hash, bytes: 0, number: .zero)
        order.went(hash, written: written, now: now)
    }

    /// Whether `account` has more records than the budget allows.
    func hasTooMany(_ account: StoreState.Account) -> Bool { account.evictableEntries > budget.nodes ?? .max }

    static func overBudget(_ bytes: Int) -> CacheError {
        CacheError(.overBudget, "The write needs \(bytes) bytes and the budget has no room for so many.")
    }

    // MARK: Pins

    /// The part of the payload that may be pinned, in hundredths: what is left is for what comes and goes, and for the
    /// engine, which needs room to write even where nothing can be evicted.
    private static let pinnedShare = 50

    /// The most that may be pinned, in bytes; `nil` where only the number of records is limited.
    var pinLimit: Int? { budget.bytes == nil ? nil : capacity / 100 * Evictor.pinnedShare }

    /// Whether more is pinned than may be.
    var pinsTooMuch: Bool { pins.bytes > pinLimit ?? .max || pins.count > budget.nodes ?? .max }

    /// Lets go of the oldest of what is pinned, so that an eighth of what may be is free.
    func releaseOldestPins() {
        func most(_ limit: Int) -> Int { limit == .max ? .max : limit / 8 * 7 + limit % 8 }
        pins.releaseOldest(bytes: most(pinLimit ?? .max), count: most(budget.nodes ?? .max))
    }

    /// Lets go of the older half of what is pinned, as nothing else may go; false where nothing is pinned.
    func releaseSomePins() -> Bool {
        guard pins.count > 0 else { return false }
        pins.releaseOldest(bytes: pins.bytes / 2, count: pins.count / 2)
        return true
    }

    // MARK: What is saved

    /// Notes that it was saved.
    func didSave() { changesSinceSave = 0 }

    /// Whether so much has changed that it should be saved.
    var isWorthSaving: Bool { isPrepared && changesSinceSave > max(2 * order.records, 1_000) }

    private static let savedVersion: UInt64 = 1

    /// What is known, as bytes; `nil` where that is nothing.
    func save() -> [UInt8]? {
        guard isPrepared else { return nil }
        var out = ByteBuffer(capacity: order.byteCount + 16_384)
        defer { out.deallocate() }
        out.append(littleEndian: Evictor.savedVersion)
        out.append(littleEndian: order.main.seen.unit)
        out.append(littleEndian: order.main.trial.bitPattern)
        out.append(littleEndian: UInt64(order.main.kind.rawValue))
        out.append(littleEndian: UInt64(order.main.seen.slots.count))
        for slot in order.main.seen.slots { out.append(littleEndian: slot) }
        for hand in hands.compactMap(\.self) where hand.bytes.count < 1 << 16 {
            out.append(littleEndian: UInt32(hand.bytes.count))
            unsafe hand.bytes.withUnsafeBytes { unsafe out.append($0) }
        }
        unsafe out.append(littleEndian: hash64(out.bytes, seed: 2))
        return unsafe Array(out.bytes)
    }

    /// Takes up what an earlier process saved, once.
    private func restore(now: UInt64) {
        guard let directory = savedIn else { return }
        let taken = saved
        (savedIn, saved) = (nil, nil)
        guard let bytes = taken ?? Evictor.readSaved(in: directory), bytes.count >= 48 else { return }
        unsafe bytes.withUnsafeBytes { bytes in
            func word(_ offset: Int) -> UInt64 {
                unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            }
            func half(_ offset: Int) -> UInt32 {
                unsafe UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            }
            let end = bytes.count - 8
            guard unsafe word(end) == hash64(UnsafeRawBufferPointer(rebasing: bytes[..<end]), seed: 2),
                word(0) == Evictor.savedVersion, let kind = TouchOrder.Kind(rawValue: UInt8(clamping: word(24)))
            else { return }
            let count = Int(clamping: word(32))
            guard count <= (end - 40) / 4 else { return }
            var slots = ContiguousArray<UInt32>()
            slots.reserveCapacity(count)
            for index in 0..<count { slots.append(half(40 + 4 * index)) }
            guard let seen = TouchTable(slots: slots, limit: order.main.seen.limit, unit: word(8)) else { return }
            order.restore(seen, kind: kind, trial: Double(bitPattern: word(16)), now: now)
            var place = 40 + 4 * count
            while place + 4 <= end, hands.count < Evictor.mostHands {
                let length = Int(half(place))
                guard length <= end - place - 4 else { return }
                unsafe hands.append(SweepCursor(Array(bytes[(place + 4)..<(place + 4 + length)])))
                place += 4 + length
            }
        }
    }
}

/// What eviction has done so far.
struct EvictionCounters {
    var evictions = 0
    var evictedBytes = 0
    var writtenBytes = 0
}

/// SplitMix64 (Steele, Lea and Flood 2014).
private struct QuickRandom {
    private var state = UInt64.random(in: .min ... .max)

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
        return word ^ word >> 31
    }

    /// A number below `limit`, which is above 0.
    mutating func next(below limit: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(limit)).high) }
}
