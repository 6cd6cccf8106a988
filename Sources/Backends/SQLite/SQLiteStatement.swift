import CSQLite
import GroveModel

/// The owner of one prepared statement, which is finalized with it.
@safe struct SQLiteStatement: ~Copyable {
    let pointer: OpaquePointer

    /// Prepares `text`, one constant statement, for repeated use.
    init(_ text: String, _ connection: SQLiteConnection) throws(CacheError) {
        var prepared: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let status = unsafe sqlite3_prepare_v3(connection.pointer, text, -1, flags, &prepared, nil)
        guard status == SQLITE_OK, let prepared = unsafe prepared else {
            throw unsafe .sqlite(status, "prepare a statement", connection.pointer)
        }
        unsafe pointer = unsafe prepared
    }

    deinit { unsafe sqlite3_finalize(pointer) }

    /// Binds a number.
    func bind(_ number: Int64, at index: Int32) {
        unsafe sqlite3_bind_int64(pointer, index, number)
    }

    /// Binds null; SQLite gives a row without a number the next one.
    func bindNull(at index: Int32) { unsafe sqlite3_bind_null(pointer, index) }

    /// Binds `bytes`, which stay where they are until the statement is reset.
    func bind(_ bytes: UnsafeRawBufferPointer, at index: Int32) throws(CacheError) {
        // "If the third parameter to sqlite3_bind_blob() is a NULL pointer then the end result is the same as
        // sqlite3_bind_null()": an empty value is bound as a blob of no bytes.
        let status =
            if let base = bytes.baseAddress, unsafe !bytes.isEmpty {
                unsafe sqlite3_bind_blob64(pointer, index, base, UInt64(bytes.count), nil)
            } else {
                unsafe sqlite3_bind_zeroblob(pointer, index, 0)
            }
        guard status == SQLITE_OK else { throw failure(status, "bind bytes") }
    }

    /// Binds a copy of `bytes`.
    func bind(copying bytes: [UInt8], at index: Int32) throws(CacheError) {
        guard !bytes.isEmpty else { return try unsafe bind(UnsafeRawBufferPointer(start: nil, count: 0), at: index) }
        // `SQLITE_TRANSIENT`, a cast that Swift does not import: "SQLite makes its own private copy".
        let transient = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        let status = unsafe bytes.withUnsafeBytes {
            unsafe sqlite3_bind_blob64(pointer, index, $0.baseAddress, UInt64($0.count), transient)
        }
        guard status == SQLITE_OK else { throw failure(status, "bind bytes") }
    }

    /// Takes a step and returns whether there is a row.
    ///
    /// Without one, or after an error, the statement is reset.
    func step(_ action: @autoclosure () -> String) throws(CacheError) -> Bool {
        let status = unsafe sqlite3_step(pointer)
        if status == SQLITE_ROW { return true }
        guard status == SQLITE_DONE else {
            let error = failure(status, action())
            reset()
            throw error
        }
        reset()
        return false
    }

    /// Runs a statement and ignores its row, if it has one.
    func run(_ action: @autoclosure () -> String) throws(CacheError) {
        if try step(action()) { reset() }
    }

    /// Ends the run; the bytes of its row are no longer valid.
    func reset() {
        unsafe sqlite3_reset(pointer)
    }

    /// The bytes in `column` of the row, valid until the next call.
    func bytes(_ column: Int32) -> UnsafeRawBufferPointer {
        let base = unsafe sqlite3_column_blob(pointer, column)
        return unsafe UnsafeRawBufferPointer(
            start: base, count: base == nil ? 0 : Int(sqlite3_column_bytes(pointer, column)))
    }

    /// The number in `column` of the row.
    func number(_ column: Int32) -> Int64 {
        unsafe sqlite3_column_int64(pointer, column)
    }

    private func failure(_ status: Int32, _ action: String) -> CacheError {
        unsafe .sqlite(status, action, sqlite3_db_handle(pointer))
    }
}
