public import GroveCache
public import GroveModel
import CSQLite

/// A read transaction of a ``SQLiteStore``, on the newest commit at the time it was opened.
///
/// The bytes that ``get(_:)`` returns are valid until the next call. A view that is dropped without ``end()`` ends
/// itself. While a view is open, the log keeps growing behind it, so views are kept short.
@_documentation(visibility: internal)
@safe
// SAFETY: one thread at a time uses a view (`NodeView`'s contract); between uses it lies in the pool, behind its lock.
public final class SQLiteView: NodeView, @unchecked Sendable {
    /// Bytes go with the next call.
    public static var keepsBytes: Bool { false }

    /// The number of the files that the view reads; files with an earlier number were wiped.
    let generation: Int
    let connection: SQLiteConnection
    private let pool: SQLitePool
    private var lookup: SQLiteLookup
    private let pin: SQLiteStatement
    private var isOpen = false

    /// Opens a connection; ``begin()`` takes the snapshot.
    init(_ pool: SQLitePool, generation: Int) throws(CacheError) {
        connection = try SQLiteConnection(pool.directory, pool.options, isReader: true)
        lookup = try SQLiteLookup(connection, hashMask: pool.hashMask, isReader: true)
        // While one statement stands on a row, the connection keeps its snapshot: a step and a reset are cheaper than
        // BEGIN, a read and COMMIT. The schema always has rows.
        pin = try SQLiteStatement("SELECT 1 FROM sqlite_schema", connection)
        self.pool = pool
        self.generation = generation
    }

    /// Takes the snapshot.
    func begin() throws(CacheError) {
        guard try pin.step("open a view") else { throw CacheError(.corrupted, "the store has lost its tables") }
        isOpen = true
    }

    /// The value stored under `key`, or `nil` if there is none; valid until the next call.
    ///
    /// - Complexity: O(log *n*), and for a key without a number linear in the keys that share its 32-bit hash.
    /// - Throws: ``CacheError`` with code `corrupted`, `inputOutput`, or `closed` if the view has ended.
    public func get(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer? {
        guard isOpen else { throw .closedStore }
        return try unsafe lookup.find(key)?.value
    }

    /// Visits every key that begins with `prefix` and its value, in the order of the keys' bytes.
    ///
    /// - Complexity: O(*k* log *k*) for *k* keys that end in numbers, and O(*n* log *n*) for the store's *n* other
    ///   keys; the keys visited are sorted in memory. What is kept is found in order, in O(*k* log *n*).
    /// - Throws: the error of `visit`, or ``CacheError`` with code `corrupted`, `inputOutput` or `closed`.
    public func scan(
        prefix: UnsafeRawBufferPointer,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        guard isOpen else { throw .closedStore }
        lookup.leave()
        try unsafe connection.scan(prefix: prefix, visit)
    }

    /// Visits the entries with the prefix that come after `start`, in the order of their keys' bytes.
    ///
    /// - Complexity: O(*k* log *k*) as for ``scan(prefix:_:)``; the values of keys up to `start` are not read.
    /// - Throws: as ``scan(prefix:_:)``.
    public func scan(
        prefix: UnsafeRawBufferPointer, after start: UnsafeRawBufferPointer,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        guard isOpen else { throw .closedStore }
        lookup.leave()
        try unsafe connection.scan(prefix: prefix, after: start, visit)
    }

    /// Ends the view and keeps its connection for the next one; a second call does nothing.
    public func end() {
        guard isOpen else { return }
        isOpen = false
        lookup.leave()
        pin.reset()
        pool.giveBack(self)
    }
}
