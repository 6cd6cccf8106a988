import CLMDB
import GroveCache
import GroveModel

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A copy of a store without holes, which takes its place: LMDB's own file never shrinks.
///
/// It is written under one name and called by another once it is whole and on the disk. So whoever is killed leaves the
/// old file, or none and a whole copy, which the next opening puts in its place. The writer's lock is held all the time; the
/// lock file goes with the data, for its locks and its numbers of commits are the old file's.
enum LMDBCopy {
    private static let unfinished = "data.copy"
    private static let finished = "data.next"
    static let names = [unfinished, finished]

    /// How many bytes of records are copied in one transaction.
    private static let bytesAtOnce = 4 << 20

    /// Ends what a process left that was killed: called while no other process opens the store or copies it.
    static func settle(_ directory: StoreFiles) throws(CacheError) {
        if !directory.holds(LMDBFiles.names[0]), directory.holds(finished) { try install(directory) }
        for name in names where directory.holds(name) { try directory.remove(name) }
    }

    /// Puts a copy of what `environment` holds in its place; nobody may use the environment afterwards.
    ///
    /// - Parameter replacing: called before the file goes, while nobody else can write to it.
    static func replace(
        _ environment: LMDBEnvironment, in directory: StoreFiles, _ replacing: () -> Void
    ) throws(CacheError) {
        var begun: OpaquePointer?
        try unsafe LMDBEnvironment.check(mdb_txn_begin(environment.pointer, nil, 0, &begun), "begin a copy")
        defer { unsafe mdb_txn_abort(begun) }
        for name in names { try directory.remove(name) }
        do throws(CacheError) {
            try unsafe copy(begun, environment, to: directory.path(of: unfinished))
            try directory.rename(unfinished, to: finished)
        } catch {
            try? directory.remove(unfinished)
            throw error
        }
        try directory.synchronize()
        replacing()
        try install(directory)
    }

    /// Removes the store's files and gives the copy their name.
    private static func install(_ directory: StoreFiles) throws(CacheError) {
        try directory.remove(LMDBFiles.names)
        try directory.rename(finished, to: LMDBFiles.names[0])
        try directory.synchronize()
    }

    /// Copies all records, in order, so that they fill their pages.
    private static func copy(
        _ source: OpaquePointer?, _ environment: LMDBEnvironment, to path: String
    ) throws(CacheError) {
        var created: OpaquePointer?
        try unsafe LMDBEnvironment.check(mdb_env_create(&created), "make a copy")
        defer { unsafe mdb_env_close(created) }
        try unsafe LMDBEnvironment.check(
            mdb_env_set_mapsize(created, try environment.mapBytes() + (16 << 20)), "set the map size")
        let flags = UInt32(MDB_NOSUBDIR) | UInt32(MDB_NOLOCK) | UInt32(MDB_NOSYNC)
        try unsafe LMDBEnvironment.check(mdb_env_open(created, path, flags, 0o600), "make a copy")
        // What damage leads to must not come out of it as if it were the commit's.
        let (free, guarding) = try unsafe environment.pageGuard(writing: source)
        defer { withExtendedLifetime(free) {} }
        var cursor: OpaquePointer?
        try unsafe LMDBEnvironment.check(mdb_cursor_open(source, environment.database, &cursor), "open a cursor")
        defer { unsafe mdb_cursor_close(cursor) }
        var key = unsafe MDB_val()
        var value = unsafe MDB_val()
        var status = unsafe mdb_cursor_get(cursor, &key, &value, MDB_FIRST)
        while status == MDB_SUCCESS {
            var begun: OpaquePointer?
            try unsafe LMDBEnvironment.check(mdb_txn_begin(created, nil, 0, &begun), "begin a transaction")
            var isFinished = false
            defer { if !isFinished { unsafe mdb_txn_abort(begun) } }
            var database: MDB_dbi = 0
            try unsafe LMDBEnvironment.check(mdb_dbi_open(begun, nil, 0, &database), "open the database")
            var bytes = 0
            while status == MDB_SUCCESS, bytes < bytesAtOnce {
                try unsafe guarding.check(value, keyCount: key.mv_size)
                bytes += unsafe key.mv_size + value.mv_size
                let put = unsafe mdb_put(begun, database, &key, &value, UInt32(MDB_APPEND))
                guard put != MDB_KEYEXIST else { throw CacheError(.corrupted, "the store's keys are out of order") }
                try LMDBEnvironment.check(environment.explained(put), "copy a record")
                status = unsafe mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
            }
            isFinished = true
            let end = unsafe mdb_txn_commit(begun)
            try LMDBEnvironment.check(environment.explained(end), "copy records")
        }
        guard status == MDB_NOTFOUND else { throw .lmdb(status, "read a record") }
        try unsafe LMDBEnvironment.check(mdb_env_sync(created, 1), "sync the copy")
    }
}

extension LMDBStore {
    /// Copies the records to a new file, which takes the place of the old one.
    ///
    /// Both are there meanwhile: the old file, and one about as large as what is stored. Other processes that have the store
    /// open find it replaced, and open it anew.
    public func shrink(_ replacing: () -> Void) throws(CacheError) { try pool.shrink(replacing) }
}
