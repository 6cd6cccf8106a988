import CLMDB
import GroveCoding
import GroveCache
import GroveModel

extension LMDBEnvironment {
    /// Visits the records that `transaction` sees whose keys begin with `prefix`, in the order of the original keys.
    ///
    /// - Complexity: O(log *n* + *m*) for *m* records; long keys that share their first 494 bytes are collected and
    ///   sorted first.
    func scan(
        _ transaction: OpaquePointer, prefix: UnsafeRawBufferPointer,
        after start: UnsafeRawBufferPointer = unsafe UnsafeRawBufferPointer(start: nil, count: 0),
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        var cursor: OpaquePointer?
        try unsafe Self.check(mdb_cursor_open(transaction, database, &cursor), "open a cursor")
        defer { unsafe mdb_cursor_close(cursor) }
        let stem = unsafe UnsafeRawBufferPointer(rebasing: prefix.prefix(LMDBKey.shortLimit))
        // All long keys with the stem of `start` are looked at, from the first of them.
        let first = unsafe UnsafeRawBufferPointer(rebasing: start.prefix(LMDBKey.shortLimit))
        let from = unsafe stem.lexicographicallyPrecedes(first) ? first : stem
        var storedKey = unsafe MDB_val(from)
        var stored = unsafe MDB_val()
        var status = unsafe mdb_cursor_get(cursor, &storedKey, &stored, from.isEmpty ? MDB_FIRST : MDB_SET_RANGE)
        // The long keys with one stem.
        var run: [LMDBKey.Entry] = []
        var runStem = unsafe UnsafeRawBufferPointer(start: nil, count: 0)

        /// Visits the collected long keys; returns whether to go on.
        func visitRun() throws(CacheError) -> Bool {
            run.sort { unsafe lexicographicOrder($0.key, $1.key) < 0 }
            for entry in run
            where unsafe entry.key.begins(with: prefix)
                && start.lexicographicallyPrecedes(entry.key)
            {
                guard try unsafe visit(entry.key, entry.value) else { return false }
            }
            run.removeAll(keepingCapacity: true)
            return true
        }

        while status == MDB_SUCCESS {
            let bytes = unsafe UnsafeRawBufferPointer(storedKey)
            guard unsafe bytes.begins(with: stem) else { break }
            let isLong = bytes.count == LMDBKey.longCount
            if !run.isEmpty, unsafe !isLong || !bytes.begins(with: runStem), try !visitRun() { return }
            if isLong {
                unsafe runStem = unsafe UnsafeRawBufferPointer(rebasing: bytes.prefix(LMDBKey.shortLimit))
                try unsafe LMDBKey.forEach(in: UnsafeRawBufferPointer(stored)) { entry in
                    run.append(entry)
                    return true
                }
            } else if bytes.count <= LMDBKey.shortLimit, prefix.count <= LMDBKey.shortLimit,
                unsafe start.lexicographicallyPrecedes(bytes)
            {
                guard try unsafe visit(bytes, UnsafeRawBufferPointer(stored)) else { return }
            }
            status = unsafe mdb_cursor_get(cursor, &storedKey, &stored, MDB_NEXT)
        }
        if status != MDB_SUCCESS, status != MDB_NOTFOUND { throw .lmdb(status, "read the next record") }
        _ = try visitRun()
    }
}
