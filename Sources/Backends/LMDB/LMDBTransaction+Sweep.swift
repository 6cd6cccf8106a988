import CLMDB
public import GroveCache
public import GroveModel

/// A sweep in LMDB's own order, that of the stored keys.
extension LMDBTransaction {
    /// Visits at most `limit` records after the cursor's, in the order of the stored keys.
    ///
    /// Long keys that share a beginning and a hash count as one record.
    ///
    /// - Throws: the error of `visit`, or ``CacheError`` with code `corrupted`, `inputOutput` or `closed`.
    public func sweep(
        from cursor: SweepCursor?, limit: Int,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) -> SweepCursor? {
        try checkUsable()
        let start = cursor?.bytes.prefix(LMDBKey.stampCount) ?? []
        var key = unsafe MDB_val()
        var value = unsafe MDB_val()
        var status: Int32
        if start.isEmpty {
            status = unsafe mdb_cursor_get(self.cursor, &key, &value, MDB_FIRST)
        } else {
            status = unsafe start.withUnsafeBytes { bytes in
                unsafe key = unsafe MDB_val(bytes)
                return unsafe mdb_cursor_get(self.cursor, &key, &value, MDB_SET_RANGE)
            }
            let isThere = unsafe start.withUnsafeBytes { unsafe isEqual($0, UnsafeRawBufferPointer(key)) }
            if status == MDB_SUCCESS, isThere { status = unsafe mdb_cursor_get(self.cursor, &key, &value, MDB_NEXT) }
        }
        var count = 0
        while status == MDB_SUCCESS {
            let stored = unsafe UnsafeRawBufferPointer(key)
            count += 1
            var goesOn = true
            if stored.count <= LMDBKey.shortLimit {
                goesOn = try unsafe visit(stored, UnsafeRawBufferPointer(value))
            } else if stored.count == LMDBKey.longCount {
                goesOn = try unsafe visitLong(UnsafeRawBufferPointer(value), visit)
            }
            guard goesOn, count < limit else { return unsafe SweepCursor(Array(stored)) }
            status = unsafe mdb_cursor_get(self.cursor, &key, &value, MDB_NEXT)
        }
        guard status == MDB_NOTFOUND else { throw .lmdb(status, "read the next record") }
        return nil
    }

    /// The cursor at `key`, which is in its stored form.
    public func sweepCursor(at key: UnsafeRawBufferPointer) throws(CacheError) -> SweepCursor {
        var bytes: [UInt8] = []
        _ = unsafe LMDBKey.withStored(key, hashMask: environment.hashMask) { stored in
            bytes = unsafe Array(UnsafeRawBufferPointer(stored))
            return 0
        }
        return SweepCursor(bytes)
    }

    /// Visits the long keys in `stored`; returns whether to go on.
    private func visitLong(
        _ stored: UnsafeRawBufferPointer,
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) -> Bool {
        var entries: [LMDBKey.Entry] = []
        try unsafe LMDBKey.forEach(in: stored) { entry in
            entries.append(entry)
            return true
        }
        for entry in entries {
            guard try unsafe visit(entry.key, entry.value) else { return false }
        }
        return true
    }
}
