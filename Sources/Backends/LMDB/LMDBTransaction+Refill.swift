import CLMDB
import GroveCache
import GroveModel

extension LMDBTransaction {
    /// Takes out the records from `start` on, as many as fill `pages`, and puts them back in order, which does fill them.
    ///
    /// LMDB merges a page only once it is less than a quarter full, so that removals leave pages a third full on average.
    /// Records of more than half a page stay where they are: they have pages of their own.
    ///
    /// - Parameter start: a stored key, or none to begin with the first.
    /// - Returns: the stored key that follows; none at the end.
    func refill(from start: [UInt8], pages: Int) throws(CacheError) -> [UInt8] {
        try checkUsable()
        var next: [UInt8] = []
        try keepingFailure { () throws(CacheError) in
            var records: [(key: [UInt8], value: [UInt8])] = []
            let page = environment.pageBytes
            var left = pages * page
            var key = unsafe MDB_val()
            var value = unsafe MDB_val()
            var status = unsafe start.withUnsafeBytes { start in
                unsafe key = unsafe MDB_val(start)
                return unsafe mdb_cursor_get(cursor, &key, &value, start.isEmpty ? MDB_FIRST : MDB_SET_RANGE)
            }
            while status == MDB_SUCCESS, left > 0 {
                let size = unsafe key.mv_size + value.mv_size
                if size < page / 2 {
                    unsafe records.append((Array(UnsafeRawBufferPointer(key)), Array(UnsafeRawBufferPointer(value))))
                }
                left -= min(size, page / 2)
                status = unsafe mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
            }
            if status == MDB_SUCCESS { next = unsafe Array(UnsafeRawBufferPointer(key)) }
            guard status == MDB_SUCCESS || status == MDB_NOTFOUND else { throw .lmdb(status, "read a record") }
            for record in records {
                let status = unsafe record.key.withUnsafeBytes { key in
                    var key = unsafe MDB_val(key)
                    let status = unsafe mdb_cursor_get(cursor, &key, nil, MDB_SET)
                    return status == MDB_SUCCESS ? unsafe mdb_cursor_del(cursor, 0) : status
                }
                try LMDBEnvironment.check(status, "take out a record")
            }
            for record in records {
                let status = unsafe record.key.withUnsafeBytes { key in
                    unsafe record.value.withUnsafeBytes { value in
                        var (key, value) = unsafe (MDB_val(key), MDB_val(value))
                        return unsafe mdb_cursor_put(cursor, &key, &value, 0)
                    }
                }
                try LMDBEnvironment.check(status, "put back a record")
            }
        }
        return next
    }
}
