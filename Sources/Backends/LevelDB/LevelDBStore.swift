import CLevelDB
public import GroveCache
public import GroveModel

/// A ``NodeStore`` on LevelDB: a log-structured merge tree that takes batches of writes very fast.
///
/// One process, and one handle in it, has the store at a time; another is told `locked` at once. Checksums of
/// everything that is read are verified, at opening and later: damage ends in a typed error and not in an older or
/// another value.
///
/// The file `LOCK` shows whether another program removed or exchanged the files (see ``BackendProfile/mainFile``).
/// LevelDB itself finds its files by the directory's path, on its own thread too: do not put another LevelDB's files
/// there while it is open.
///
/// The directory, which holds nothing else, is given mode 0700 if its owner opens it. That keeps others out, because
/// LevelDB makes its files with mode 0644 less the process's mask.
///
/// Opening a store that exists needs room on the disk: LevelDB makes its log a table, and begins a new manifest. So it
/// needs three pages and as many bytes as the log has, at most ``LevelDBOptions/writeBufferBytes`` as a rule. Without
/// them it throws `full` and changes nothing.
///
/// LevelDB keeps a thread of its own for the process, which is never ended: do not fork after opening. No code in the
/// process may open the file `LOCK`, because closing it would release LevelDB's lock.
public final class LevelDBStore: BudgetedStore {
    /// The abilities of this backend.
    ///
    /// Readers wait for no writer and no compaction, but share the disk and the processor with them. Values are limited
    /// to 256 MB, because LevelDB keeps several copies of a batch in memory while it is written.
    public static let profile = BackendProfile(
        name: "leveldb", isPersistent: true, survivesCrash: true, isMultiProcess: false, isEvicting: true,
        readersNeverStall: true, mainFile: "LOCK", maxValueBytes: 256 << 20,
        livePayloadShare: 0.4,
        leastBudgetBytes: 4_500_000)

    /// Whether LevelDB, or this backend, makes the file.
    public static func owns(file name: String) -> Bool { LevelDBDirectory.owns(name) }

    let connection: LevelDBConnection

    /// Opens the store in `directory`, which exists, or makes a new one there.
    ///
    /// - Complexity: O(*log*) for the log that was not yet made a table, at most twice the write buffer; not
    ///   proportional to the store.
    /// - Throws: ``CacheError`` with code `locked` if another handle or process holds it, `notAStore` if the directory
    ///   is a file or holds another engine's store. Also `corrupted` if a log, the manifest or a table is damaged,
    ///   `unsupported` if `directory` is `nil`, `unsupportedFormat`, `inputOutput`, `permissionDenied`, `full`.
    public init(directory: String?, options: LevelDBOptions) throws(CacheError) {
        connection = try LevelDBConnection(directory, options: options)
    }

    /// Opens the store with the buffers that ``setBudget(_:)`` of `budget` asks for, so that this call need not open it
    /// again.
    ///
    /// Nothing is kept within the budget before that call. Complexity and errors are those of opening without a budget.
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
    /// The commit is one batch in LevelDB's log, which is synchronised before this returns (see
    /// ``LevelDBOptions/syncsEachCommit``). A transaction that wrote nothing costs nothing. After a failed write the
    /// store reads as before. The part of the batch that reached the log is cut out of it, and the next transaction
    /// opens LevelDB again, once no view is open.
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

    /// Returns when everything committed so far survives loss of power: at once, unless commits are not synchronised.
    ///
    /// Without ``LevelDBOptions/syncsEachCommit`` it makes a table of the records in memory, because earlier logs may
    /// hold commits that synchronising the current one would leave behind.
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
        // However little there was, it is a table now.
        connection.noteRoom(0)
        try checkCompaction(handle, syncs: true)
    }

    /// Finds out whether a compaction failed, of which LevelDB says nothing until the next write, be it an empty one.
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
    /// LevelDB does not know how many keys it holds, and a writer could only tell by looking each one up. So the first
    /// call after a commit or an opening reads the whole store; a repeated one does not. ``bytesOnDisk()`` is cheap.
    ///
    /// - Complexity: O(*n*) after a commit, about 0.3 µs for each entry; else O(files).
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

    /// Bytes on disk as `du` counts them, every file in the directory included, without a look at the entries.
    ///
    /// - Complexity: O(files).
    /// - Throws: ``CacheError`` with code `closed` or `inputOutput`.
    public func bytesOnDisk() throws(CacheError) -> Int { try connection.bytesOnDisk() }

    /// Removes everything: closes LevelDB, removes its files, its logs of events included, and opens it again.
    ///
    /// If the process is killed in between, the next opening finishes it.
    ///
    /// - Throws: ``CacheError`` with code `closed`, `locked` if a view is open, `inputOutput`, `permissionDenied`.
    public func wipe() throws(CacheError) { try connection.wipe() }

    /// Closes LevelDB, which waits for a compaction that is under way, and releases every file and lock.
    public func close() { connection.close() }
}
