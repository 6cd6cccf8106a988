import CSQLite
import GroveCache
import GroveModel

/// The owner of one connection, which closes once its last statement is finalized too.
// SAFETY: the pointer is set once; its owner, a view or the writer, is used by one thread at a time.
@safe final class SQLiteConnection: @unchecked Sendable {
    let pointer: OpaquePointer
    let lockMilliseconds: Int32

    /// Opens the existing database of `directory`; its main file alone if `ignoresLog` is true.
    init(
        _ directory: StoreFiles, _ options: SQLiteOptions, isReader: Bool, ignoresLog: Bool = false
    ) throws(CacheError) {
        var opened: OpaquePointer?
        // A relative path that begins with "file:" would be read as a URI.
        let base = directory.path.utf8.first == UInt8(ascii: "/") ? "" : "./"
        let path = base + directory.path + "/" + SQLiteFiles.database
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
        let status =
            if ignoresLog {
                unsafe sqlite3_open_v2(Self.frozen(path), &opened, flags | SQLITE_OPEN_URI, nil)
            } else {
                unsafe sqlite3_open_v2(path, &opened, flags, nil)
            }
        guard status == SQLITE_OK, let opened = unsafe opened else {
            let error = unsafe CacheError.sqlite(status, "open the store in \(directory.path)", unsafe opened)
            unsafe sqlite3_close_v2(opened)
            // SQLite's own `MAX_PATHNAME`; the system may take longer paths.
            guard path.utf8.count < 512 else {
                throw CacheError(
                    .unsupported,
                    "SQLite takes paths of up to 511 bytes, and \(path) has more; take a shorter directory",
                    engineCode: error.engineCode)
            }
            throw error
        }
        unsafe pointer = unsafe opened
        lockMilliseconds = options.lockMilliseconds
        unsafe sqlite3_extended_result_codes(opened, 1)
        unsafe sqlite3_busy_timeout(opened, options.lockMilliseconds)
        // Otherwise the last connection removes the log and its index, and the next opening needs room to make them.
        var keepsLog: Int32 = 1
        unsafe sqlite3_file_control(opened, "main", SQLITE_FCNTL_PERSIST_WAL, &keepsLog)
        // The log stays until the file is known to be ours; a reader always leaves it to the writer.
        leaveLog(true)
        try run("PRAGMA trusted_schema = OFF")
        try run("PRAGMA temp_store = MEMORY")
        let mapSize = unsafe grove_sqlite3_map_carefully(opened) == SQLITE_OK ? max(options.mapSize, 0) : 0
        try run("PRAGMA mmap_size = \(mapSize)")
        // A flipped bit in a page's number or in a record's place must not lead to a removed record that is still
        // whole.
        try run("PRAGMA secure_delete = ON")
        if isReader {
            try run("PRAGMA query_only = ON")
        } else {
            try run("PRAGMA synchronous = \(options.isDurable ? "FULL" : "NORMAL")")
            try run("PRAGMA cache_size = -8192")
        }
    }

    deinit { unsafe sqlite3_close_v2(pointer) }

    /// The URI of the file at `path`, by which SQLite takes the file as unchanging and without a log.
    private static func frozen(_ path: String) -> String {
        let escapes: [Character: String] = ["%": "%25", "?": "%3F", "#": "%23"]
        // The text after two slashes would be the name of a host.
        let base = path.hasPrefix("/") ? "file://" : "file:"
        return base + path.map { escapes[$0] ?? String($0) }.joined() + "?immutable=1"
    }

    /// Sets whether the log stays when this connection is the last to close.
    func leaveLog(_ leaves: Bool) {
        unsafe grove_sqlite3_leave_log(pointer, leaves ? 1 : 0)
    }

    /// Sets the time to wait for other processes to that of the options.
    func restorePatience() { unsafe sqlite3_busy_timeout(pointer, lockMilliseconds) }

    /// Whether a transaction is open.
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(pointer) == 0 }

    /// Runs one statement and ignores its row, if it has one.
    func run(_ text: String) throws(CacheError) {
        let statement = try SQLiteStatement(text, self)
        try statement.run("run \(text)")
    }

    /// The number in the first row of `text`, 0 if there is none.
    func number(_ text: String) throws(CacheError) -> Int64 {
        let statement = try SQLiteStatement(text, self)
        guard try statement.step("run \(text)") else { return 0 }
        return statement.number(0)
    }

    /// The ASCII text in the first row of `text`, such as a pragma's answer.
    func answer(_ text: String) throws(CacheError) -> String {
        let statement = try SQLiteStatement(text, self)
        guard try statement.step("run \(text)") else { return "" }
        return unsafe String(decoding: statement.bytes(0), as: UTF8.self)
    }
}
