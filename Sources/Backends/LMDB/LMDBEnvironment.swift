import CLMDB
import GroveCache
import GroveModel
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The owner of one open LMDB environment; it closes when the last transaction that holds it is gone.
///
/// LMDB forbids a process to open one file twice: "Closing the second would release the locks of the first". The cache's
/// registry sees to that.
// SAFETY: all is set once or atomic; the map is resized while no transaction runs, and closed by `deinit`.
@safe final class LMDBEnvironment: @unchecked Sendable {
    let pointer: OpaquePointer
    let database: MDB_dbi

    /// All ones; a test clears bits so that hashes of long keys collide.
    let hashMask: UInt64

    /// The size of a page, and which pages are free.
    let pageSize: Int
    let freeList = LMDBFreeList()
    /// Where the map begins in memory; 0 where that was not looked up yet.
    let mapStart = Atomic<UInt>(0)

    private let commits = Atomic<Int>(0)

    /// How many commits pass between two looks for readers that were killed; their pages would never be reused.
    private static let commitsPerCheck = 32

    private static let magic: [UInt8] = Array("GroveLMD".utf8)
    private static let layout: UInt32 = 1

    /// Opens the environment in `directory`, or makes one, and checks that it is ours and whole.
    init(_ directory: StoreFiles, _ options: LMDBOptions, hashMask: UInt64) throws(CacheError) {
        // A wipe that was cut short leaves the locks of a file that is gone: they count its transactions, not a new one's.
        if !directory.holds(LMDBFiles.names[0]) { try directory.remove(LMDBFiles.names[1]) }
        try options.check()
        try LMDBMeta.check(directory)
        try LMDBLockFile.allocate(directory, readers: options.maxReaders)
        var created: OpaquePointer?
        try unsafe Self.check(mdb_env_create(&created), "make an environment")
        guard let created = unsafe created else { throw .lmdb(ENOMEM, "make an environment") }
        do throws(CacheError) {
            database = try unsafe Self.open(created, directory, options)
            var statistics = MDB_stat()
            try unsafe Self.check(mdb_env_stat(created, &statistics), "read the environment's state")
            pageSize = Int(statistics.ms_psize)
        } catch {
            unsafe mdb_env_close(created)
            throw error
        }
        unsafe pointer = unsafe created
        self.hashMask = hashMask
    }

    deinit { unsafe mdb_env_close(pointer) }

    /// Throws the error for `status` unless it is success.
    static func check(_ status: Int32, _ action: @autoclosure () -> String) throws(CacheError) {
        guard status == MDB_SUCCESS else { throw .lmdb(status, action()) }
    }

    /// The size of a page of the system, of which a map has a whole number.
    static var systemPage: Int { max(Int(sysconf(Int32(_SC_PAGESIZE))), 4_096) }

    private static func open(
        _ pointer: OpaquePointer, _ directory: StoreFiles, _ options: LMDBOptions
    ) throws(CacheError) -> MDB_dbi {
        let page = systemPage
        try unsafe check(
            mdb_env_set_mapsize(pointer, max((options.mapSize + page - 1) / page, 16) * page), "set the map size")
        try unsafe check(mdb_env_set_maxreaders(pointer, UInt32(options.maxReaders)), "set the number of readers")
        // A read transaction belongs to its object and not to its thread: that is what lets them be pooled.
        let flags = UInt32(MDB_NOTLS) | (options.isDurable ? 0 : UInt32(MDB_NOMETASYNC))
        try unsafe check(mdb_env_open(pointer, directory.path, flags, 0o600), "open the store in \(directory.path)")
        guard unsafe mdb_env_get_maxkeysize(pointer) >= LMDBKey.stampCount else {
            throw CacheError(.unsupported, "this build of LMDB takes keys shorter than 511 bytes")
        }
        var dead: Int32 = 0
        try unsafe check(mdb_reader_check(pointer, &dead), "clear the slots of dead readers")
        return try unsafe checkStamp(pointer)
    }

    /// The bytes that the committed pages span, and the length of the file.
    private static func lengths(_ pointer: OpaquePointer) throws(CacheError) -> (needed: Int, length: Int) {
        var info = unsafe MDB_envinfo()
        var statistics = MDB_stat()
        var descriptor: mdb_filehandle_t = -1
        try unsafe check(mdb_env_info(pointer, &info), "read the environment's state")
        try unsafe check(mdb_env_stat(pointer, &statistics), "read the environment's state")
        try unsafe check(mdb_env_get_fd(pointer, &descriptor), "read the environment's state")
        let length = grove_lmdb_length(descriptor)
        guard length >= 0 else { throw .lmdb(errno, "read the length of the store's file") }
        let (needed, overflow) = unsafe (Int(info.me_last_pgno) &+ 1).multipliedReportingOverflow(
            by: Int(statistics.ms_psize))
        return unsafe (overflow || info.me_last_pgno >= Int.max ? Int.max : needed, Int(length))
    }

    /// Makes the file as long as its pages span, where a commit left it shorter.
    ///
    /// LMDB does not write a page at the end that was taken and given back in one transaction. Without this, such a
    /// file would look like one that was cut off. The writer's lock is held meanwhile: no peer's write is undone.
    func lengthen() throws(CacheError) {
        let (needed, length) = unsafe try Self.lengths(pointer)
        guard length < needed else { return }
        var transaction: OpaquePointer?
        try unsafe Self.check(mdb_txn_begin(pointer, nil, 0, &transaction), "lengthen the store's file")
        defer { unsafe mdb_txn_abort(transaction) }
        let (target, current) = unsafe try Self.lengths(pointer)
        guard current < target else { return }
        var descriptor: mdb_filehandle_t = -1
        try unsafe Self.check(mdb_env_get_fd(pointer, &descriptor), "lengthen the store's file")
        guard ftruncate(descriptor, off_t(target)) == 0 else { throw .lmdb(errno, "lengthen the store's file") }
    }

    /// `status`, or `ENOSPC` where the file system has next to no room and LMDB says `EIO`.
    ///
    /// That is what LMDB reports of a write that was cut short, whatever cut it: its source does not know a better code.
    func explained(_ status: Int32) -> Int32 {
        guard status == EIO else { return status }
        var descriptor: mdb_filehandle_t = -1
        var room = statvfs()
        guard unsafe mdb_env_get_fd(pointer, &descriptor) == MDB_SUCCESS, unsafe fstatvfs(descriptor, &room) == 0 else {
            return status
        }
        return UInt64(room.f_bavail) * UInt64(room.f_frsize) < 1 << 16 ? ENOSPC : status
    }

    /// What follows a commit: nothing that fails here undoes it.
    func tidy() {
        try? lengthen()
        let (_, count) = commits.add(1, ordering: .relaxed)
        if count % Self.commitsPerCheck == 0 { unsafe mdb_reader_check(pointer, nil) }
    }

    /// Checks the stamp, or writes it into an environment that is empty.
    private static func checkStamp(_ pointer: OpaquePointer) throws(CacheError) -> MDB_dbi {
        if let database = try unsafe stamp(pointer, UInt32(MDB_RDONLY)) { return database }
        if let database = try unsafe stamp(pointer, 0) { return database }
        throw CacheError(.corrupted, "the store's stamp could not be written")
    }

    /// Reads the stamp, and writes it where there is none and `flags` allow it.
    ///
    /// - Returns: the database, or `nil` where there is no stamp yet.
    private static func stamp(_ pointer: OpaquePointer, _ flags: UInt32) throws(CacheError) -> MDB_dbi? {
        var begun: OpaquePointer?
        try unsafe check(mdb_txn_begin(pointer, nil, flags, &begun), "begin a transaction")
        var isFinished = false
        defer { if !isFinished { unsafe mdb_txn_abort(begun) } }
        var database: MDB_dbi = 0
        var statistics = MDB_stat()
        try unsafe check(mdb_dbi_open(begun, nil, 0, &database), "open the database")
        try unsafe check(mdb_stat(begun, database, &statistics), "read the database's state")

        var key = [UInt8](repeating: 0xFF, count: LMDBKey.stampCount)
        var bytes = magic
        unsafe withUnsafeBytes(of: layout.littleEndian) { unsafe bytes.append(contentsOf: $0) }
        var found: [UInt8]?
        let status = unsafe key.withUnsafeMutableBytes { key in
            unsafe bytes.withUnsafeMutableBytes { bytes in
                var storedKey = unsafe MDB_val(mv_size: key.count, mv_data: key.baseAddress)
                var stored = unsafe MDB_val()
                let status = unsafe mdb_get(begun, database, &storedKey, &stored)
                if status == MDB_SUCCESS {
                    found = unsafe Array(UnsafeRawBufferPointer(start: stored.mv_data, count: stored.mv_size))
                }
                guard status == MDB_NOTFOUND, statistics.ms_entries == 0, flags == 0 else { return status }
                unsafe stored = unsafe MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
                return unsafe mdb_put(begun, database, &storedKey, &stored, 0)
            }
        }
        if status == MDB_NOTFOUND {
            guard statistics.ms_entries == 0 else {
                throw CacheError(.notAStore, "the directory holds an LMDB environment that Grove did not make")
            }
            return nil
        }
        try check(status, "read the store's stamp")
        if let found {
            guard found.starts(with: magic), found.count >= bytes.count else {
                throw CacheError(.notAStore, "the directory holds an LMDB environment that Grove did not make")
            }
            let number = unsafe found.withUnsafeBytes {
                unsafe $0.loadUnaligned(fromByteOffset: magic.count, as: UInt32.self)
            }
            guard number == layout.littleEndian else { throw .unknownLayout(UInt32(littleEndian: number)) }
        }
        isFinished = true
        if flags == 0 {
            try unsafe check(mdb_txn_commit(begun), "write the store's stamp")
        } else {
            unsafe mdb_txn_abort(begun)
        }
        return database
    }
}
