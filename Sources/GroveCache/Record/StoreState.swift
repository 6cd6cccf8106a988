import GroveModel

/// What the store remembers of itself, in one record of its own: how many writes it has seen.
struct StoreState: Equatable {
    /// The number of the last write.
    var sequence: UInt64 = 0
    /// The highest number of a deletion whose tombstone was evicted: a node that nobody remembers may have been
    /// deleted until then.
    var forgottenDeletion: UInt64 = 0

    static let key: [UInt8] = [Namespace.meta]

    init() {}

    /// Reads the state, or starts anew where there is none.
    ///
    /// - Throws: ``CacheError`` with code `unsupportedFormat` or `corrupted`.
    init(_ view: any NodeView) throws(CacheError) {
        let stored: UnsafeRawBufferPointer? = try unsafe StoreState.withKey { (key) throws(CacheError) in
            try unsafe view.get(key)
        }
        guard let stored = unsafe stored else { return }
        guard stored.count >= 1, unsafe stored[0] <= RecordHeader.formatVersion else {
            throw CacheError(
                .unsupportedFormat, "The store was written by a later version of Grove; it is left as it is.")
        }
        guard stored.count == 25 else { throw CacheError(.corrupted, "The store's own record is damaged.") }
        sequence = unsafe UInt64(littleEndian: stored.loadUnaligned(fromByteOffset: 1, as: UInt64.self))
        forgottenDeletion = unsafe UInt64(littleEndian: stored.loadUnaligned(fromByteOffset: 9, as: UInt64.self))
        let sum = unsafe UInt64(littleEndian: stored.loadUnaligned(fromByteOffset: 17, as: UInt64.self))
        guard unsafe sum == hash64(UnsafeRawBufferPointer(rebasing: stored[..<17]), seed: 1) else {
            throw CacheError(.corrupted, "The store's own record is damaged.")
        }
    }

    func write(_ transaction: any NodeTransaction) throws(CacheError) {
        var out = ByteBuffer(capacity: 32)
        defer { out.deallocate() }
        out.append(RecordHeader.formatVersion)
        out.append(littleEndian: sequence)
        out.append(littleEndian: forgottenDeletion)
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
