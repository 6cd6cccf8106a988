import CLMDB
import GroveCache
import GroveModel
import GrovePlatform
import Synchronization

/// The owner of one open LMDB environment, which closes once the last transaction that holds it is released.
///
/// LMDB forbids a process to open one file twice: "Closing the second would release the locks of the first". The
/// cache's registry prevents that.
// SAFETY: all is set once or atomic; the map is resized while no transaction runs, and closed by `deinit`.
@safe final class LMDBEnvironment: @unchecked Sendable {
    let pointer: OpaquePointer
    let database: MDB_dbi
    /// The file of the data, which LMDB closes.
    let file: mdb_filehandle_t
    let pageBytes: Int

    /// The mask of the hashes of long keys: all ones, unless a test clears bits so that hashes collide.
    let hashMask: UInt64

    /// Whether the store uses another environment, or none: views of this one are no longer kept at rest.
    let isLetGo = Atomic<Bool>(false)

    private let commits = Atomic<Int>(0)
    private let patience: Duration

    /// The number of commits between two checks for killed readers, whose pages would never be reused.
    private static let commitsPerCheck = 32

    private static let magic: [UInt8] = Array("GroveLMD".utf8)
    private static let layout: UInt8 = 1

    /// Opens the environment in `directory`, or makes one, and checks that it is ours and whole.
    init(_ directory: StoreFiles, _ options: LMDBOptions, hashMask: UInt64) throws(CacheError) {
        // An interrupted wipe leaves the lock file of a removed file, which counts that file's transactions.
        if !directory.holds(LMDBFiles.names[0]) { try directory.remove(LMDBFiles.names[1]) }
        try LMDBMeta.check(directory)
        try LMDBLockFile.allocate(directory, readers: options.maxReaders)
        var created: OpaquePointer?
        try unsafe Self.check(mdb_env_create(&created), "make an environment")
        guard let created = unsafe created else { throw .lmdb(ENOMEM, "make an environment") }
        do throws(CacheError) {
            database = try unsafe Self.open(created, directory, options)
            var (file, statistics): (mdb_filehandle_t, MDB_stat) = (-1, MDB_stat())
            try unsafe Self.check(mdb_env_get_fd(created, &file), "read the environment's state")
            try unsafe Self.check(mdb_env_stat(created, &statistics), "read the environment's state")
            self.file = file
            pageBytes = Int(statistics.ms_psize)
        } catch {
            unsafe mdb_env_close(created)
            throw error
        }
        unsafe pointer = unsafe created
        self.hashMask = hashMask
        patience = options.lockTimeout
    }

    deinit { unsafe mdb_env_close(pointer) }

    /// Takes the lock for writers, waiting for other processes; ``unlockWriter()`` releases it.
    func lockWriter() throws(CacheError) { try LMDBWriterLock.lock(file, within: patience) }

    /// Releases the lock of ``lockWriter()``.
    func unlockWriter() { LMDBWriterLock.unlock(file) }

    /// Throws the error for `status` unless it is success.
    static func check(_ status: Int32, _ action: @autoclosure () -> String) throws(CacheError) {
        guard status == MDB_SUCCESS else { throw .lmdb(status, action()) }
    }

    /// The size of a page of the system; a map has a whole number of them.
    static var systemPage: Int { max(Int(sysconf(Int32(_SC_PAGESIZE))), 4_096) }

    private static func open(
        _ pointer: OpaquePointer, _ directory: StoreFiles, _ options: LMDBOptions
    ) throws(CacheError) -> MDB_dbi {
        let page = systemPage
        try unsafe check(
            mdb_env_set_mapsize(pointer, max((options.mapSize + page - 1) / page, 16) * page), "set the map size")
        try unsafe check(mdb_env_set_maxreaders(pointer, UInt32(options.maxReaders)), "set the number of readers")
        // A read transaction belongs to its object and not to its thread, so that it can be pooled.
        let flags = UInt32(MDB_NOTLS) | (options.isDurable ? 0 : UInt32(MDB_NOMETASYNC))
        try unsafe check(mdb_env_open(pointer, directory.path, flags, 0o600), "open the store in \(directory.path)")
        guard unsafe mdb_env_get_maxkeysize(pointer) >= LMDBKey.stampCount else {
            throw CacheError(.unsupported, "this build of LMDB takes keys shorter than 511 bytes")
        }
        var dead: Int32 = 0
        try unsafe check(mdb_reader_check(pointer, &dead), "clear the slots of dead readers")
        return try unsafe checkStamp(pointer, within: options.lockTimeout)
    }

    /// LMDB's statistics of the pages of records.
    func statistics() throws(CacheError) -> MDB_stat {
        var statistics = MDB_stat()
        try unsafe Self.check(mdb_env_stat(pointer, &statistics), "read the store's size")
        return statistics
    }

    /// Whether more than half of the slots of readers are taken, or were at one time.
    var isHalfFullOfReaders: Bool {
        var info = unsafe MDB_envinfo()
        guard unsafe mdb_env_info(pointer, &info) == MDB_SUCCESS else { return false }
        return unsafe info.me_numreaders > info.me_maxreaders / 2
    }

    /// The number of pages of the map, and the number of the last page that was committed.
    func pages() throws(CacheError) -> (map: Int, last: Int) {
        var info = unsafe MDB_envinfo()
        try unsafe Self.check(mdb_env_info(pointer, &info), "read the environment's state")
        return unsafe (Int(info.me_mapsize) / pageBytes, Int(info.me_last_pgno))
    }

    /// Makes the file as long as all its pages, if a commit left it shorter; the caller holds the lock of
    /// ``lockWriter()``.
    ///
    /// LMDB does not write a page at the end that was taken and freed in one transaction. Such a file would look as if
    /// it was cut off. The lock makes sure that no write of another process is undone.
    func lengthen() throws(CacheError) {
        guard Int(grove_lmdb_length(file)) / pageBytes <= (try pages().last) else { return }
        var transaction: OpaquePointer?
        try unsafe Self.check(mdb_txn_begin(pointer, nil, 0, &transaction), "lengthen the store's file")
        defer { unsafe mdb_txn_abort(transaction) }
        let last = try pages().last
        guard Int(grove_lmdb_length(file)) / pageBytes <= last else { return }
        // The file is synced: if it were shorter after a loss of power, it would be taken for damaged.
        guard ftruncate(file, off_t((last &+ 1) &* pageBytes)) == 0, fsync(file) == 0 else {
            throw .lmdb(errno, "lengthen the store's file")
        }
    }

    /// `status`, or `ENOSPC` if the file system has next to no room and LMDB says `EIO`.
    ///
    /// LMDB reports `EIO` for every incomplete write, whatever the cause.
    func explained(_ status: Int32) -> Int32 {
        guard status == EIO else { return status }
        var room = statvfs()
        guard unsafe fstatvfs(file, &room) == 0 else { return status }
        return UInt64(room.f_bavail) * UInt64(room.f_frsize) < 1 << 16 ? ENOSPC : status
    }

    /// Does the work after a commit, before ``unlockWriter()``; a failure here does not undo the commit.
    func tidy() {
        try? lengthen()
        let (_, count) = commits.add(1, ordering: .relaxed)
        if count % Self.commitsPerCheck == 0 { unsafe mdb_reader_check(pointer, nil) }
    }

    /// Checks the stamp, or writes it to an empty environment.
    private static func checkStamp(_ pointer: OpaquePointer, within patience: Duration) throws(CacheError) -> MDB_dbi {
        // A read transaction is tried first: it waits for no other process.
        if let database = try unsafe stamp(pointer, UInt32(MDB_RDONLY)) { return database }
        var file: mdb_filehandle_t = -1
        try unsafe check(mdb_env_get_fd(pointer, &file), "read the environment's state")
        try LMDBWriterLock.lock(file, within: patience)
        defer { LMDBWriterLock.unlock(file) }
        if let database = try unsafe stamp(pointer, 0) { return database }
        throw CacheError(.notAStore, "the directory holds an LMDB environment that Grove did not make")
    }

    /// Reads the stamp, or writes it if nothing is stored and `flags` allow it.
    ///
    /// - Returns: the database, or `nil` if there is no stamp.
    private static func stamp(_ pointer: OpaquePointer, _ flags: UInt32) throws(CacheError) -> MDB_dbi? {
        var begun: OpaquePointer?
        try unsafe check(mdb_txn_begin(pointer, nil, flags, &begun), "begin a transaction")
        var database: MDB_dbi = 0
        var statistics = MDB_stat()
        var status = unsafe mdb_dbi_open(begun, nil, 0, &database)
        if status == MDB_SUCCESS { status = unsafe mdb_stat(begun, database, &statistics) }
        let expected = unsafe magic + withUnsafeBytes(of: StoredLayout.word(layout).littleEndian) { unsafe Array($0) }
        var found: [UInt8]?
        if status == MDB_SUCCESS {
            status = unsafe [UInt8](repeating: 0xFF, count: LMDBKey.stampCount).withUnsafeBytes { key in
                unsafe expected.withUnsafeBytes { expected in
                    var (key, stored, written) = unsafe (MDB_val(key), MDB_val(), MDB_val(expected))
                    let status = unsafe mdb_get(begun, database, &key, &stored)
                    if status == MDB_SUCCESS { found = unsafe Array(UnsafeRawBufferPointer(stored)) }
                    guard status == MDB_NOTFOUND, statistics.ms_entries == 0, flags == 0 else { return status }
                    found = unsafe Array(expected)
                    return unsafe mdb_put(begun, database, &key, &written, 0)
                }
            }
        }
        if status == MDB_SUCCESS { status = unsafe mdb_txn_commit(begun) } else { unsafe mdb_txn_abort(begun) }
        if status == MDB_NOTFOUND { return nil }
        try check(status, "read the store's stamp")
        guard let found, found.starts(with: magic), found.count >= expected.count else {
            throw CacheError(.notAStore, "the directory holds an LMDB environment that Grove did not make")
        }
        let number = found[magic.count..<expected.count].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        try StoredLayout.check(number, is: layout)
        return database
    }
}
