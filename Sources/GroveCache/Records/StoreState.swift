import GroveCoding
import GroveModel

/// What the store remembers of itself, in one record of its own: how many writes it has seen.
struct StoreState: Equatable {
    /// The number of the last write.
    var sequence: UInt64 = 0
    /// The highest number of a deletion whose tombstone was evicted: a node that nobody remembers may have been
    /// deleted until then.
    var forgottenDeletion: UInt64 = 0
    /// Who wrote last, the last first: each with the place in its own queue up to which it has committed.
    ///
    /// By it a read tells which of its process's queued calls its view shows already.
    private var writers = StoreState.noWriters
    /// How many shapes were stored.
    var shapes: UInt16 = 0
    /// A random number that no other store has, nor this one after a wipe; 0 where nothing was committed.
    var store: UInt32 = 0
    /// How many commits have changed something.
    var commit: UInt64 = 0
    /// A random number of the last of them.
    var mark: UInt32 = 0
    /// How many of the last commits have a place in the history; 0 where none was ever asked for.
    var historyPlaces: UInt16 = 0
    /// What is stored, this record included, where every write since the store was made has counted; `nil` where one
    /// had no budget to keep.
    var account: Account?

    /// The sum of what is stored, kept in the transactions that change it.
    struct Account: Equatable {
        /// The bytes of all keys and values.
        var payloadBytes = 0
        /// The number of keys.
        var entries = 0
        /// The segment of the journal that is written to.
        var openSegment: UInt32 = 0
    }

    /// An opening of the store, by a random number, and the place in its queue of the last call that it committed.
    private struct Writer: Equatable {
        var session: UInt64
        var place: UInt64
    }

    /// How many writers are remembered: one that so many others overtook no longer finds its place.
    private static let writerCount = 4
    private static let noWriters = Array(repeating: Writer(session: 0, place: 0), count: writerCount)
    private static let plainCount = 17 + 16 * writerCount + 2 + 18 + 8
    private static let accountedCount = plainCount + 20

    static let key: [UInt8] = [Namespace.meta]

    /// What the record and its key take in the store.
    var storedBytes: Int { 1 + (account == nil ? StoreState.plainCount : StoreState.accountedCount) }

    init() {}

    /// Which opening of the store wrote last; 0 where none has.
    var session: UInt64 { writers[0].session }

    /// The last commit; `nil` where nothing was committed.
    var token: ChangeToken? { store == 0 ? nil : ChangeToken(store: store, commit: commit, mark: mark) }

    /// The place in the queue of `session` up to which it has committed; `nil` where that is not known.
    func place(of session: UInt64) -> UInt64? { writers.first { $0.session == session }?.place }

    /// Notes that `session` wrote last, and has committed up to `place` of its queue.
    mutating func note(_ session: UInt64, upTo place: UInt64) {
        if writers[0].session == session {
            writers[0].place = max(place, writers[0].place)
            return
        }
        writers =
            [Writer(session: session, place: max(place, self.place(of: session) ?? 0))]
            + writers.filter { $0.session != session }.prefix(StoreState.writerCount - 1)
    }

    /// Reads the state, or starts anew where there is none.
    ///
    /// - Throws: ``CacheError`` with code `unsupportedFormat` or `corrupted`.
    init(_ view: any NodeView) throws(CacheError) {
        let stored: UnsafeRawBufferPointer? = try unsafe StoreState.withKey { (key) throws(CacheError) in
            try unsafe view.get(key)
        }
        guard let stored = unsafe stored else { return }
        // It begins with its version and ends with its hash in every version, so that a damaged number is no later version's.
        let end = stored.count - 8
        guard end > 0,
            unsafe UInt64(littleEndian: stored.loadUnaligned(fromByteOffset: end, as: UInt64.self))
                == hash64(UnsafeRawBufferPointer(rebasing: stored[..<end]), seed: 1)
        else { throw CacheError(.corrupted, "The store's own record is damaged.") }
        guard unsafe stored[0] == RecordHeader.formatVersion else { throw unsafe .laterVersion(stored[0]) }
        guard stored.count == StoreState.plainCount || stored.count == StoreState.accountedCount else {
            throw CacheError(.corrupted, "The store's own record is damaged.")
        }
        sequence = unsafe UInt64(littleEndian: stored.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
        forgottenDeletion = unsafe UInt64(littleEndian: stored.loadUnaligned(fromByteOffset: 9, as: UInt64.self))
        for index in writers.indices {
            let start = 17 + 16 * index
            writers[index] = unsafe Writer(
                session: UInt64(littleEndian: stored.loadUnaligned(fromByteOffset: start, as: UInt64.self)),
                place: UInt64(littleEndian: stored.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self)))
        }
        let counts = 17 + 16 * writers.count
        shapes = unsafe UInt16(littleEndian: stored.loadUnaligned(fromByteOffset: counts, as: UInt16.self))
        store = unsafe UInt32(littleEndian: stored.loadUnaligned(fromByteOffset: counts + 2, as: UInt32.self))
        commit = unsafe UInt64(littleEndian: stored.loadUnaligned(fromByteOffset: counts + 6, as: UInt64.self))
        mark = unsafe UInt32(littleEndian: stored.loadUnaligned(fromByteOffset: counts + 14, as: UInt32.self))
        historyPlaces = unsafe UInt16(littleEndian: stored.loadUnaligned(fromByteOffset: counts + 18, as: UInt16.self))
        guard stored.count == StoreState.accountedCount else { return }
        let start = StoreState.plainCount - 8
        let payload = unsafe UInt64(littleEndian: stored.loadUnaligned(fromByteOffset: start, as: UInt64.self))
        let entries = unsafe UInt64(littleEndian: stored.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self))
        account = unsafe Account(
            payloadBytes: Int(clamping: payload), entries: Int(clamping: entries),
            openSegment: UInt32(littleEndian: stored.loadUnaligned(fromByteOffset: start + 16, as: UInt32.self)))
    }

    func write(_ transaction: any NodeTransaction) throws(CacheError) {
        var out = ByteBuffer(capacity: StoreState.accountedCount)
        defer { out.deallocate() }
        out.append(RecordHeader.formatVersion)
        out.append(littleEndian: sequence)
        out.append(littleEndian: forgottenDeletion)
        for writer in writers {
            out.append(littleEndian: writer.session)
            out.append(littleEndian: writer.place)
        }
        out.append(littleEndian: shapes)
        out.append(littleEndian: store)
        out.append(littleEndian: commit)
        out.append(littleEndian: mark)
        out.append(littleEndian: historyPlaces)
        // A sum below nothing says that the store lost what was counted: whoever writes next counts anew.
        if let account, account.payloadBytes >= 0, account.entries >= 0 {
            out.append(littleEndian: UInt64(account.payloadBytes))
            out.append(littleEndian: UInt64(account.entries))
            out.append(littleEndian: account.openSegment)
        }
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
