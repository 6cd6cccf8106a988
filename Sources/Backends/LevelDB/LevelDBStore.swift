import CLevelDB
public import GroveCache
public import GroveModel

/// A ``NodeStore`` on LevelDB: a log-structured merge tree that takes batches of writes very fast.
///
/// One process, and one handle in it, has the store at a time; another one is told `locked` at once. The checksums of
/// everything that is read are verified, at opening and later. Damage gives a typed error, never an older or another
/// value.
///
/// The file `LOCK` shows whether another program removed or replaced the files (see ``BackendProfile/mainFile``).
/// LevelDB itself finds its files by the directory's path, on its own thread too. So do not put another LevelDB's files
/// there while the store is open.
///
/// The directory, which holds nothing else, is given mode 0700 if its owner opens it. That keeps others out, because
/// LevelDB makes its files with mode 0644 less the process's mask.
///
/// Opening an existing store needs room on the disk: LevelDB turns its log into a table, and begins a new manifest. It
/// needs three pages and as many bytes as the log has, usually at most ``LevelDBOptions/writeBufferBytes``. Without
/// that room, opening throws `full` and changes nothing.
///
/// LevelDB keeps a thread of its own in the process, which never ends: do not fork after opening. No code in the
/// process may open the file `LOCK`, because closing it would release LevelDB's lock.
public final class LevelDBStore: BudgetedStore {
    /// The capabilities of this backend.
    ///
    /// Readers wait for no writer and no compaction, but share the disk and the processor with them. Values are limited
    /// to 256 MB, because LevelDB keeps several copies of a batch in memory while it is written.
    public static let profile = BackendProfile(
        name: "leveldb", isPersistent: true, survivesCrash: true, isMultiProcess: false, isEvicting: true,
        readersNeverStall: true, mainFile: "LOCK", maxValueBytes: 256 << 20,
        livePayloadShare: 0.4,
        leastBudgetBytes: 4_500_000)

    /// Whether a file of this name belongs to LevelDB or to this backend.
    public static func owns(file name: String) -> Bool { LevelDBDirectory.owns(name) }

    let connection: LevelDBConnection

    /// Opens the store in `directory`, which exists, or makes a new one there.
    ///
    /// - Complexity: O(*n*) for *n* bytes of the log that is not a table yet, at most twice the write buffer; it does
    ///   not depend on the size of the store.
    /// - Throws: ``CacheError`` with code `locked` if another handle or process holds it, `notAStore` if the directory
    ///   is a file or holds another engine's store. Also `corrupted` if a log, the manifest or a table is damaged,
    ///   `unsupported` if `directory` is `nil`, `unsupportedFormat`, `inputOutput`, `permissionDenied`, `full`.
    public init(directory: String?, options: LevelDBOptions) throws(CacheError) {
        connection = try LevelDBConnection(directory, options: options)
    }

    /// Opens the store with the buffers that ``setBudget(_:)`` needs for `budget`, so that it need not be opened again.
    ///
    /// The files are not kept within the budget before that call. Complexity and errors are those of opening without a
    /// budget.
    public init(directory: String?, options: LevelDBOptions, budget: Int) throws(CacheError) {
        connection = try LevelDBConnection(directory, options: options, budget: budget)
    }

    /// Opens a view of the last committed state: a snapshot of LevelDB.
    ///
    /// - Complexity: O(1).
    /// - Throws: ``CacheError`` with code `closed`, or those of opening if an earlier reopening failed.
    public func view() throws(CacheError) -> LevelDBView {
        let (handle, options) = try connection.begin()
        return LevelDBView(handle, options: options, of: connection)
    }

    /// Runs `body` in a write transaction; commits when it returns, aborts when it throws.
    ///
    /// The commit is one batch in LevelDB's log, which is synced before this returns (see
    /// ``LevelDBOptions/syncsEachCommit``). A transaction that wrote nothing costs nothing. After a failed write the
    /// store reads as before. The part of the batch that reached the log is cut off. The next transaction opens LevelDB
    /// again when no view is open.
    ///
    /// - Throws: the error of `body`, or ``CacheError`` with code `closed`, `full`, `inputOutput`, `corrupted`.
    public func write(_ body: (LevelDBTransaction) throws(CacheError) -> Void) throws(CacheError) {
        let transaction = LevelDBTransaction(try connection.writable())
        try body(transaction)
        try checkRoom(for: transaction.batchBytes)
        do throws(CacheError) {
            if try transaction.commit(syncs: connection.options.syncsEachCommit) {
                connection.committed(bytes: transaction.batchBytes)
            }
        } catch {
            connection.failed(error)
            throw error
        }
    }

    /// Returns when all earlier commits survive loss of power: at once, unless ``LevelDBOptions/syncsEachCommit`` is
    /// false.
    ///
    /// If it is false, this call makes a table of the records in memory: earlier logs may hold commits that are not
    /// synced with the current log.
    ///
    /// - Throws: ``CacheError`` with code `closed`, `full`, `inputOutput`, or an earlier failed write's error.
    public func synchronize() throws(CacheError) {
        let (handle, options) = try connection.begin()
        defer { connection.ended(options) }
        if let failure = connection.failure { throw failure }
        guard connection.isComplete else {
            throw CacheError(.inputOutput, "LevelDB's log or CURRENT was removed; close the store and open it again")
        }
        guard !connection.options.syncsEachCommit else { return }
        handle.flushMemory()
        // Even a few records are a table now.
        connection.state.withLock { $0.room.note(0) }
        try checkCompaction(handle, syncs: true)
    }

    /// Throws if a compaction failed: LevelDB reports it only at the next write, so an empty batch is written.
    func checkCompaction(_ handle: LevelDBHandle, syncs: Bool = false) throws(CacheError) {
        guard let batch = unsafe leveldb_writebatch_create() else {
            throw CacheError(.full, "The system has no memory for a batch.")
        }
        defer { unsafe leveldb_writebatch_destroy(batch) }
        do throws(CacheError) {
            try unsafe handle.write(batch, syncs: syncs)
        } catch {
            connection.failed(error)
            throw error
        }
    }

    /// The size of the store now, counted exactly.
    ///
    /// LevelDB does not know how many keys it holds, and a writer could only find out by looking each one up. So the
    /// first call after a commit or an opening reads the whole store; later calls do not. ``bytesOnDisk()`` is cheap.
    ///
    /// - Complexity: O(*n*) after a commit, about 0.3 µs for each entry; otherwise O(files).
    /// - Throws: ``CacheError`` with code `closed`, `corrupted` or `inputOutput`.
    public func size() throws(CacheError) -> StoreSize {
        let (commits, last) = connection.counts()
        if let last {
            return StoreSize(
                bytesOnDisk: try bytesOnDisk(), payloadBytes: last.payloadBytes, entries: last.entries)
        }
        let view = try view()
        defer { view.end() }
        let (entries, payloadBytes) = try view.count()
        connection.counted(after: commits, entries: entries, payloadBytes: payloadBytes)
        return StoreSize(bytesOnDisk: try bytesOnDisk(), payloadBytes: payloadBytes, entries: entries)
    }

    /// Bytes on disk as `du` counts them, of every file in the directory; no entry is read for it.
    ///
    /// - Complexity: O(files).
    /// - Throws: ``CacheError`` with code `closed` or `inputOutput`.
    public func bytesOnDisk() throws(CacheError) -> Int { try connection.bytesOnDisk() }

    /// Removes everything: closes LevelDB, removes its files and its event logs, and opens it again.
    ///
    /// If the process is killed in between, the next opening finishes it.
    ///
    /// - Throws: ``CacheError`` with code `closed`, `locked` if a view is open, `inputOutput`, `permissionDenied`.
    public func wipe() throws(CacheError) { try connection.wipe() }

    /// Closes LevelDB, which waits for a compaction that is under way, and releases every file and lock.
    public func close() { connection.close() }
}
