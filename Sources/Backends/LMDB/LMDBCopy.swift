import CLMDB
import GroveCache
import GroveModel
import GrovePlatform

/// A copy of a store without holes, which replaces it: LMDB's own file never shrinks.
///
/// It is written under one name and renamed once it is whole and on the disk. A process that is killed leaves the old
/// file, or no file and a whole copy, which the next opening installs. The writer's lock is held all the time.
/// The lock file is removed with the data, because its locks and its numbers of commits are the old file's.
enum LMDBCopy {
    private static let unfinished = "data.copy"
    private static let finished = "data.next"
    static let names = [unfinished, finished]

    /// Finishes a replacement that a killed process left; called while no other process opens the store or copies it.
    static func settle(_ directory: StoreFiles) throws(CacheError) {
        if !directory.holds(LMDBFiles.names[0]), directory.holds(finished) { try install(directory) }
        for name in names where directory.holds(name) { try directory.remove(name) }
    }

    /// Replaces the file of `environment` with a copy of its content; no thread may use the environment afterwards.
    ///
    /// - Parameter replacing: called before the file is removed, while no other writer can change it.
    static func replace(
        _ environment: LMDBEnvironment, in directory: StoreFiles, _ replacing: () -> Void
    ) throws(CacheError) {
        try environment.lockWriter()
        defer { environment.unlockWriter() }
        var begun: OpaquePointer?
        try unsafe LMDBEnvironment.check(mdb_txn_begin(environment.pointer, nil, 0, &begun), "begin a copy")
        defer { unsafe mdb_txn_abort(begun) }
        for name in names { try directory.remove(name) }
        do throws(CacheError) {
            try copy(environment, to: directory.path(of: unfinished))
            try directory.move(unfinished, to: finished)
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
        try directory.move(finished, to: LMDBFiles.names[0])
        try directory.synchronize()
    }

    /// Writes all pages in use to a new file.
    private static func copy(_ environment: LMDBEnvironment, to path: String) throws(CacheError) {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw .system(errno, "make a copy") }
        defer { _ = close(file) }
        let status = unsafe mdb_env_copyfd2(environment.pointer, file, UInt32(MDB_CP_COMPACT))
        try LMDBEnvironment.check(environment.explained(status), "copy the store")
        guard fsync(file) == 0 else { throw .system(errno, "sync the copy") }
    }
}

extension LMDBStore {
    /// Fills all sparse pages, then copies the pages in use to a new file, which replaces the old one.
    ///
    /// Meanwhile both files exist: the old one, and a new one about as large as the stored records. Other processes
    /// that have the store open notice that the file was replaced, and open it again.
    public func shrink(_ replacing: () -> Void) throws(CacheError) {
        var position: [UInt8] = []
        repeat {
            try write { (transaction) throws(CacheError) in
                position = try transaction.refill(from: position, pages: 256)
            }
        } while !position.isEmpty
        try pool.shrink(replacing)
    }
}
