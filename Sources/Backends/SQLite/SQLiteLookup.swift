import CSQLite
import GroveCoding
import GroveModel

/// The statement that finds a record by its key: what views and the writer share.
struct SQLiteLookup: ~Copyable {
    private let statement: SQLiteStatement
    private let hashMask: UInt64

    init(_ connection: SQLiteConnection, hashMask: UInt64) throws(CacheError) {
        statement = try SQLiteStatement("SELECT id, key, value FROM node WHERE hash = ?1", connection)
        self.hashMask = hashMask
    }

    /// The hash under which `key` is stored, 32 bits with their sign: it is part of the file format.
    func hash(_ key: UnsafeRawBufferPointer) -> Int64 {
        unsafe Int64(Int32(truncatingIfNeeded: hash64(key, seed: 0) & hashMask))
    }

    /// Stands on the record of `key`; returns whether there is one.
    ///
    /// - Complexity: O(log *n*), and linear in the number of keys that share its 32-bit hash.
    func find(_ key: UnsafeRawBufferPointer) throws(CacheError) -> Bool {
        statement.reset()
        unsafe statement.bind(hash(key), at: 1)
        while try statement.step("read a record") {
            if unsafe isEqual(statement.bytes(1), key) { return true }
        }
        return false
    }

    /// The rowid of the record that was found.
    var id: Int64 { statement.number(0) }

    /// The value of the record that was found, until the next call.
    var value: UnsafeRawBufferPointer { unsafe statement.bytes(2) }

    /// Leaves the record; its bytes are gone.
    func leave() { statement.reset() }
}

extension SQLiteConnection {
    /// Visits what begins with `prefix`, in the order of the keys.
    ///
    /// - Complexity: O(*n* log *n*) for *n* records in the store: there is no index on keys. The keys visited, not the
    ///   values, are sorted in memory.
    func scan(
        prefix: UnsafeRawBufferPointer,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        let order = try SQLiteStatement(
            "SELECT id FROM node WHERE key >= ?1 AND (?2 IS NULL OR key < ?2) ORDER BY key", self)
        let record = try SQLiteStatement("SELECT key, value FROM node WHERE id = ?1", self)
        try unsafe order.bind(prefix, at: 1)
        if let end = unsafe SQLiteKey.end(of: prefix) { try order.bind(copying: end, at: 2) }
        while try order.step("read the keys") {
            record.bind(order.number(0), at: 1)
            guard try record.step("read a record") else { continue }
            guard try unsafe visit(record.bytes(0), record.bytes(1)) else { return }
            record.reset()
        }
    }
}
