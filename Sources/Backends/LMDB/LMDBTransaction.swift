public import GroveCache
import GroveCoding
public import GroveModel
import CLMDB

/// A write transaction of an ``LMDBStore``: it sees its own writes.
///
/// It is valid only inside the closure of ``LMDBStore/write(_:)``; afterwards every call throws `closed`. If
/// ``put(_:_:)`` or ``remove(_:)`` threw an error of the engine, every later call throws it too, and so does the
/// commit.
@_documentation(visibility: internal)
@safe public final class LMDBTransaction: SweepableTransaction {
    /// Bytes may move at the next call.
    public static var keepsBytes: Bool { false }

    let environment: LMDBEnvironment
    private var transaction: OpaquePointer?
    /// The transaction's cursor, which LMDB closes: "otherwise [it] will be closed when its transaction ends".
    let cursor: OpaquePointer
    private var failure: CacheError?
    /// The keys of new records that share a page with others; see ``fillRuns()``.
    var added = NewKeys()
    /// The number of records after the last `put`.
    private var recordCount = 0

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
        recordCount = try currentCount()
    }

    deinit { abort() }

    /// Commits; after an error, an earlier one of this transaction included, nothing is committed.
    func commit() throws(CacheError) {
        if let failure {
            abort()
            throw failure
        }
        guard let ending = unsafe transaction else { throw .closedStore }
        // LMDB frees the transaction whether or not it commits; a full map may be reported here too.
        unsafe transaction = nil
        let status = unsafe mdb_txn_commit(ending)
        try LMDBEnvironment.check(environment.explained(status), "commit")
    }

    /// Undoes everything.
    func abort() {
        unsafe mdb_txn_abort(transaction)
        unsafe transaction = nil
    }

    /// The value stored under `key`, this transaction's own writes included; valid until its next call.
    ///
    /// - Complexity: O(log *n*), less if `key` lies near the one before.
    /// - Throws: ``CacheError`` with code `corrupted`, `inputOutput` or `closed`.
    public func get(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer? {
        try checkUsable()
        guard key.count <= LMDBKey.limit, let stored = try unsafe stored(key) else { return nil }
        return key.count <= LMDBKey.shortLimit ? unsafe stored : try unsafe LMDBKey.find(key, in: stored)?.value
    }

    /// Visits every key that begins with `prefix` and its value, in the order of the keys' bytes.
    ///
    /// - Throws: the error of `visit`, or ``CacheError`` with code `corrupted`, `inputOutput` or `closed`.
    public func scan(
        prefix: UnsafeRawBufferPointer,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        guard let transaction = unsafe transaction, failure == nil else { return try checkUsable() }
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
        guard let transaction = unsafe transaction, failure == nil else { return try checkUsable() }
        try unsafe environment.scan(transaction, prefix: prefix, after: start, visit)
    }

    /// Stores `value` under `key`, in place of a former value; neither points into bytes that this transaction
    /// returned.
    ///
    /// - Throws: ``CacheError`` with code `full` if the map, the disk or the transaction is full, `tooLarge` for a
    ///   value over 1 GiB or a key over 8,192 bytes. Also `emptyIdentifier` for a key of no bytes, `inputOutput`,
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
        try keepingFailure { () throws(CacheError) in
            guard key.count > LMDBKey.shortLimit else {
                try unsafe LMDBEnvironment.check(put(value, under: key), "write a record")
                return try unsafe note(key, value)
            }
            var entries = try unsafe others(than: key)
            for count in [key.count, value.count] {
                unsafe withUnsafeBytes(of: UInt32(count).littleEndian) { unsafe entries.append(contentsOf: $0) }
            }
            unsafe entries.append(contentsOf: key)
            unsafe entries.append(contentsOf: value)
            try unsafe store(entries, under: key)
        }
    }

    /// Removes `key`; a missing key is no error.
    ///
    /// - Throws: ``CacheError`` with code `full`, `inputOutput`, `corrupted` or `closed`.
    public func remove(_ key: UnsafeRawBufferPointer) throws(CacheError) {
        try checkUsable()
        try keepingFailure { () throws(CacheError) in
            guard try unsafe get(key) != nil else { return }
            let others = key.count > LMDBKey.shortLimit ? try unsafe others(than: key) : []
            guard others.isEmpty else { return try unsafe store(others, under: key) }
            try unsafe LMDBEnvironment.check(mdb_cursor_del(cursor, 0), "remove a record")
            recordCount -= 1
        }
    }

    /// Does nothing: a transaction ends with the closure that received it.
    public func end() {}

    /// Throws once the transaction has ended or failed.
    func checkUsable() throws(CacheError) {
        if let failure { throw failure }
        guard unsafe transaction != nil else { throw .closedStore }
    }

    /// The stored value of the record of `key`, to which the cursor moves.
    private func stored(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer? {
        var stored = unsafe MDB_val()
        let status = unsafe LMDBKey.withStored(key, hashMask: environment.hashMask) { key in
            unsafe mdb_cursor_get(cursor, &key, &stored, MDB_SET)
        }
        guard status != MDB_NOTFOUND else { return nil }
        try LMDBEnvironment.check(status, "read a record")
        return unsafe UnsafeRawBufferPointer(stored)
    }

    /// The entries of other keys in the same record as the long `key`.
    private func others(than key: UnsafeRawBufferPointer) throws(CacheError) -> [UInt8] {
        var others: [UInt8] = []
        guard let stored = try unsafe stored(key) else { return others }
        try unsafe LMDBKey.forEach(in: stored) { entry in
            if unsafe !isEqual(entry.key, key) { unsafe others.append(contentsOf: stored[entry.place]) }
            return true
        }
        return others
    }

    /// Notes `key`, whose record was written, if it is new.
    private func note(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) {
        let count = try currentCount()
        defer { recordCount = count }
        guard count > recordCount, key.count + value.count < environment.pageBytes / 2 else { return }
        unsafe added.append(key)
        if added.isFull { try fillRuns() }
    }

    private func currentCount() throws(CacheError) -> Int {
        var statistics = MDB_stat()
        try unsafe LMDBEnvironment.check(
            mdb_stat(transaction, environment.database, &statistics), "read the store's size")
        return Int(statistics.ms_entries)
    }

    /// Stores `entries` under the stored form of the long `key`.
    private func store(_ entries: [UInt8], under key: UnsafeRawBufferPointer) throws(CacheError) {
        let status = unsafe entries.withUnsafeBytes { unsafe put($0, under: key) }
        try LMDBEnvironment.check(status, "write a record")
    }

    /// Stores `value` under the stored form of `key`; returns LMDB's status.
    private func put(_ value: UnsafeRawBufferPointer, under key: UnsafeRawBufferPointer) -> Int32 {
        var stored = unsafe MDB_val(value)
        return unsafe LMDBKey.withStored(key, hashMask: environment.hashMask) { key in
            unsafe mdb_cursor_put(cursor, &key, &stored, 0)
        }
    }

    /// Runs `body` and remembers its error: LMDB's transaction is then unusable, and must not commit.
    func keepingFailure(_ body: () throws(CacheError) -> Void) throws(CacheError) {
        do throws(CacheError) {
            try body()
        } catch {
            failure = failure ?? error
            throw error
        }
    }
}
