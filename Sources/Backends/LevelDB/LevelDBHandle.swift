import CLevelDB
import GroveModel

/// The owner of an open LevelDB, and of the options, cache and filter that it needs while it is open.
///
/// Any threads may call LevelDB's functions at once. The thread that releases the last reference has made sure
/// that no snapshot, iterator or call is left.
// SAFETY: the pointers never change; what they point to LevelDB synchronises or, as the options, is never changed.
@safe final class LevelDBHandle: @unchecked Sendable {
    /// The open database.
    let database: OpaquePointer

    /// The options for reads of the current state, which verify checksums.
    let readOptions: OpaquePointer

    private let options: OpaquePointer
    private let cache: OpaquePointer?
    private let filter: OpaquePointer?

    /// Opens the database in `directory`, or makes one.
    ///
    /// - Throws: ``CacheError`` with code `locked`, `corrupted`, `unsupportedFormat`, `inputOutput`,
    ///   `permissionDenied` or `full`.
    init(directory: String, options choice: LevelDBOptions) throws(CacheError) {
        guard let options = unsafe leveldb_options_create(), let readOptions = unsafe leveldb_readoptions_create()
        else {
            throw CacheError(.full, "The system has no memory for LevelDB's options.")
        }
        unsafe leveldb_options_set_create_if_missing(options, 1)
        // Damage to a log or to a table's index is then an error at opening, and never shows an older value.
        unsafe leveldb_options_set_paranoid_checks(options, 1)
        unsafe leveldb_options_set_write_buffer_size(options, max(choice.writeBufferBytes, 64 << 10))
        unsafe leveldb_options_set_max_file_size(options, max(choice.maxFileBytes, 1 << 20))
        unsafe leveldb_options_set_block_size(options, max(choice.blockBytes, 1 << 10))
        unsafe leveldb_options_set_max_open_files(options, Int32(clamping: max(choice.maxOpenFiles, 64)))
        let compression = choice.isCompressed ? leveldb_snappy_compression : leveldb_no_compression
        unsafe leveldb_options_set_compression(options, Int32(compression))
        unsafe cache = unsafe leveldb_cache_create_lru(max(choice.blockCacheBytes, 0))
        if let cache = unsafe cache { unsafe leveldb_options_set_cache(options, cache) }
        unsafe filter =
            unsafe choice.bloomBitsPerKey > 0
            ? leveldb_filterpolicy_create_bloom(Int32(clamping: choice.bloomBitsPerKey)) : nil
        if let filter = unsafe filter { unsafe leveldb_options_set_filter_policy(options, filter) }
        unsafe leveldb_readoptions_set_verify_checksums(readOptions, 1)
        unsafe self.options = unsafe options
        unsafe self.readOptions = unsafe readOptions

        var message: UnsafeMutablePointer<CChar>?
        let opened = unsafe leveldb_open(options, directory, &message)
        guard let opened = unsafe opened, unsafe message == nil else {
            unsafe Self.release(options: options, readOptions: readOptions, cache: cache, filter: filter)
            try unsafe LevelDBErrors.check(message, .open)
            throw CacheError(.other, "LevelDB gave no handle and no reason.")
        }
        unsafe database = unsafe opened
    }

    deinit {
        unsafe leveldb_close(database)
        unsafe Self.release(options: options, readOptions: readOptions, cache: cache, filter: filter)
    }

    private static func release(
        options: OpaquePointer, readOptions: OpaquePointer, cache: OpaquePointer?, filter: OpaquePointer?
    ) {
        unsafe leveldb_options_destroy(options)
        unsafe leveldb_readoptions_destroy(readOptions)
        if let cache = unsafe cache { unsafe leveldb_cache_destroy(cache) }
        if let filter = unsafe filter { unsafe leveldb_filterpolicy_destroy(filter) }
    }

    /// Writes `batch` atomically; if `syncs` is true, it is on the disk when this returns.
    func write(_ batch: OpaquePointer, syncs: Bool) throws(CacheError) {
        guard let options = unsafe leveldb_writeoptions_create() else {
            throw CacheError(.full, "The system has no memory for LevelDB's options.")
        }
        defer { unsafe leveldb_writeoptions_destroy(options) }
        unsafe leveldb_writeoptions_set_sync(options, syncs ? 1 : 0)
        var message: UnsafeMutablePointer<CChar>?
        unsafe leveldb_write(database, options, batch, &message)
        try unsafe LevelDBErrors.check(message, .write)
    }

    /// Rewrites every table, or those with keys up to `end`, without replaced and removed records.
    func compact(through end: [UInt8]? = nil) {
        guard let end else { return unsafe leveldb_compact_range(database, nil, 0, nil, 0) }
        unsafe end.withUnsafeBytes { end in
            unsafe leveldb_compact_range(
                database, nil, 0, end.baseAddress?.assumingMemoryBound(to: CChar.self), end.count)
        }
    }

    /// The approximate bytes of the tables in use.
    var tableBytes: Int {
        var size: UInt64 = 0
        unsafe [CChar](repeating: -1, count: 8).withUnsafeBufferPointer { limit in
            unsafe "".withCString { start in
                var keys = unsafe (start: Optional(start), limit: limit.baseAddress)
                var counts = (start: 0, limit: limit.count)
                unsafe leveldb_approximate_sizes(
                    database, 1, &keys.start, &counts.start, &keys.limit, &counts.limit, &size)
            }
        }
        return Int(size)
    }

    /// Makes a table of the records in memory; its file and its entry in the manifest are synchronised.
    ///
    /// Compacting a range without keys does only that (`db/db_impl.cc`, `CompactRange`).
    func flushMemory() { unsafe leveldb_compact_range(database, "", 0, "", 0) }
}

/// The owner of the bytes that the last `leveldb_get` returned.
@safe struct LevelDBValue: ~Copyable {
    private var bytes: UnsafeMutablePointer<CChar>?

    init() {}

    deinit { if let bytes = unsafe bytes { unsafe leveldb_free(bytes) } }

    /// The value of `key`; the value before is freed.
    @inline(__always)
    mutating func get(
        _ database: OpaquePointer, _ options: OpaquePointer, _ key: UnsafeRawBufferPointer
    ) throws(CacheError) -> UnsafeRawBufferPointer? {
        if let last = unsafe bytes {
            unsafe bytes = nil
            unsafe leveldb_free(last)
        }
        var count = 0
        var message: UnsafeMutablePointer<CChar>?
        let found = unsafe leveldb_get(
            database, options, key.baseAddress?.assumingMemoryBound(to: CChar.self), key.count, &count, &message)
        try unsafe LevelDBErrors.check(message, .read)
        guard let found = unsafe found else { return nil }
        unsafe bytes = unsafe found
        return unsafe UnsafeRawBufferPointer(start: found, count: count)
    }

    /// Frees the bytes.
    mutating func clear() {
        if let last = unsafe bytes {
            unsafe bytes = nil
            unsafe leveldb_free(last)
        }
    }
}
