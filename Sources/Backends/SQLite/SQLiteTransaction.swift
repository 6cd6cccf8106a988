public import GroveCache
import GroveCoding
public import GroveModel
import CSQLite

/// A write transaction of a ``SQLiteStore``: it sees its own writes.
///
/// It is valid only inside the closure of ``SQLiteStore/write(_:)``; afterwards every call throws `closed`. If
/// ``put(_:_:)`` or ``remove(_:)`` threw an error of the engine, every later call throws it too, and so does the
/// commit.
@_documentation(visibility: internal)
@safe public final class SQLiteTransaction: SweepableTransaction {
    /// Bytes go with the next call.
    public static var keepsBytes: Bool { false }

    /// The outcome of the last lookup of a key.
    private enum Last {
        case unknown
        case absent(keyCount: Int)
        case present(keyCount: Int, place: SQLitePlace)
    }

    let writer: SQLiteWriter
    private var isOpen = true
    private var failure: CacheError?
    private var last = Last.unknown
    private var putCount = 0
    private var removalCount = 0

    init(_ writer: SQLiteWriter) {
        self.writer = writer
    }

    /// The number of records written, or half the number removed, if that is more.
    var changeCount: Int { max(putCount, removalCount / 2) }

    /// Ends the transaction before its commit; throws its first failure.
    func finish() throws(CacheError) {
        abandon()
        if let failure { throw failure }
    }

    /// Ends the transaction.
    func abandon() {
        isOpen = false
        writer.lookup.leave()
    }

    /// The value stored under `key`, this transaction's own writes included; valid until its next call.
    ///
    /// - Complexity: O(log *n*), and for a key without a number linear in the keys that share its 32-bit hash.
    /// - Throws: ``CacheError`` with code `corrupted`, `inputOutput` or `closed`.
    public func get(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer? {
        try checkUsable()
        return try unsafe find(key)?.value
    }

    /// Visits every key that begins with `prefix` and its value, in the order of the keys' bytes.
    ///
    /// - Throws: the error of `visit`, or ``CacheError`` with code `corrupted`, `inputOutput` or `closed`.
    public func scan(
        prefix: UnsafeRawBufferPointer,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        try checkUsable()
        leave()
        try unsafe writer.connection.scan(prefix: prefix, visit)
    }

    /// Stores `value` under `key`, in place of a former value; neither points into bytes that this transaction
    /// returned.
    ///
    /// A `put` of the key that was read last does not look it up again.
    ///
    /// - Throws: ``CacheError`` with code `full` if the disk is full, `tooLarge` for a value over 999,983,616 bytes or
    ///   a key over 8,192. Also `emptyIdentifier` for a key of no bytes, `inputOutput`, `corrupted`, `closed`.
    public func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) {
        try checkUsable()
        guard unsafe !key.isEmpty else { throw CacheError(.emptyIdentifier, "a key has at least one byte") }
        guard key.count <= SQLiteKey.limit else {
            throw CacheError(.tooLarge, "the key has \(key.count) bytes; the most is \(SQLiteKey.limit)")
        }
        guard value.count <= SQLiteStore.maxValueBytes else {
            throw CacheError(.tooLarge, "the value has \(value.count) bytes; the most is \(SQLiteStore.maxValueBytes)")
        }
        putCount += 1
        try keepingFailure { () throws(CacheError) in
            let place = try unsafe known(key)
            leave()
            if let place {
                let (table, row) = writer.table(of: place)
                try unsafe table.update(row, value)
            } else {
                // `known` has remembered this key as the last one.
                last = try unsafe .present(keyCount: key.count, place: writer.insert(key, value))
            }
        }
    }

    /// Removes `key`; a missing key is no error.
    ///
    /// - Throws: ``CacheError`` with code `full`, `inputOutput`, `corrupted` or `closed`.
    public func remove(_ key: UnsafeRawBufferPointer) throws(CacheError) {
        try checkUsable()
        try keepingFailure { () throws(CacheError) in
            guard let place = try unsafe known(key) else { return }
            leave()
            last = .unknown
            removalCount += 1
            let (table, row) = writer.table(of: place)
            try table.remove(row)
        }
    }

    /// Does nothing: a transaction ends with the closure that received it.
    public func end() {}

    /// Throws once the transaction has ended or failed.
    ///
    /// SQLite may have rolled back by itself then, and would commit a later write on its own.
    func checkUsable() throws(CacheError) {
        if let failure { throw failure }
        guard isOpen else { throw .closedStore }
        guard writer.connection.isInTransaction else {
            throw CacheError(.inputOutput, "an error has undone the transaction")
        }
    }

    /// The place of `key`, from the last lookup if that was of the same key.
    private func known(_ key: UnsafeRawBufferPointer) throws(CacheError) -> SQLitePlace? {
        switch last {
        case .absent(let count) where unsafe isEqual(key, writer.lastKey(count)): nil
        case .present(let count, let place) where unsafe isEqual(key, writer.lastKey(count)): place
        default: try unsafe find(key)?.place
        }
    }

    /// Looks `key` up and remembers the answer.
    private func find(
        _ key: UnsafeRawBufferPointer
    ) throws(CacheError) -> (place: SQLitePlace, value: UnsafeRawBufferPointer)? {
        last = .unknown
        guard key.count <= SQLiteKey.limit else { return nil }
        // The key is copied first: the lookup may invalidate its bytes.
        let copy = unsafe writer.remember(key)
        do throws(CacheError) {
            let found = try unsafe writer.lookup.find(copy)
            last =
                unsafe found.map { unsafe .present(keyCount: copy.count, place: $0.place) }
                ?? .absent(keyCount: copy.count)
            return unsafe found
        } catch {
            failure = failure ?? error
            throw error
        }
    }

    /// Leaves the row that was read last.
    func leave() {
        writer.lookup.leave()
    }

    /// Runs `body` and remembers its error, so that the transaction cannot commit after it.
    private func keepingFailure(_ body: () throws(CacheError) -> Void) throws(CacheError) {
        do throws(CacheError) {
            try body()
        } catch {
            failure = failure ?? error
            throw error
        }
    }
}
