import CSQLite
import GroveCache
import GroveModel

/// The only connection that writes, and its statements.
// SAFETY: the store keeps it behind a lock, and lends it to one write at a time.
@safe final class SQLiteWriter: @unchecked Sendable {
    let connection: SQLiteConnection
    var lookup: SQLiteLookup
    let numbered: SQLiteTable
    let named: SQLiteTable
    private let newPrefix: SQLiteStatement
    private let budget: SQLiteBudget
    /// Room for the key that was looked up last.
    private let lastKey: UnsafeMutableRawBufferPointer
    private let begin: SQLiteStatement
    private let commit: SQLiteStatement

    /// Opens the store's files, or makes them.
    init(_ pool: SQLitePool) throws(CacheError) {
        try pool.directory.create(SQLiteFiles.database)
        connection = try SQLiteConnection(pool.directory, pool.options, isReader: false)
        try SQLiteLayout.prepare(connection)
        try pool.budget.begin(connection)
        budget = pool.budget
        lookup = try SQLiteLookup(connection, hashMask: pool.hashMask, isReader: false)
        numbered = try SQLiteTable("numbered", isNamed: false, connection)
        named = try SQLiteTable("named", isNamed: true, connection)
        newPrefix = try SQLiteStatement("INSERT INTO prefix(id, text) VALUES(?1, ?2)", connection)
        begin = try SQLiteStatement("BEGIN IMMEDIATE", connection)
        commit = try SQLiteStatement("COMMIT", connection)
        // Last: an initialiser that throws does not run `deinit`.
        unsafe lastKey = UnsafeMutableRawBufferPointer.allocate(byteCount: SQLiteKey.limit, alignment: 8)
    }

    deinit { unsafe lastKey.deallocate() }

    /// The first `count` bytes of the key that was looked up last.
    func lastKey(_ count: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(lastKey)[..<count])
    }

    /// Keeps `key`, of at most ``SQLiteKey/limit`` bytes, as the one that was looked up last; returns the copy.
    func remember(_ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        unsafe lastKey.copyMemory(from: key)
        return unsafe lastKey(key.count)
    }

    /// The table of `place`, and its row there.
    func table(of place: SQLitePlace) -> (table: SQLiteTable, row: Int64) {
        switch place {
        case .numbered(let row): (numbered, row)
        case .named(let row): (named, row)
        }
    }

    /// Stores a record under `key`, which is not stored yet; returns its place.
    func insert(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> SQLitePlace {
        var row = try unsafe lookup.row(of: key)
        if row == nil { row = try unsafe rowOfNewPrefix(key) }
        if let row {
            numbered.insertion.bind(row, at: 1)
            try unsafe numbered.insertion.bind(value, at: 2)
            try numbered.insertion.run("write a record")
            return .numbered(row)
        }
        // SQLite gives a row without a number the next one.
        named.insertion.bindNull(at: 1)
        try unsafe named.insertion.bind(value, at: 2)
        unsafe named.insertion.bind(lookup.hash(key), at: 3)
        try unsafe named.insertion.bind(key, at: 4)
        try named.insertion.run("write a record")
        return unsafe .named(sqlite3_last_insert_rowid(connection.pointer))
    }

    /// Gives the prefix of `key` a number and returns the row of `key`; `nil` if the prefix can have none.
    private func rowOfNewPrefix(_ key: UnsafeRawBufferPointer) throws(CacheError) -> Int64? {
        guard let prefix = unsafe lookup.newPrefix(of: key) else { return nil }
        unsafe newPrefix.bind(prefix.number, at: 1)
        try unsafe newPrefix.bind(prefix.text, at: 2)
        try newPrefix.run("number a prefix")
        return try unsafe lookup.row(of: key)
    }

    /// Runs `body` in a transaction; commits when it returns, rolls back when it throws.
    func run(_ body: (SQLiteTransaction) throws(CacheError) -> Void) throws(CacheError) {
        try begin.run("begin a write")
        let transaction = SQLiteTransaction(self)
        do throws(CacheError) {
            try body(transaction)
            try transaction.finish()
            try budget.packSparse(transaction.changeCount, self)
            try budget.checkLog(connection)
            try commit.run("commit")
        } catch {
            transaction.abandon()
            lookup.forgetPrefixes()
            // Some errors have rolled back already: "the transaction may be rolled back automatically".
            if connection.isInTransaction { try? connection.run("ROLLBACK") }
            throw error
        }
    }

    /// Whether the connection can be used for another transaction.
    var isSound: Bool { !connection.isInTransaction }
}
