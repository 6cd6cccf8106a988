import CSQLite
import GroveCoding
import GroveModel

/// Reads the values of numbered rows.
///
/// The first few of a view come by a statement. After them a blob of SQLite's is opened, which moves from row to row in a
/// third of the time. That pays for opening it if a view reads a page. A page reads elements and their references in turn.
/// So there are two blobs, one for prefixes with even numbers: SQLite moves to the next row without a search.
@safe
struct SQLiteNumbered: ~Copyable {
    private let connection: SQLiteConnection
    private let select: SQLiteStatement
    private let usesBlob: Bool
    private var blobs: (even: OpaquePointer?, odd: OpaquePointer?)
    /// The content of the row that a blob stands on.
    private var buffer = ByteBuffer(capacity: 256)
    /// Rows that were found since the view began, or since a blob was lost.
    private var foundCount = 0

    /// So many rows by the statement are worth a blob.
    private static let fewRows = 6
    /// The most bytes that the buffer may hold between views.
    private static let retainedBytes = 64 << 10

    /// - Parameter usesBlob: false for a connection that writes: a blob dies with its row's change.
    init(_ connection: SQLiteConnection, usesBlob: Bool) throws(CacheError) {
        select = try SQLiteStatement("SELECT value FROM numbered WHERE id = ?1", connection)
        self.connection = connection
        self.usesBlob = usesBlob
    }

    deinit {
        unsafe sqlite3_blob_close(blobs.even)
        unsafe sqlite3_blob_close(blobs.odd)
        buffer.deallocate()
    }

    /// The value of `row`, until the next call.
    mutating func value(of row: Int64) throws(CacheError) -> UnsafeRawBufferPointer? {
        let isOdd = SQLiteNumberedKey.prefix(ofRow: row) & 1 == 1
        if let blob = unsafe isOdd ? blobs.odd : blobs.even {
            if unsafe sqlite3_blob_reopen(blob, row) == SQLITE_OK { return try unsafe content(of: blob) }
            // The row is not there, or the file is damaged: the statement says which.
            closeBlobs()
        }
        select.reset()
        select.bind(row, at: 1)
        guard try select.step("read a record") else { return nil }
        foundCount += 1
        if usesBlob, foundCount >= Self.fewRows {
            var opened: OpaquePointer?
            let status = unsafe sqlite3_blob_open(connection.pointer, "main", "numbered", "value", row, 0, &opened)
            if status != SQLITE_OK {
                unsafe sqlite3_blob_close(opened)
            } else if isOdd {
                unsafe blobs.odd = unsafe opened
            } else {
                unsafe blobs.even = unsafe opened
            }
        }
        return unsafe select.bytes(0)
    }

    /// Leaves the row; its bytes are gone.
    mutating func leave() {
        select.reset()
        closeBlobs()
        if buffer.allocatedByteCount > Self.retainedBytes { buffer.removeAll(keeping: Self.retainedBytes) }
    }

    private mutating func closeBlobs() {
        unsafe sqlite3_blob_close(blobs.even)
        unsafe sqlite3_blob_close(blobs.odd)
        unsafe blobs = (nil, nil)
        foundCount = 0
    }

    /// The content of the row that `blob` stands on.
    private mutating func content(of blob: OpaquePointer) throws(CacheError) -> UnsafeRawBufferPointer {
        let count = Int(unsafe sqlite3_blob_bytes(blob))
        let room = unsafe buffer.room(count)
        let status = unsafe sqlite3_blob_read(blob, room, Int32(count), 0)
        guard status == SQLITE_OK else { throw unsafe .sqlite(status, "read a record", connection.pointer) }
        return unsafe UnsafeRawBufferPointer(start: room, count: count)
    }
}
