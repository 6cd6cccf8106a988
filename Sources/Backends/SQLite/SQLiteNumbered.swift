import CSQLite
import GroveCoding
import GroveModel

/// The reader of the values of numbered rows.
///
/// A statement reads the first few rows of a view. After them a blob handle of SQLite is opened, which moves from row
/// to row in a third of the time. That pays for opening it if a view reads a page of a list. Such a page reads elements
/// and their references in turn. So there are two handles, one for prefixes with even numbers: SQLite moves to the next
/// row without a search.
@safe
struct SQLiteNumbered: ~Copyable {
    private let connection: SQLiteConnection
    private let select: SQLiteStatement
    private let usesBlob: Bool
    private var blobs: (even: OpaquePointer?, odd: OpaquePointer?)
    /// The content of a blob's present row.
    private var buffer = ByteBuffer(capacity: 256)
    /// The number of rows that the statement found since the view began, or since the blobs were closed.
    private var foundCount = 0

    /// The number of rows read by the statement after which a blob is opened.
    private static let fewRows = 6
    /// The most bytes that the buffer keeps between views.
    private static let retainedBytes = 64 << 10

    /// - Parameter usesBlob: false for a connection that writes, as a change of its row invalidates a blob.
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

    /// The value of `row`, valid until the next call.
    mutating func value(of row: Int64) throws(CacheError) -> UnsafeRawBufferPointer? {
        let isOdd = SQLiteNumberedKey.prefix(ofRow: row) & 1 == 1
        if let blob = unsafe isOdd ? blobs.odd : blobs.even {
            if unsafe sqlite3_blob_reopen(blob, row) == SQLITE_OK { return try unsafe content(of: blob) }
            // Either the row is missing or the file is damaged; the statement tells which.
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

    /// Leaves the row; its bytes are no longer valid.
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

    /// The content of the present row of `blob`.
    private mutating func content(of blob: OpaquePointer) throws(CacheError) -> UnsafeRawBufferPointer {
        let count = Int(unsafe sqlite3_blob_bytes(blob))
        let room = unsafe buffer.room(count)
        let status = unsafe sqlite3_blob_read(blob, room, Int32(count), 0)
        guard status == SQLITE_OK else { throw unsafe .sqlite(status, "read a record", connection.pointer) }
        return unsafe UnsafeRawBufferPointer(start: room, count: count)
    }
}
