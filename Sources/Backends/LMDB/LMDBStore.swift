public import GroveCache
public import GroveModel
import CLMDB
import Synchronization

/// A store in an LMDB file, which is mapped into memory: reading walks through memory and makes no system call.
///
/// The directory holds `data.mdb` and `lock.mdb`, readable by their owner only. Several processes on one machine may
/// share it. A process must open it only once: LMDB forbids a second time, and the cache's registry prevents it.
///
/// - Writes go to new pages, and show at once when they are committed. A view neither waits for a write nor holds one
///   up. It does keep the pages that it sees from being reused, so a view that stays open makes the file grow.
/// - The file shrinks only if a budget has become smaller. Removed records leave pages that later writes reuse, until
///   ``wipe()``.
/// - Bytes are decoded in place in the map. LMDB's pages carry no checksum, so a file that another program damaged may
///   end the process. A file that was cut off is detected when it is opened. Records carry a checksum, so a read
///   returns a whole record. But a damaged pointer may lead to an older record, on a page that was replaced.
public final class LMDBStore: ShrinkableStore {
    /// The options with which the store is opened.
    public typealias Options = LMDBOptions

    /// The bytes of the largest value, 1 GiB.
    static let maxValueBytes = 1 << 30

    /// The capabilities of this backend.
    public static let profile = BackendProfile(
        name: "lmdb", isPersistent: true, survivesCrash: true, isMultiProcess: true, isEvicting: true,
        readersNeverStall: true, hasUnverifiedPages: true, opensOnFullDisk: true, mainFile: LMDBFiles.names[0],
        companions: [LMDBFiles.names[1]], maxValueBytes: maxValueBytes,
        livePayloadShare: 0.45,
        leastBudgetBytes: (fewestPages * LMDBEnvironment.systemPage + besideMap) / 5 * 6)

    /// Whether a file of this name belongs to LMDB or to this backend.
    public static func owns(file name: String) -> Bool { (LMDBFiles.names + LMDBCopy.names).contains(name) }

    let directory: StoreFiles
    let pool: LMDBPool
    /// The number of pages that the records may fill if there is a budget; the rest is room to write.
    let pageLimit = Atomic<Int>(.max)
    /// The number of pages that the next transaction may refill, and the stored key to begin with.
    let refillPages = Atomic<Int>(0)
    let refillStart = Lock<[UInt8]>([])
    /// The lock for this process's only write; the lock that other processes see belongs to the whole process.
    private let writing = Lock(())

    /// Opens the store in `directory`, or makes one there.
    ///
    /// - Throws: ``CacheError`` with code `notAStore` if the directory holds something else, `corrupted` if the file
    ///   was cut off, `unsupportedFormat` if a later version wrote it, `unsupported` if `directory` is `nil`. Also
    ///   `permissionDenied`, `full`, `inputOutput`.
    public convenience init(directory: String?, options: LMDBOptions) throws(CacheError) {
        try self.init(directory: directory, options: options, hashMask: .max)
    }

    /// Opens the store with the map that ``setBudget(_:)`` needs for `budget`, so that it need not be opened again.
    ///
    /// From now on the file does not grow beyond the budget; room is made in it only after that call. The errors are
    /// those of opening without a budget.
    public convenience init(directory: String?, options: LMDBOptions, budget: Int) throws(CacheError) {
        try self.init(directory: directory, options: options, hashMask: .max, mapLimit: LMDBStore.map(within: budget))
    }

    /// Opens the store with `hashMask` over the hashes of long keys; a file keeps to one mask.
    package init(
        directory: String?, options: LMDBOptions, hashMask: UInt64, mapLimit: Int? = nil
    ) throws(CacheError) {
        self.directory = try LMDBFiles.directory(directory)
        try LMDBCopy.settle(self.directory)
        pool = try LMDBPool(self.directory, options, hashMask: hashMask, mapLimit: mapLimit)
    }

    deinit { pool.close() }

    /// Opens a view of the last committed state; it never waits for a writer.
    ///
    /// - Complexity: O(1), with neither an allocation nor a system call if an ended view is ready for reuse.
    /// - Throws: ``CacheError`` with code `closed`, `locked` if no reader slot is free, `inputOutput`.
    public func view() throws(CacheError) -> LMDBView {
        try pool.view()
    }

    /// Runs `body` in a write transaction; commits when it returns, aborts when it throws.
    ///
    /// Atomic and isolated. It waits while another process writes, for ``LMDBOptions/lockTimeout`` at most. After an
    /// error nothing was committed, and the store goes on. If the map is full, ``LMDBTransaction/put(_:_:)`` or the
    /// commit throws `full`.
    ///
    /// - Throws: the error of `body`, or ``CacheError`` with code `full`, `inputOutput`, `corrupted`, `locked` or
    ///   `closed`.
    public func write(_ body: (LMDBTransaction) throws(CacheError) -> Void) throws(CacheError) {
        try writing.withLock { (_) throws(CacheError) in
            let transaction = try pool.beginWrite()
            defer { pool.endWrite(transaction) }
            do throws(CacheError) {
                try body(transaction)
                try transaction.fillRuns()
                try refill(transaction)
            } catch {
                transaction.abort()
                throw error
            }
            try transaction.commit()
            transaction.environment.tidy()
        }
    }

    /// Returns when all earlier commits survive loss of power.
    ///
    /// - Throws: ``CacheError`` with code `inputOutput`, `full` or `closed`.
    public func synchronize() throws(CacheError) {
        let environment = try pool.environment()
        try unsafe LMDBEnvironment.check(mdb_env_sync(environment.pointer, 1), "sync the store")
    }

    /// The size of the store now; the payload is an estimate from the number of pages.
    ///
    /// - Complexity: O(1) in entries.
    /// - Throws: ``CacheError`` with code `inputOutput` or `closed`.
    public func size() throws(CacheError) -> StoreSize {
        let (statistics, pageBytes) = try pool.withEnvironment { (environment) throws(CacheError) in
            (try environment.statistics(), environment.pageBytes)
        }
        // The stamp is not counted. Leaves are about three quarters full; an entry's pointer and header cost 10 bytes.
        let entries = max(Int(statistics.ms_entries) - 1, 0)
        let leaves = Int(statistics.ms_leaf_pages) * pageBytes * 3 / 4 - entries * 10
        return StoreSize(
            bytesOnDisk: try directory.allocatedBytes(),
            payloadBytes: entries == 0 ? 0 : max(leaves, 0) + Int(statistics.ms_overflow_pages) * pageBytes,
            entries: entries)
    }

    /// Removes everything: the files are deleted and created again.
    ///
    /// A view that is still open goes on reading the old, deleted file.
    ///
    /// - Throws: ``CacheError`` with code `inputOutput`, `permissionDenied`, `full` or `closed`.
    public func wipe() throws(CacheError) {
        try pool.wipe()
    }

    /// Releases the files; if a view is still open, when it ends.
    ///
    /// Every later call throws `closed`.
    public func close() {
        pool.close()
    }
}
