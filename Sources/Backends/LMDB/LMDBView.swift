public import GroveCache
public import GroveModel
import CLMDB

/// A read transaction of an ``LMDBStore``, on the newest commit at the time it was opened.
///
/// Bytes stay where they are in the map: those that ``get(_:)`` returns are valid until ``end()``. A view that is
/// dropped without `end()` ends itself. While a view is open, the pages that it sees are not reused, so views are kept
/// short.
@_documentation(visibility: internal)
@safe
// SAFETY: one thread at a time uses a view (`NodeView`'s contract); between uses it lies in the pool, behind its lock.
public final class LMDBView: NodeView, @unchecked Sendable {
    /// Bytes stay valid until the view ends.
    public static var keepsBytes: Bool { true }

    let environment: LMDBEnvironment
    let transaction: OpaquePointer
    private let database: MDB_dbi
    private let pool: LMDBPool
    private var isOpen = true

    /// Begins a read transaction.
    init(_ environment: LMDBEnvironment, _ pool: LMDBPool) throws(CacheError) {
        var begun: OpaquePointer?
        var status = unsafe mdb_txn_begin(environment.pointer, nil, UInt32(MDB_RDONLY), &begun)
        if status == MDB_READERS_FULL {
            // The slots of killed processes stay taken until a process checks for them.
            unsafe mdb_reader_check(environment.pointer, nil)
            status = unsafe mdb_txn_begin(environment.pointer, nil, UInt32(MDB_RDONLY), &begun)
        }
        try LMDBEnvironment.check(status, "open a view")
        guard let begun = unsafe begun else { throw CacheError(.other, "LMDB began no transaction") }
        unsafe transaction = unsafe begun
        self.environment = environment
        self.pool = pool
        database = environment.database
    }

    deinit {
        unsafe mdb_txn_abort(transaction)
        if isOpen { pool.forget() }
    }

    /// Moves a view from the pool to the newest commit, and returns LMDB's status.
    func renew() -> Int32 {
        let status = unsafe mdb_txn_renew(transaction)
        isOpen = status == MDB_SUCCESS
        return status
    }

    /// Releases the commit and keeps the slot in the reader table.
    func reset() {
        unsafe mdb_txn_reset(transaction)
    }

    /// The value stored under `key`, or `nil` if there is none; valid until the view ends.
    ///
    /// - Complexity: O(log *n*), without allocation for keys of up to 494 bytes.
    /// - Throws: ``CacheError`` with code `corrupted` or `inputOutput`.
    public func get(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer? {
        guard key.count <= LMDBKey.limit else { return nil }
        var stored = unsafe MDB_val()
        let status = unsafe LMDBKey.withStored(key, hashMask: environment.hashMask) { key in
            unsafe mdb_get(transaction, database, &key, &stored)
        }
        guard status == MDB_SUCCESS else {
            guard status == MDB_NOTFOUND else { throw .lmdb(status, "read a record") }
            return nil
        }
        let bytes = unsafe UnsafeRawBufferPointer(stored)
        return key.count <= LMDBKey.shortLimit ? unsafe bytes : try unsafe LMDBKey.find(key, in: bytes)?.value
    }

    /// Visits every key that begins with `prefix` and its value, in the order of the keys' bytes.
    ///
    /// - Complexity: O(log *n* + *m*) for *m* keys; keys over 494 bytes that share their first 494 bytes are sorted
    ///   first.
    /// - Throws: the error of `visit`, or ``CacheError`` with code `corrupted` or `inputOutput`.
    public func scan(
        prefix: UnsafeRawBufferPointer,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        try unsafe environment.scan(transaction, prefix: prefix, visit)
    }

    /// Visits the entries with the prefix that come after `start`, in the order of their keys' bytes.
    ///
    /// - Complexity: O(log *n* + *m*) for *m* keys that are visited, but for keys over 494 bytes; see
    ///   ``scan(prefix:_:)``.
    /// - Throws: as ``scan(prefix:_:)``.
    public func scan(
        prefix: UnsafeRawBufferPointer, after start: UnsafeRawBufferPointer,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        try unsafe environment.scan(transaction, prefix: prefix, after: start, visit)
    }

    /// Ends the view and keeps its reader slot for the next one; a second call does nothing.
    public func end() {
        guard isOpen else { return }
        isOpen = false
        pool.giveBack(self)
    }
}
