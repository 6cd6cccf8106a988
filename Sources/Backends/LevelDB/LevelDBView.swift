import CLevelDB
public import GroveCache
public import GroveModel

/// A read view of a ``LevelDBStore``: a LevelDB snapshot.
///
/// LevelDB copies each value it returns. The view keeps the last copy until its next call.
@_documentation(visibility: internal)
@safe public final class LevelDBView: NodeView {
    /// False: the bytes of a value are freed at the next call.
    public static var keepsBytes: Bool { false }

    private let handle: LevelDBHandle
    private let snapshot: OpaquePointer
    private let options: LevelDBReadOptions
    private var lookup: LevelDBLookup
    private var owner: LevelDBConnection?

    init(_ handle: LevelDBHandle, options: LevelDBReadOptions, of owner: LevelDBConnection) {
        self.handle = handle
        self.options = options
        self.owner = owner
        unsafe snapshot = unsafe leveldb_create_snapshot(handle.database)
        unsafe leveldb_readoptions_set_snapshot(options.pointer, snapshot)
        lookup = unsafe LevelDBLookup(handle, options.pointer)
    }

    deinit { end() }

    /// The value stored under `key`, or `nil` if there is none; valid until the next call or the end of the view.
    ///
    /// - Complexity: one `leveldb_get`, or less if keys that end in numbers follow each other.
    /// - Throws: ``CacheError`` with code `corrupted` if a checksum is wrong, or `inputOutput`.
    public func get(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer? {
        try unsafe lookup.get(key)
    }

    /// Visits the entries whose keys begin with `prefix`, in the order of their keys' bytes.
    ///
    /// - Complexity: O(log *n* + *m*) for *m* such entries among *n*.
    /// - Throws: the error of `visit`, or ``CacheError`` with code `corrupted` or `inputOutput`.
    public func scan(
        prefix: UnsafeRawBufferPointer,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        let iterator = try unsafe LevelDBIterator(handle, options: options.pointer, from: prefix)
        while let (key, value) = unsafe try iterator.entry(), unsafe key.begins(with: prefix) {
            guard try unsafe visit(key, value) else { return }
            iterator.advance()
        }
    }

    /// Visits the entries with the prefix that come after `start`, in the order of their keys' bytes.
    ///
    /// - Complexity: O(log *n* + *m*) for *m* entries that are visited among *n*.
    /// - Throws: as ``scan(prefix:_:)``.
    public func scan(
        prefix: UnsafeRawBufferPointer, after start: UnsafeRawBufferPointer,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        // If `start` is before the prefix, every key with the prefix comes after `start`.
        let isWithin = unsafe prefix.lexicographicallyPrecedes(start)
        let iterator = try unsafe LevelDBIterator(handle, options: options.pointer, from: isWithin ? start : prefix)
        while let (key, value) = unsafe try iterator.entry(), unsafe key.begins(with: prefix) {
            if unsafe start.lexicographicallyPrecedes(key), try unsafe !visit(key, value) { return }
            iterator.advance()
        }
    }

    /// Counts the entries, and the bytes of their keys and values.
    func count() throws(CacheError) -> (entries: Int, payloadBytes: Int) {
        keepsCacheAsItIs(true)
        defer { keepsCacheAsItIs(false) }
        var entries = 0
        var payloadBytes = 0
        try unsafe scan(prefix: UnsafeRawBufferPointer(start: nil, count: 0)) { (key, value) throws(CacheError) in
            entries += 1
            payloadBytes += key.count + value.count
            return true
        }
        return (entries, payloadBytes)
    }

    /// Sets whether scanned blocks stay out of the cache of blocks.
    func keepsCacheAsItIs(_ keeps: Bool) {
        unsafe leveldb_readoptions_set_fill_cache(options.pointer, keeps ? 0 : 1)
    }

    /// Releases the snapshot; a second call does nothing.
    public func end() {
        guard let owner else { return }
        self.owner = nil
        lookup.leave()
        unsafe leveldb_release_snapshot(handle.database, snapshot)
        owner.ended(options)
    }
}

/// The owner of a `leveldb_readoptions_t` that verifies checksums; it is used by one view at a time.
// SAFETY: it is handed from view to view under a lock.
@safe final class LevelDBReadOptions: @unchecked Sendable {
    let pointer: OpaquePointer

    init() throws(CacheError) {
        guard let pointer = unsafe leveldb_readoptions_create() else {
            throw CacheError(.full, "The system has no memory for LevelDB's options.")
        }
        unsafe leveldb_readoptions_set_verify_checksums(pointer, 1)
        unsafe self.pointer = unsafe pointer
    }

    deinit { unsafe leveldb_readoptions_destroy(pointer) }
}
