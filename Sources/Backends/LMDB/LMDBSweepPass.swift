import CLMDB
import GroveCache
import GroveModel

/// One look at some of the pages, in one transaction: runs of neighbouring pages whose records are put back.
///
/// A page that falls below a quarter draws records from its neighbour, as long as that has more than a quarter. So the
/// first page of a run keeps that much: it draws nothing, and the others end up in it.
@safe struct LMDBSweepPass {
    /// The most pages of a run, and the most records.
    private static let mostPages = 10
    private static let mostRecords = 600
    /// The most records that are looked at, and some.
    private static let visits = 2_400
    /// The part of a page, in hundredths, that records fill when they are put in one after the other.
    private static let fill = 94
    /// The part of a page, in hundredths, below which LMDB gives it records of a neighbour's, and some.
    private static let quarter = 27

    /// A run of neighbouring pages, as far as it was looked at.
    private struct Run {
        var first: [UInt8] = []
        var pages = 0
        var records = 0
        var bytes = 0
        /// How many pages its records take when they are put in one after the other, and what the last one has then.
        var packed = 1
        var packedBytes = 0
    }

    let transaction: OpaquePointer
    let environment: LMDBEnvironment
    let guarding: LMDBPageGuard
    /// How many pages may still be filled anew.
    var left: Int

    private var pageBytes: Int { environment.pageSize }
    private var room: Int { (pageBytes - 16) * Self.fill / 100 }

    init(transaction: OpaquePointer, environment: LMDBEnvironment, guarding: LMDBPageGuard, left: Int) {
        unsafe self.transaction = unsafe transaction
        self.environment = environment
        self.guarding = guarding
        self.left = left
    }

    /// Looks at records from `position` on; returns where the next transaction should go on.
    mutating func run(from position: [UInt8]) throws(CacheError) -> [UInt8] {
        let cursor = unsafe try openCursor()
        defer { unsafe mdb_cursor_close(cursor) }
        var key = unsafe MDB_val()
        var value = unsafe MDB_val()
        var status = unsafe seek(cursor, position, &key, &value)
        var run = Run()
        var page: UInt?
        var visited = 0
        while status == MDB_SUCCESS {
            visited += 1
            let found = unsafe self.page(key, value)
            if found != page || found == nil {
                if found == nil || run.pages >= Self.mostPages || run.records >= Self.mostRecords {
                    let isWritten = try putBack(run)
                    let next = unsafe Array(UnsafeRawBufferPointer(key))
                    guard visited < Self.visits, left > 0 else { return next }
                    run = Run()
                    // Bytes may have moved, and the cursor with them.
                    if isWritten { status = unsafe seek(cursor, next, &key, &value) }
                    page = nil
                    guard status == MDB_SUCCESS else { break }
                    if isWritten { continue }
                }
                if found != nil {
                    if run.pages == 0 { run.first = unsafe Array(UnsafeRawBufferPointer(key)) }
                    run.pages += 1
                }
                page = found
            }
            if page != nil {
                run.records += 1
                let size = Self.size(unsafe key.mv_size, unsafe value.mv_size)
                run.bytes += size
                run.packedBytes += size
                if run.packedBytes > room {
                    run.packed += 1
                    run.packedBytes = size
                }
            }
            status = unsafe mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
        guard status == MDB_NOTFOUND else { throw .lmdb(status, "read a record") }
        _ = try putBack(run)
        return []
    }

    /// The address of the page in which a record lies whole; `nil` where the transaction has written to the page, where
    /// the value has pages of its own, and where the record is not the commit's.
    private func page(_ key: MDB_val, _ value: MDB_val) -> UInt? {
        let address = unsafe UInt(bitPattern: key.mv_data)
        guard guarding.isCommitted(address) else { return nil }
        let page = address & ~UInt(pageBytes - 1)
        let content = unsafe UInt(bitPattern: value.mv_data)
        guard content &- page <= UInt(pageBytes) else { return nil }
        return unsafe guarding.holds(value, keyCount: key.mv_size) ? page : nil
    }

    /// What a record takes in a page: LMDB's header and its pointer besides key and value.
    private static func size(_ key: Int, _ value: Int) -> Int { (key + value + 11) & ~1 }

    private func openCursor() throws(CacheError) -> OpaquePointer? {
        var cursor: OpaquePointer?
        try unsafe LMDBEnvironment.check(
            mdb_cursor_open(transaction, environment.database, &cursor), "open a cursor")
        return unsafe cursor
    }

    private func seek(
        _ cursor: OpaquePointer?, _ position: [UInt8], _ key: inout MDB_val, _ value: inout MDB_val
    ) -> Int32 {
        guard !position.isEmpty else { return unsafe mdb_cursor_get(cursor, &key, &value, MDB_FIRST) }
        var position = position
        return unsafe position.withUnsafeMutableBytes { bytes in
            unsafe key = unsafe MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
            return unsafe mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)
        }
    }

    /// Removes the records of `run` and puts them back, where that frees three pages in ten; returns whether it did.
    private mutating func putBack(_ run: Run) throws(CacheError) -> Bool {
        guard run.pages > 2, run.pages <= left, run.pages - run.packed >= max(run.pages * 3 / 10, 1) else {
            return false
        }
        left -= run.pages
        // What the first page keeps: a quarter of it and some.
        var kept = 0
        var bytes: [UInt8] = []
        bytes.reserveCapacity(run.bytes)
        var records: [(start: Int, key: Int, value: Int)] = []
        var previous: [UInt8] = []
        try unsafe collect(run) { (key, value) in
            guard kept <= pageBytes * Self.quarter / 100 else {
                records.append((bytes.count, key.count, value.count))
                unsafe bytes.append(contentsOf: key)
                unsafe bytes.append(contentsOf: value)
                return
            }
            kept += Self.size(key.count, value.count)
            previous = unsafe Array(key)
        }
        for record in records { try remove(bytes[record.start..<(record.start + record.key)]) }
        var filled = kept
        var wedge: [UInt8] = []
        for record in records {
            let size = Self.size(record.key, record.value)
            let key = bytes[record.start..<(record.start + record.key)]
            if filled + size > room {
                if !wedge.isEmpty { try remove(wedge[...]) }
                wedge = try self.wedge(behind: previous, before: key, leaving: pageBytes - 16 - filled - size)
                filled = 0
            }
            try put(key, bytes[(record.start + record.key)..<(record.start + record.key + record.value)])
            filled += size
            if !wedge.isEmpty, filled > pageBytes * Self.quarter / 100 {
                try remove(wedge[...])
                wedge = []
            }
            previous = Array(key)
        }
        if !wedge.isEmpty { try remove(wedge[...]) }
        return true
    }

    /// Fills the page that ends with `previous`, so that the record under `next` begins one.
    ///
    /// LMDB splits a full page so that the last record before goes to the new page too: that one is the wedge. It
    /// goes when its page has enough of its own, not to draw records from the one before.
    ///
    /// - Parameter left: how much the page would have left with the next record, less than 0 where that does not fit.
    /// - Returns: the wedge's key, empty where there is none.
    private func wedge(
        behind previous: [UInt8], before next: ArraySlice<UInt8>, leaving left: Int
    ) throws(CacheError) -> [UInt8] {
        let key = previous + [0]
        guard key.count <= LMDBKey.shortLimit, !next.elementsEqual(key) else { return [] }
        try put(key[...], [UInt8](repeating: 0, count: max(left - key.count - 6, 0))[...])
        return key
    }

    private func remove(_ key: ArraySlice<UInt8>) throws(CacheError) {
        let status = unsafe key.withUnsafeBytes { bytes in
            var key = unsafe MDB_val(
                mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
            return unsafe mdb_del(transaction, environment.database, &key, nil)
        }
        try LMDBEnvironment.check(status, "move a record")
    }

    private func put(_ key: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) throws(CacheError) {
        let status = unsafe key.withUnsafeBytes { key in
            unsafe value.withUnsafeBytes { value in
                var key = unsafe MDB_val(
                    mv_size: key.count, mv_data: UnsafeMutableRawPointer(mutating: key.baseAddress))
                var value = unsafe MDB_val(
                    mv_size: value.count, mv_data: UnsafeMutableRawPointer(mutating: value.baseAddress))
                return unsafe mdb_put(transaction, environment.database, &key, &value, 0)
            }
        }
        try LMDBEnvironment.check(status, "move a record")
    }

    /// Visits the records of `run`.
    private func collect(
        _ run: Run, _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Void
    ) throws(CacheError) {
        let cursor = unsafe try openCursor()
        defer { unsafe mdb_cursor_close(cursor) }
        var key = unsafe MDB_val()
        var value = unsafe MDB_val()
        var status = unsafe seek(cursor, run.first, &key, &value)
        for _ in 0..<run.records {
            try LMDBEnvironment.check(status, "read a record")
            unsafe visit(UnsafeRawBufferPointer(key), UnsafeRawBufferPointer(value))
            status = unsafe mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
    }
}
