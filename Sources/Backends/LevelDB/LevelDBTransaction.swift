import CLevelDB
public import GroveCache
import GroveCoding
public import GroveModel

/// A write transaction of a ``LevelDBStore``: an overlay of its own writes over the state it began with.
///
/// Nothing reaches LevelDB before the transaction commits, as one batch. There is one writer, so the current state is
/// the state it began with.
@_documentation(visibility: internal)
public final class LevelDBTransaction: SweepableTransaction {
    /// False: the bytes of a value are freed at the next call.
    public static var keepsBytes: Bool { false }

    /// The most bytes that one transaction takes, keys and values together.
    static let maxBytes = 1 << 30

    private let handle: LevelDBHandle
    // SAFETY: one thread uses the transaction, and nothing that it is given calls it while these are changed.
    @safe @exclusivity(unchecked) private var overlay = LevelDBOverlay()
    @safe @exclusivity(unchecked) private var lookup: LevelDBLookup

    init(_ handle: LevelDBHandle) {
        self.handle = handle
        lookup = unsafe LevelDBLookup(handle, handle.readOptions)
    }

    // The lookup ends before the handle is released, which may close the database.
    deinit { lookup.leave() }

    /// The value stored under `key`, this transaction's own writes included; valid until the next call.
    ///
    /// - Throws: ``CacheError`` with code `corrupted` or `inputOutput`.
    public func get(_ key: UnsafeRawBufferPointer) throws(CacheError) -> UnsafeRawBufferPointer? {
        if let entry = unsafe overlay.find(key) { return unsafe entry.isRemoval ? nil : entry.value }
        return try unsafe lookup.get(key)
    }

    /// Stores `value` under `key`; both are copied.
    ///
    /// - Complexity: O(1) expected; the engine is called when the transaction commits.
    /// - Throws: ``CacheError`` with code `tooLarge` for a value past 256 MB or a transaction past 1 GB.
    public func put(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) {
        guard value.count <= LevelDBStore.profile.maxValueBytes else {
            throw CacheError(.tooLarge, "The value has \(value.count) bytes; LevelDB takes 256 MB here.")
        }
        guard overlay.payloadBytes + key.count + value.count <= Self.maxBytes else {
            throw CacheError(.tooLarge, "The transaction would pass 1 GB; commit in parts.")
        }
        unsafe overlay.set(key, value)
    }

    /// Removes `key`.
    ///
    /// - Complexity: O(1) expected; whether the key is there is not looked up.
    /// - Throws: ``CacheError`` with code `tooLarge` for a transaction past 1 GB.
    public func remove(_ key: UnsafeRawBufferPointer) throws(CacheError) {
        guard overlay.payloadBytes + key.count <= Self.maxBytes else {
            throw CacheError(.tooLarge, "The transaction would pass 1 GB; commit in parts.")
        }
        unsafe overlay.set(key, nil)
    }

    /// Visits the entries whose keys begin with `prefix`, this transaction's own writes included, in byte order.
    ///
    /// - Complexity: O(log *n* + *m* + *w* log *w*) for *m* such entries among *n* and *w* writes.
    public func scan(
        prefix: UnsafeRawBufferPointer,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        let written = unsafe overlay.sorted(prefix: prefix)
        var next = 0
        let iterator = try unsafe LevelDBIterator(handle, options: handle.readOptions, from: prefix)
        while true {
            let stored = try unsafe iterator.entry().flatMap { unsafe $0.key.begins(with: prefix) ? $0 : nil }
            guard next < written.count else {
                guard let stored = unsafe stored else { return }
                guard try unsafe visit(stored.key, stored.value) else { return }
                iterator.advance()
                continue
            }
            let own = written[next]
            let order = unsafe stored.map { unsafe lexicographicOrder(own.key, $0.key) } ?? -1
            if order > 0, let stored = unsafe stored {
                guard try unsafe visit(stored.key, stored.value) else { return }
                iterator.advance()
                continue
            }
            if order == 0 { iterator.advance() }
            next += 1
            if !own.isRemoval {
                guard try unsafe visit(own.key, own.value) else { return }
            }
        }
    }

    /// Visits at most `limit` entries whose keys come after the cursor's, in byte order; those that this transaction
    /// wrote are skipped.
    ///
    /// - Complexity: one search in LevelDB, and O(`limit`).
    /// - Throws: the error of `visit`, or ``CacheError`` with code `corrupted` or `inputOutput`.
    public func sweep(
        from cursor: SweepCursor?, limit: Int,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) -> SweepCursor? {
        let start = cursor?.bytes ?? []
        return try unsafe start.withUnsafeBytesTyped { (start) throws(CacheError) -> SweepCursor? in
            let iterator = try unsafe LevelDBIterator(handle, options: handle.readOptions, from: start)
            if cursor != nil, let (key, _) = unsafe try iterator.entry(), unsafe isEqual(key, start) {
                iterator.advance()
            }
            var count = 0
            while let (key, value) = unsafe try iterator.entry() {
                count += 1
                var goesOn = true
                if unsafe overlay.find(key) == nil { goesOn = try unsafe visit(key, value) }
                guard goesOn, count < limit else { return unsafe SweepCursor(Array(key)) }
                iterator.advance()
            }
            return nil
        }
    }

    /// The place of `key`, which is the key itself.
    public func sweepCursor(at key: UnsafeRawBufferPointer) throws(CacheError) -> SweepCursor {
        unsafe SweepCursor(Array(key))
    }

    /// Does nothing: the store ends its transactions.
    public func end() {}

    /// The bytes of the transaction's batch, about.
    var batchBytes: Int { overlay.payloadBytes + overlay.entries.count * 16 }

    /// Writes the transaction's puts and removals as one batch.
    ///
    /// - Returns: false if there were none, so that nothing was written.
    func commit(syncs: Bool) throws(CacheError) -> Bool {
        guard !overlay.entries.isEmpty else { return false }
        guard let batch = unsafe leveldb_writebatch_create() else {
            throw CacheError(.full, "The system has no memory for a batch.")
        }
        defer { unsafe leveldb_writebatch_destroy(batch) }
        for entry in overlay.entries {
            let key = unsafe entry.key.baseAddress?.assumingMemoryBound(to: CChar.self)
            if entry.isRemoval {
                unsafe leveldb_writebatch_delete(batch, key, entry.key.count)
            } else {
                let value = unsafe entry.value.baseAddress?.assumingMemoryBound(to: CChar.self)
                unsafe leveldb_writebatch_put(batch, key, entry.key.count, value, entry.value.count)
            }
        }
        try unsafe handle.write(batch, syncs: syncs)
        return true
    }
}
