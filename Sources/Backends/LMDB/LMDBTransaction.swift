public import GroveCache
public import GroveModel
import CLMDB

/// A write transaction of an ``LMDBStore``: it sees its own writes.
///
/// It is valid inside the closure of ``LMDBStore/write(_:)`` only; afterwards every call throws `closed`. After a call
/// of ``put(_:_:)`` or ``remove(_:)`` threw what the engine reported, every later call throws that, and so does the commit.
@safe public final class LMDBTransaction: NodeTransaction {
    /// Bytes may move at the next call.
    public static var keepsBytes: Bool { false }

    private let environment: LMDBEnvironment
    private let database: MDB_dbi
    private let scratch = LMDBScratch()
    private var transaction: OpaquePointer?
    /// It belongs to the transaction: "otherwise [it] will be closed when its transaction ends".
    private let cursor: OpaquePointer
    private var failure: CacheError?
    /// What tells records of the commit before; `nil` until the first one is found.
    private var guarding: LMDBPageGuard?
    /// How many values were stored.
    private var putCount = 0
    /// What `get` returned last: a `put` of bytes in there copies them first, as LMDB may move them while it writes.
    private var returned = unsafe UnsafeRawBufferPointer(start: nil, count: 0)

    /// Begins a write transaction; waits while another process has one.
    init(_ environment: LMDBEnvironment) throws(CacheError) {
        var begun: OpaquePointer?
        var opened: OpaquePointer?
        try unsafe LMDBEnvironment.check(mdb_txn_begin(environment.pointer, nil, 0, &begun), "begin a write")
        let status = unsafe mdb_cursor_open(begun, environment.database, &opened)
        guard status == MDB_SUCCESS, let begun = unsafe begun, let opened = unsafe opened else {
            unsafe mdb_txn_abort(begun)
            throw .lmdb(status, "begin a write")
        }
        unsafe transaction = unsafe begun
        unsafe cursor = unsafe opened
        self.environment = environment
        database = environment.database
    }

    deinit { abort() }

    /// Commits; an error, an earlier one of this transaction included, means that nothing was.
    func commit() throws(CacheError) {
        if let failure {
            abort()
            throw failure
        }
        guard let ending = unsafe transaction else { throw .closedStore }
        // LMDB frees the transaction whether or not it commits; a full map shows here too.
        unsafe transaction = nil
        let status = unsafe mdb_txn_commit(ending)
        try LMDBEnvironment.check(environment.explained(status), "commit")
    }

    /// Frees pages that are sparse.
    func sweep(_ sweep: LMDBSweep) throws(CacheError) {
        guard failure == nil, let transaction = unsafe transaction else { return }
        try keepingFailure { () throws(CacheError) in
            try unsafe sweep.run(transaction, environment, pageGuard(), entries: putCount)
        }
    }

    /// Undoes everything.
    func abort() {
        unsafe mdb_txn_abort(transaction)
        unsafe transaction = nil
    }

    /// The value stored under `key`, this transaction's own writes included; valid until its next call.
    ///
    /// - Complexity: O(log *n*), less where `key` lies near the one before.
    /// - Throws: ``CacheError`` with code `corrupted`, `inputOutput` or `closed`.
    public func get(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer? {
        try checkUsable()
        guard key.count <= LMDBKey.shortLimit else {
            guard key.count <= LMDBKey.limit, case .found(let value) = try unsafe records().locate(key, cursor) else {
                return nil
            }
            unsafe returned = unsafe value
            return unsafe value
        }
        var storedKey = unsafe MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress))
        var stored = unsafe MDB_val()
        let status = unsafe mdb_cursor_get(cursor, &storedKey, &stored, MDB_SET)
        guard status == MDB_SUCCESS else {
            guard status == MDB_NOTFOUND else { throw .lmdb(status, "read a record") }
            return nil
        }
        try unsafe pageGuard().check(stored, keyCount: key.count)
        unsafe returned = unsafe UnsafeRawBufferPointer(stored)
        return unsafe returned
    }

    /// Visits every key that begins with `prefix` and its value, in the order of the keys' bytes.
    ///
    /// - Throws: ``CacheError`` with code `corrupted`, `inputOutput` or `closed`, and what `visit` throws.
    public func scan(
        prefix: UnsafeRawBufferPointer,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        try checkUsable()
        try unsafe records().scan(prefix: prefix, visit)
    }

    /// Stores `value` under `key`, in place of what was there; both may lie in what ``get(_:)`` returned last.
    ///
    /// - Throws: ``CacheError`` with code `full` where the map, the disk or the transaction is full, `tooLarge` for a
    ///   value over 1 GiB or a key over 8,192 bytes, `emptyIdentifier` for a key of no bytes, `inputOutput`,
    ///   `corrupted`, `closed`.
    public func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) {
        try checkUsable()
        guard unsafe !key.isEmpty else { throw CacheError(.emptyIdentifier, "a key has at least one byte") }
        guard key.count <= LMDBKey.limit else {
            throw CacheError(.tooLarge, "the key has \(key.count) bytes; the most is \(LMDBKey.limit)")
        }
        guard value.count <= LMDBStore.maxValueBytes else {
            throw CacheError(.tooLarge, "the value has \(value.count) bytes; the most is \(LMDBStore.maxValueBytes)")
        }
        if unsafe returned.overlaps(key) || returned.overlaps(value) {
            return try unsafe withCopies(of: key, value) { key, value throws(CacheError) in
                unsafe returned = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
                try unsafe put(key, value)
            }
        }
        putCount += 1
        try keepingFailure { () throws(CacheError) in
            if key.count <= LMDBKey.shortLimit {
                try unsafe putShort(key, value)
            } else {
                try unsafe putLong(key, value)
            }
        }
    }

    /// Removes `key`; that it is not there is not an error.
    ///
    /// - Throws: ``CacheError`` with code `full`, `inputOutput`, `corrupted` or `closed`.
    public func remove(_ key: UnsafeRawBufferPointer) throws(CacheError) {
        try checkUsable()
        try keepingFailure { () throws(CacheError) in
            guard try unsafe get(key) != nil else { return }
            try unsafe LMDBEnvironment.check(mdb_cursor_del(cursor, 0), "remove a record")
        }
        unsafe returned = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// Does nothing: a transaction ends with the closure that it was given to.
    public func end() {}

    /// Throws once the transaction has ended or failed.
    private func checkUsable() throws(CacheError) {
        if let failure { throw failure }
        guard unsafe transaction != nil else { throw .closedStore }
    }

    private func records() throws(CacheError) -> LMDBRecords {
        guard let transaction = unsafe transaction else { throw .closedStore }
        return unsafe LMDBRecords(
            transaction: transaction, environment: environment, scratch: scratch, guarding: try pageGuard())
    }

    private func pageGuard() throws(CacheError) -> LMDBPageGuard {
        if let guarding { return guarding }
        let guarding = try unsafe environment.pageGuard(writing: transaction)
        self.guarding = guarding
        return guarding
    }

    private func putShort(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) {
        var storedKey = unsafe MDB_val(mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress))
        var stored = unsafe MDB_val(mv_size: value.count, mv_data: UnsafeMutableRawPointer(mutating: value.baseAddress))
        try unsafe LMDBEnvironment.check(mdb_cursor_put(cursor, &storedKey, &stored, 0), "write a record")
    }

    private func putLong(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) {
        _ = try unsafe records().locate(key, cursor)
        let wanted = unsafe scratch.key
        let count = LMDBKey.headerCount + key.count + value.count
        var storedKey = unsafe MDB_val(mv_size: wanted.count, mv_data: wanted.baseAddress)
        var stored = unsafe MDB_val(mv_size: count, mv_data: nil)
        let status = unsafe mdb_cursor_put(cursor, &storedKey, &stored, UInt32(MDB_RESERVE))
        try LMDBEnvironment.check(status, "write a record")
        let room = unsafe UnsafeMutableRawBufferPointer(start: stored.mv_data, count: count)
        unsafe room.storeBytes(of: UInt32(key.count).littleEndian, as: UInt32.self)
        let keyEnd = LMDBKey.headerCount + key.count
        unsafe UnsafeMutableRawBufferPointer(rebasing: room[LMDBKey.headerCount..<keyEnd]).copyMemory(from: key)
        unsafe UnsafeMutableRawBufferPointer(rebasing: room[keyEnd...]).copyMemory(from: value)
    }

    /// Runs `body` and remembers its error: LMDB's transaction is then unusable, and must not seem to commit.
    private func keepingFailure(_ body: () throws(CacheError) -> Void) throws(CacheError) {
        do throws(CacheError) {
            try body()
        } catch {
            failure = failure ?? error
            throw error
        }
    }
}
