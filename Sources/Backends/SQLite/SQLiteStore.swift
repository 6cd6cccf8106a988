public import GroveCache
public import GroveModel
import CSQLite
import Synchronization

/// A store in an SQLite database with a write-ahead log.
///
/// The directory holds `store.sqlite`, `store.sqlite-wal` and `store.sqlite-shm`, readable by their owner only. The
/// last two files stay when the store is closed, so that it can be opened on a full disk. The log is then empty, and
/// its index takes 32 KB. Several processes on one machine may share the directory.
///
/// - A view neither waits for a write nor holds one up. It does keep the log from starting over, so a view that stays
///   open makes the log grow.
/// - The file shrinks only if a budget has become smaller. Removed records leave pages that later writes reuse, until
///   ``wipe()``.
/// - SQLite's pages carry no checksum: damage shows as an error, or as wrong bytes that the cache detects.
public final class SQLiteStore: ShrinkableStore {
    /// The options with which the store is opened.
    public typealias Options = SQLiteOptions

    /// The largest value, in bytes: SQLite's limit for a row, less the longest key and some.
    static let maxValueBytes = 1_000_000_000 - 16_384

    /// The capabilities of this backend.
    public static let profile = BackendProfile(
        name: "sqlite", isPersistent: true, survivesCrash: true, isMultiProcess: true, isEvicting: true,
        readersNeverStall: true, opensOnFullDisk: true, mainFile: SQLiteFiles.database,
        companions: [SQLiteFiles.log, SQLiteFiles.logIndex], maxValueBytes: maxValueBytes, livePayloadShare: 0.5,
        leastBudgetBytes: 1 << 20)

    /// Whether a file of this name belongs to SQLite.
    public static func owns(file name: String) -> Bool { SQLiteFiles.names.contains(name) }

    let pool: SQLitePool
    /// The writer; `nil` after `close()`, and after an error that requires a new connection.
    let writer: Lock<SQLiteWriter?>

    /// Opens the store in `directory`, or makes one there.
    ///
    /// - Throws: ``CacheError`` with code `notAStore` if the directory holds something else, `corrupted` if the file is
    ///   damaged, `unsupportedFormat` if a later version wrote it, `unsupported` if `directory` is `nil`. Also
    ///   `locked`, `permissionDenied`, `full`, `inputOutput`.
    public convenience init(directory: String?, options: SQLiteOptions) throws(CacheError) {
        try self.init(directory: directory, options: options, hashMask: .max)
    }

    /// Opens the store with `hashMask` over the hashes of keys; a file keeps to one mask.
    package init(directory: String?, options: SQLiteOptions, hashMask: UInt64) throws(CacheError) {
        pool = SQLitePool(try SQLiteFiles.directory(directory), options, hashMask: hashMask)
        writer = Lock(try SQLiteWriter(pool))
    }

    deinit { close() }

    /// Opens a view of the last committed state; it never waits for a writer.
    ///
    /// - Complexity: O(1); the first view on each of several threads opens a connection.
    /// - Throws: ``CacheError`` with code `closed`, `locked` if another process is recovering the log, `inputOutput`.
    public func view() throws(CacheError) -> SQLiteView {
        try pool.view()
    }

    /// Runs `body` in a write transaction; commits when it returns, rolls back when it throws.
    ///
    /// Atomic and isolated. After an error nothing was committed, and the store goes on.
    ///
    /// - Throws: the error of `body`, or ``CacheError`` with code `full`, `inputOutput`, `corrupted`, `closed`, or
    ///   `locked` if another process has been writing for longer than ``SQLiteOptions/lockTimeout``.
    public func write(_ body: (SQLiteTransaction) throws(CacheError) -> Void) throws(CacheError) {
        try writer.withLock { writer throws(CacheError) in
            let usable = try pool.writer(writer)
            writer = usable
            defer {
                if !usable.isSound {
                    // The log must stay as long as the store is open.
                    usable.connection.leaveLog(true)
                    writer = nil
                }
            }
            try usable.run(body)
            try? pool.budget.didCommit(usable)
        }
    }

    /// Returns when all earlier commits survive loss of power.
    ///
    /// - Throws: ``CacheError`` with code `inputOutput` or `full`.
    public func synchronize() throws(CacheError) {
        // Commits that are no longer in the log were synced when they were copied to the database.
        try pool.directory.synchronize(SQLiteFiles.log)
        try pool.directory.synchronize()
    }

    /// The size of the store now; the payload is an estimate from the number of pages.
    ///
    /// - Complexity: O(*n*) with a small constant: SQLite counts entries by walking the pages.
    /// - Throws: ``CacheError`` with code `inputOutput`, `corrupted` or `closed`.
    public func size() throws(CacheError) -> StoreSize {
        let view = try view()
        defer { view.end() }
        let named = Int(try view.connection.number("SELECT count(*) FROM named"))
        let entries = named + Int(try view.connection.number("SELECT count(*) FROM numbered"))
        let pages = try view.connection.number("PRAGMA page_count")
        let free = try view.connection.number("PRAGMA freelist_count")
        // A named entry costs about 25 bytes in the index, which is two thirds full, and 20 beside key and value. A
        // numbered one costs about as much beside its value as its key has.
        let used = Int(pages - free) * Int(try view.connection.number("PRAGMA page_size"))
        return StoreSize(
            bytesOnDisk: try pool.directory.allocatedBytes(),
            payloadBytes: entries == 0 ? 0 : max(used - named * 60, entries), entries: entries)
    }

    /// Removes everything: the files are deleted and created again.
    ///
    /// A view that is still open goes on reading the old, deleted file.
    ///
    /// - Throws: ``CacheError`` with code `inputOutput`, `permissionDenied`, `full` or `closed`.
    public func wipe() throws(CacheError) {
        try writer.withLock { writer throws(CacheError) in
            writer = nil
            var fresh: SQLiteWriter?
            try pool.replacing { () throws(CacheError) in
                try pool.directory.remove(SQLiteFiles.names)
                fresh = try SQLiteWriter(pool)
            }
            writer = fresh
        }
    }

    /// Lets the file grow to `count` pages and no further, for tests of a full store.
    func limitPages(_ count: Int) throws(CacheError) {
        try writer.withLock { writer throws(CacheError) in
            let usable = try pool.writer(writer)
            writer = usable
            try usable.connection.run("PRAGMA max_page_count = \(count)")
        }
    }

    /// Copies the log into the database, empties it and releases the files; a view that is still open releases them
    /// when it ends.
    ///
    /// Every later call throws `closed`.
    public func close() {
        pool.close()
        writer.withLock { $0 = nil }
    }
}

extension SQLitePool {
    /// `writer`, or a new one if there is none and the store is open.
    func writer(_ writer: SQLiteWriter?) throws(CacheError) -> SQLiteWriter {
        if let writer { return writer }
        guard !isClosed else { throw .closedStore }
        return try SQLiteWriter(self)
    }
}
