import GroveCoding
import GroveModel

/// The state of a store, in one record of its own: its last write, its last commit, its account and its clock.
struct StoreState: Equatable {
    /// The number of the last write.
    var sequence = CallNumber.zero
    /// The highest number of a deletion whose tombstone was evicted: a node without a record may have been deleted up
    /// to that number.
    var forgottenDeletion = CallNumber.zero
    /// The openings that wrote last, the last first, each with the place in its own queue up to which it has committed.
    ///
    /// By it a read tells which of its process's queued calls its view shows already.
    private var writers = StoreState.noWriters
    /// The number of shapes that were stored.
    var shapes: UInt16 = 0
    /// A random number that no other store has, nor this one after a wipe.
    var store = StoreID.none
    /// The number of commits that have changed something.
    var commit = CommitNumber.zero
    /// A random number of the last commit.
    var mark = CommitMark.none
    /// The number of the last commits that have a place in the history; 0 if no history was ever asked for.
    var historyPlaces: UInt16 = 0
    /// The sum of all records, this one included; `nil` if it was lost: the next transaction counts again.
    var account: Account? = Account()
    /// The times at which calls were committed, in bytes written.
    var clock = WriteClock()
    /// Whether the store has this record.
    private(set) var isStored = false

    /// The sum of all records, kept in the transactions that change it, with a budget or without.
    struct Account: Equatable {
        /// The bytes of all keys and values.
        var payloadBytes = 0
        /// The number of keys.
        var entries = 0
        /// The number of keys whose records a budget may evict.
        var evictableEntries = 0

        /// Whether it may be true: a negative number says that the store lost records that were counted.
        var isPossible: Bool { payloadBytes >= 0 && entries >= 0 && evictableEntries >= 0 }

        /// Notes that the value under `key` had `old` bytes and has `new`; `nil` stands for no value.
        @inline(__always)
        mutating func note(_ key: UnsafeRawBufferPointer, old: Int?, new: Int?) {
            payloadBytes += (new.map { $0 + key.count } ?? 0) - (old.map { $0 + key.count } ?? 0)
            let step = (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
            guard step != 0 else { return }
            entries += step
            if unsafe Namespace.isEvictable(key) { evictableEntries += step }
        }
    }

    /// An opening of the store, by a random number, and the place in its queue of the last call that it committed.
    struct Writer: Equatable {
        var session: SessionID
        var place: QueuePlace
    }

    /// The number of writers that are remembered: one that so many others overtook no longer finds its place.
    private static let writerCount = 4
    private static let noWriters = Array(repeating: Writer(session: .none, place: .zero), count: writerCount)
    private static let plainCount = 17 + 16 * writerCount + 2 + 18
    /// The bytes of the record: the plain part, then the account, the time, the marks and the hash.
    static let count = plainCount + 24 + 8 + WriteClock.storedBytes + 8

    static let key: [UInt8] = [Namespace.meta]

    /// The bytes of the record and its key.
    private static let storedBytes = 1 + count

    /// The bytes of payload that writing the record adds.
    var growth: Int { isStored ? 0 : StoreState.storedBytes }

    init() {}

    /// The opening of the store that wrote last.
    var session: SessionID { writers[0].session }

    /// The last commit; `nil` if nothing was committed.
    var token: ChangeToken? { store == .none ? nil : ChangeToken(store: store, commit: commit, mark: mark) }

    /// The place in the queue of `session` up to which it has committed; `nil` if that is not known.
    func place(of session: SessionID) -> QueuePlace? { writers.first { $0.session == session }?.place }

    /// Notes that `writer` wrote last, and has committed up to its place.
    mutating func note(_ writer: Writer) {
        if writers[0].session == writer.session {
            writers[0].place = max(writer.place, writers[0].place)
            return
        }
        let place = max(writer.place, self.place(of: writer.session) ?? .zero)
        writers =
            [Writer(session: writer.session, place: place)]
            + writers.filter { $0.session != writer.session }.prefix(StoreState.writerCount - 1)
    }

    /// Whether the hash of the record `stored` is right.
    ///
    /// It begins with its version and ends with its hash in every version, so that a damaged number is no later
    /// version's.
    static func isWhole(_ stored: UnsafeRawBufferPointer) -> Bool {
        let end = stored.count - 8
        return unsafe end > 0
            && UInt64(littleEndian: stored.loadUnaligned(fromByteOffset: end, as: UInt64.self))
                == hash64(UnsafeRawBufferPointer(rebasing: stored[..<end]), seed: 1)
    }

    /// Reads the state, or makes the state of an empty store if none is stored.
    ///
    /// - Throws: ``CacheError`` with code `unsupportedFormat` or `corrupted`.
    init(_ view: any NodeView) throws(CacheError) {
        let stored: UnsafeRawBufferPointer? = try unsafe StoreState.withKey { (key) throws(CacheError) in
            try unsafe view.get(key)
        }
        if let stored = unsafe stored { try unsafe self.init(stored: stored) } else { self.init() }
    }

    /// Reads the state from the record `stored`.
    ///
    /// - Throws: as ``init(_:)`` does.
    init(stored: UnsafeRawBufferPointer) throws(CacheError) {
        guard unsafe StoreState.isWhole(stored) else {
            throw CacheError(.corrupted, "The store's own record is damaged.")
        }
        guard unsafe stored[0] == RecordHeader.formatVersion else { throw unsafe .laterVersion(stored[0]) }
        guard stored.count == StoreState.count else {
            throw CacheError(.corrupted, "The store's own record is damaged.")
        }
        var offset = 1
        func next<Number: FixedWidthInteger>() -> Number {
            defer { offset += MemoryLayout<Number>.size }
            return unsafe Number(littleEndian: stored.loadUnaligned(fromByteOffset: offset, as: Number.self))
        }
        func sum() -> Int { Int(truncatingIfNeeded: next() as UInt64) }
        isStored = true
        sequence = CallNumber(rawValue: next())
        forgottenDeletion = CallNumber(rawValue: next())
        for index in writers.indices {
            writers[index] = Writer(session: SessionID(rawValue: next()), place: QueuePlace(rawValue: next()))
        }
        shapes = next()
        store = StoreID(rawValue: next())
        commit = CommitNumber(rawValue: next())
        mark = CommitMark(rawValue: next())
        historyPlaces = next()
        account = Account(payloadBytes: sum(), entries: sum(), evictableEntries: sum())
        if account?.isPossible == false { account = nil }
        let now: UInt64 = next()
        let marks = unsafe UnsafeRawBufferPointer(rebasing: stored[offset..<offset + WriteClock.storedBytes])
        clock = unsafe WriteClock(now: now, marks: marks, sequence: sequence)
    }

    /// Writes the record, which counts itself.
    mutating func write(_ transaction: any NodeTransaction) throws(CacheError) {
        clock.note(sequence, payload: account?.payloadBytes ?? 0)
        let growth = growth
        account?.payloadBytes += growth
        account?.entries += isStored ? 0 : 1
        isStored = true
        var out = ByteBuffer(capacity: StoreState.count)
        defer { out.deallocate() }
        out.append(RecordHeader.formatVersion)
        out.append(littleEndian: sequence.rawValue)
        out.append(littleEndian: forgottenDeletion.rawValue)
        for writer in writers {
            out.append(littleEndian: writer.session.rawValue)
            out.append(littleEndian: writer.place.rawValue)
        }
        out.append(littleEndian: shapes)
        out.append(littleEndian: store.rawValue)
        out.append(littleEndian: commit.rawValue)
        out.append(littleEndian: mark.rawValue)
        out.append(littleEndian: historyPlaces)
        out.append(littleEndian: UInt64(bitPattern: Int64(account?.payloadBytes ?? -1)))
        out.append(littleEndian: UInt64(bitPattern: Int64(account?.entries ?? -1)))
        out.append(littleEndian: UInt64(bitPattern: Int64(account?.evictableEntries ?? -1)))
        out.append(littleEndian: clock.now)
        clock.forEachMark(sequence) { out.append(littleEndian: $0) }
        unsafe out.append(littleEndian: hash64(out.bytes, seed: 1))
        let bytes = unsafe out.bytes
        try unsafe StoreState.withKey { (key) throws(CacheError) in try unsafe transaction.put(key, bytes) }
    }

    private static func withKey<Value>(
        _ body: (UnsafeRawBufferPointer) throws(CacheError) -> Value
    ) throws(CacheError) -> Value {
        var name = Namespace.meta
        return try unsafe withUnsafeBytes(of: &name) { (bytes) throws(CacheError) in try unsafe body(bytes) }
    }
}
