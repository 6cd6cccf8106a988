// The protocols document their requirements.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
import CRocks
public import GroveCache
public import GroveModel
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A store over RocksDB, made from the template by `Scripts/fifth-backend.sh`: a view is a snapshot, a transaction an
/// indexed batch.
///
/// The store's own record, of how much is stored, is under the key of one byte 0; before the cache's keys stands a byte
/// 1. A commit is in the log of the engine, which the system writes out after a kill; it survives loss of power after
/// ``synchronize()``.
public final class RocksStore: NodeStore {
    /// The options of the store, of which there are none.
    public struct Options: Sendable, Equatable {
        /// Makes options.
        public init() {}
    }

    public static var profile: BackendProfile {
        BackendProfile(
            name: "rocks", isPersistent: true, survivesCrash: true, isMultiProcess: false, readersNeverStall: true,
            mainFile: "CURRENT", maxValueBytes: 1 << 30)
    }

    /// What is stored, counted in each transaction.
    struct Account {
        var entries = 0
        var payloadBytes = 0
    }

    // SAFETY: RocksDB's handle may be used by any thread; which one it is changes under the lock of `state`.
    private struct State: @unchecked Sendable {
        var database: OpaquePointer
        /// The path by which it was opened.
        let path: String
        var account: Account
    }

    /// The paths by which this process has databases open, each with the file that is locked.
    private static let locks = Mutex<[String: UInt64]>([:])

    private let directory: String
    private let state: Mutex<State>

    public init(directory: String?, options: Options) throws(CacheError) {
        guard let directory else { throw CacheError(.unsupported, "A store of RocksDB needs a directory.") }
        self.directory = directory
        state = Mutex(try RocksStore.open(directory))
    }

    private static func open(_ directory: String) throws(CacheError) -> State {
        let options = rocksdb_options_create()
        defer { rocksdb_options_destroy(options) }
        rocksdb_options_set_create_if_missing(options, 1)
        rocksdb_options_set_paranoid_checks(options, 1)
        rocksdb_options_set_keep_log_file_num(options, 1)
        // What is replaced stays in the log until a table is written: by default 64 MB of it.
        rocksdb_options_set_write_buffer_size(options, 2 << 20)
        rocksdb_options_set_max_total_wal_size(options, 4 << 20)
        let path = unlockedPath(of: directory)
        let database = try rocks(isOpening: true) { rocksdb_open(options, path, $0) }
        guard let database else { throw CacheError(.inputOutput, "RocksDB did not open the store.") }
        locks.withLock { $0[path] = lockedFile(in: path) ?? 0 }
        do throws(CacheError) {
            let view = RocksView(database)
            defer { view.end() }
            return State(database: database, path: path, account: try view.account())
        } catch {
            close(database, path)
            throw error
        }
    }

    private static func close(_ database: OpaquePointer, _ path: String) {
        rocksdb_close(database)
        locks.withLock { $0[path] = nil }
    }

    /// `directory`, by a name by which RocksDB does not think it locked.
    ///
    /// A store that was set aside keeps its database open until its views have ended, and RocksDB goes by the path
    /// alone: a database that is made in the directory meanwhile needs another one. If the same file is locked, so is
    /// the directory.
    private static func unlockedPath(of directory: String) -> String {
        let file = lockedFile(in: directory)
        return locks.withLock { locks in
            var path = directory
            while let locked = locks[path], locked != file { path += "/." }
            return path
        }
    }

    private static func lockedFile(in directory: String) -> UInt64? {
        var status = stat()
        return stat(directory + "/LOCK", &status) == 0 ? UInt64(status.st_ino) : nil
    }

    private var database: OpaquePointer { state.withLock { $0.database } }

    public func view() throws(CacheError) -> RocksView { RocksView(database) }

    public func write(_ body: (RocksTransaction) throws(CacheError) -> Void) throws(CacheError) {
        let (database, account) = state.withLock { ($0.database, $0.account) }
        let transaction = RocksTransaction(database, account)
        defer { transaction.end() }
        try body(transaction)
        try transaction.commit()
        state.withLock { $0.account = transaction.account }
    }

    public func synchronize() throws(CacheError) { try rocks { rocksdb_flush_wal(database, 1, $0) } }

    public func size() throws(CacheError) -> StoreSize {
        let account = state.withLock { $0.account }
        var size = StoreSize(bytesOnDisk: 0, payloadBytes: account.payloadBytes, entries: account.entries)
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: directory) else {
            throw CacheError(.inputOutput, "The directory \(directory) cannot be listed.")
        }
        for name in names where RocksStore.owns(file: name) {
            var status = stat()
            // A file may have gone: the engine removes what it has compacted.
            if stat(directory + "/" + name, &status) == 0 { size.bytesOnDisk += Int(status.st_blocks) * 512 }
        }
        return size
    }

    public func wipe() throws(CacheError) {
        close()
        let options = rocksdb_options_create()
        defer { rocksdb_options_destroy(options) }
        let removal = Result { () throws(CacheError) in
            try rocks { rocksdb_destroy_db(options, directory, $0) }
        }
        // Also if it could not be removed: the store is used on.
        let opened = try RocksStore.open(directory)
        state.withLock { $0 = opened }
        try removal.get()
    }

    public func close() { state.withLock { RocksStore.close($0.database, $0.path) } }
}

/// Calls the engine, and throws what it says.
///
/// - Parameter isOpening: whether a file that is not there is one that the store names, so that the store is damaged.
func rocks<Value>(
    isOpening: Bool = false, _ call: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Value
) throws(CacheError) -> Value {
    var message: UnsafeMutablePointer<CChar>?
    let value = call(&message)
    guard let message else { return value }
    defer { rocksdb_free(message) }
    let text = String(cString: message)
    let code: CacheError.Code =
        if text.contains("No space left") {
            .full
        } else if text.contains("While lock file") {
            .locked
        } else if text.hasPrefix("Corruption") || isOpening && text.contains("No such file") {
            .corrupted
        } else {
            .inputOutput
        }
    throw CacheError(code, "RocksDB: \(text)")
}
