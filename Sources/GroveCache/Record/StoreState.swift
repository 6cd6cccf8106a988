import GroveModel

/// What the store remembers of itself, in one record of its own: how many writes it has seen.
struct StoreState: Equatable {
    /// The number of the last write.
    var sequence: UInt64 = 0
    /// The highest number of a deletion whose tombstone was evicted: a node that nobody remembers may have been
    /// deleted until then.
    var forgottenDeletion: UInt64 = 0
    /// Which opening of the store wrote last, a random number for each: whoever finds another one here than it left was
    /// not the last; 0 where an earlier version of Grove was.
    var session: UInt64 = 0
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

    private static let plainCount = 33
    private static let accountedCount = plainCount + 20
    /// The sizes before there were sessions, which counted themselves in the account.
    private static let earlierCounts = [25, 45]

    static let key: [UInt8] = [Namespace.meta]

    /// What the record and its key take in the store.
    var storedBytes: Int { 1 + (account == nil ? StoreState.plainCount : StoreState.accountedCount) }

    init() {}

    /// Reads the state, or starts anew where there is none.
    ///
    /// - Throws: ``CacheError`` with code `unsupportedFormat` or `corrupted`.
    init(_ view: any NodeView) throws(CacheError) {
        let stored: UnsafeRawBufferPointer? = try unsafe StoreState.withKey { (key) throws(CacheError) in
            try unsafe view.get(key)
        }
        guard let stored = unsafe stored else { return }
        guard stored.count >= 1 else { throw CacheError(.corrupted, "The store's own record is empty.") }
        guard unsafe stored[0] == RecordHeader.formatVersion else { throw unsafe .unknownLayout(stored[0]) }
        let isEarlier = StoreState.earlierCounts.contains(stored.count)
        guard isEarlier || stored.count == StoreState.plainCount || stored.count == StoreState.accountedCount else {
            throw CacheError(.corrupted, "The store's own record is damaged.")
        }
        let end = stored.count - 8
        sequence = unsafe UInt64(littleEndian: stored.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
        forgottenDeletion = unsafe UInt64(littleEndian: stored.loadUnaligned(fromByteOffset: 9, as: UInt64.self))
        let sum = unsafe UInt64(littleEndian: stored.loadUnaligned(fromByteOffset: end, as: UInt64.self))
        guard unsafe sum == hash64(UnsafeRawBufferPointer(rebasing: stored[..<end]), seed: 1) else {
            throw CacheError(.corrupted, "The store's own record is damaged.")
        }
        guard !isEarlier else { return }
        session = unsafe UInt64(littleEndian: stored.loadUnaligned(fromByteOffset: 17, as: UInt64.self))
        guard stored.count == StoreState.accountedCount else { return }
        let payload = unsafe UInt64(littleEndian: stored.loadUnaligned(fromByteOffset: 25, as: UInt64.self))
        let entries = unsafe UInt64(littleEndian: stored.loadUnaligned(fromByteOffset: 33, as: UInt64.self))
        account = unsafe Account(
            payloadBytes: Int(clamping: payload), entries: Int(clamping: entries),
            openSegment: UInt32(littleEndian: stored.loadUnaligned(fromByteOffset: 41, as: UInt32.self)))
    }

    func write(_ transaction: any NodeTransaction) throws(CacheError) {
        var out = ByteBuffer(capacity: 64)
        defer { out.deallocate() }
        out.append(RecordHeader.formatVersion)
        out.append(littleEndian: sequence)
        out.append(littleEndian: forgottenDeletion)
        out.append(littleEndian: session)
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
