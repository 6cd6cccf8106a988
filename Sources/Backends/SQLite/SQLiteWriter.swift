import CSQLite
import GroveCache
import GroveModel

/// The one connection that writes, and its statements.
// SAFETY: the store keeps it behind a lock, and lends it to one write at a time.
@safe final class SQLiteWriter: @unchecked Sendable {
    let connection: SQLiteConnection
    let lookup: SQLiteLookup
    let insertion: SQLiteStatement
    let update: SQLiteStatement
    let removal: SQLiteStatement
    let records: SQLiteStatement
    let newest: SQLiteStatement
    let move: SQLiteStatement
    private let budget: SQLiteBudget?
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
        records = try SQLiteStatement(
            "SELECT id, length(key) + length(value) FROM node WHERE id >= ?1 ORDER BY id LIMIT ?2", connection)
        newest = try SQLiteStatement("SELECT max(id) FROM node", connection)
        move = try SQLiteStatement("UPDATE node SET id = ?2 WHERE id = ?1", connection)
        lookup = try SQLiteLookup(connection, hashMask: pool.hashMask)
        insertion = try SQLiteStatement("INSERT INTO node(hash, key, value) VALUES(?1, ?2, ?3)", connection)
        update = try SQLiteStatement("UPDATE node SET value = ?2 WHERE id = ?1", connection)
        removal = try SQLiteStatement("DELETE FROM node WHERE id = ?1", connection)
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

    /// Runs `body` in a transaction; commits when it returns, rolls back when it throws.
    func run(_ body: (SQLiteTransaction) throws(CacheError) -> Void) throws(CacheError) {
        try begin.run("begin a write")
        let transaction = SQLiteTransaction(self)
        do throws(CacheError) {
            try body(transaction)
            try transaction.finish()
            if let budget { try budget.moveSparse(transaction.changeCount, self) }
            try commit.run("commit")
        } catch {
            transaction.abandon()
            // Some errors have rolled back already: "the transaction may be rolled back automatically".
            if connection.isInTransaction { try? connection.run("ROLLBACK") }
            throw error
        }
    }

    /// Whether the connection can be used for another transaction.
    var isSound: Bool { !connection.isInTransaction }
}
