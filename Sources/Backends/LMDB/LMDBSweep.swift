import CLMDB
import GroveCache
import GroveModel
import Synchronization

/// Fills pages that removals have left sparse, a few in each transaction, where there is a budget.
///
/// LMDB merges a page only once it is less than a quarter full, and after many removals its pages are a third full on
/// average. Records that are removed and put back in order go to the page of the records before them, as long as that
/// has room: so the records of a sparse page whose left neighbour has room are put back, and their page is free.
///
/// Where a page begins is told by the addresses of its keys, for pages that the transaction has not written to.
final class LMDBSweep: Sendable {
    private struct State {
        /// Where the next transaction goes on; empty for the beginning.
        var next: [UInt8] = []
        /// Where the map begins in memory.
        var map: (base: UInt, bytes: Int)?
    }

    private struct Record {
        let key: [UInt8]
        let value: [UInt8]
    }

    /// What a record takes in a page beside its key and value: LMDB's header and its pointer.
    private static let overhead = 10
    /// The part of a page, in hundredths, that two may have together to become one.
    private static let fill = 97
    /// The most records that a transaction looks at, and the most pages that it frees.
    private static let visits = 1_200
    static let merges = 14

    private let state = Mutex(State())

    /// Forgets where the map is: the environment was opened anew.
    func reset() { state.withLock { $0 = State() } }

    /// Frees pages in the transaction `transaction`.
    func run(_ transaction: OpaquePointer, _ environment: LMDBEnvironment) throws(CacheError) {
        let known = state.withLock { $0.map }
        let map: (base: UInt, bytes: Int)
        if let known { map = known } else { map = try Self.map(environment) }
        var position = state.withLock { $0.next }
        try unsafe Self.sweep(
            transaction, environment, base: map.base, end: map.base + UInt(map.bytes), from: &position)
        state.withLock { [position] state in
            state.map = map
            state.next = position
        }
    }

    /// Where the map is: a page begins with its number.
    private static func map(_ environment: LMDBEnvironment) throws(CacheError) -> (base: UInt, bytes: Int) {
        let page = try environment.pageBytes()
        var begun: OpaquePointer?
        try unsafe LMDBEnvironment.check(
            mdb_txn_begin(environment.pointer, nil, UInt32(MDB_RDONLY), &begun), "begin a view")
        defer { unsafe mdb_txn_abort(begun) }
        var cursor: OpaquePointer?
        try unsafe LMDBEnvironment.check(mdb_cursor_open(begun, environment.database, &cursor), "open a cursor")
        defer { unsafe mdb_cursor_close(cursor) }
        var key = unsafe MDB_val()
        var value = unsafe MDB_val()
        try unsafe LMDBEnvironment.check(mdb_cursor_get(cursor, &key, &value, MDB_FIRST), "read a record")
        let address = unsafe UInt(bitPattern: key.mv_data) & ~UInt(page - 1)
        guard let start = unsafe UnsafeRawPointer(bitPattern: address) else { return (0, 0) }
        let number = unsafe start.load(as: UInt.self)
        let bytes = try environment.mapBytes()
        guard number < UInt(bytes / page) else { return (0, 0) }
        return (address - number * UInt(page), bytes)
    }

    private static func sweep(
        _ transaction: OpaquePointer, _ environment: LMDBEnvironment, base: UInt, end: UInt,
        from position: inout [UInt8]
    ) throws(CacheError) {
        guard base < end else { return }
        let pageBytes = try environment.pageBytes()
        let room = (pageBytes - 16) * fill / 100
        var cursor: OpaquePointer?
        try unsafe LMDBEnvironment.check(
            mdb_cursor_open(transaction, environment.database, &cursor), "open a cursor")
        defer { unsafe mdb_cursor_close(cursor) }
        /// The bytes in the page to the left, where they are known.
        var left: Int?
        var current: [Record] = []
        var currentBytes = 0
        var currentPage: UInt?
        var isWhole = false
        var merges = 0
        var visits = 0
        var key = unsafe MDB_val()
        var value = unsafe MDB_val()
        var status = unsafe seek(cursor, position, &key, &value)
        while status == MDB_SUCCESS, visits < Self.visits, merges < Self.merges {
            visits += 1
            let address = unsafe UInt(bitPattern: key.mv_data)
            let isClean = address >= base && address < end
            let page = isClean ? address & ~UInt(pageBytes - 1) : nil
            if page != currentPage {
                let last = current.last?.key
                if isWhole, let known = left, known + currentBytes <= room, let last {
                    try unsafe putBack(current, transaction, environment)
                    merges += 1
                    left = known + currentBytes
                    (current, currentBytes) = ([], 0)
                    status = unsafe seek(cursor, last, &key, &value)
                    if status == MDB_SUCCESS, unsafe Array(UnsafeRawBufferPointer(key)) == last {
                        status = unsafe mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
                    }
                    currentPage = nil
                    // The page is looked at again, in the same way.
                    if status == MDB_SUCCESS, let next = unsafe Self.page(of: key, base, end, pageBytes) {
                        currentPage = next
                        isWhole = true
                    }
                } else {
                    left = isWhole && currentPage != nil ? currentBytes : nil
                    // The first page may have been entered in its middle.
                    isWhole = page != nil && visits > 1
                    currentPage = page
                    (current, currentBytes) = ([], 0)
                }
                guard status == MDB_SUCCESS else { break }
            }
            if currentPage != nil {
                let bytes = unsafe UnsafeRawBufferPointer(key)
                let stored = unsafe UnsafeRawBufferPointer(value)
                if stored.count > pageBytes / 4 { isWhole = false }
                unsafe current.append(Record(key: Array(bytes), value: isWhole ? Array(stored) : []))
                currentBytes += bytes.count + stored.count + overhead + (bytes.count + stored.count) % 2
            }
            position = unsafe Array(UnsafeRawBufferPointer(key))
            status = unsafe mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
        if status == MDB_NOTFOUND { position = [] }
        guard status == MDB_SUCCESS || status == MDB_NOTFOUND else { throw .lmdb(status, "read a record") }
    }

    private static func page(of key: MDB_val, _ base: UInt, _ end: UInt, _ pageBytes: Int) -> UInt? {
        let address = unsafe UInt(bitPattern: key.mv_data)
        return address >= base && address < end ? address & ~UInt(pageBytes - 1) : nil
    }

    private static func seek(
        _ cursor: OpaquePointer?, _ position: [UInt8], _ key: inout MDB_val, _ value: inout MDB_val
    ) -> Int32 {
        guard !position.isEmpty else { return unsafe mdb_cursor_get(cursor, &key, &value, MDB_FIRST) }
        var position = position
        return unsafe position.withUnsafeMutableBytes { bytes in
            unsafe key = unsafe MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
            return unsafe mdb_cursor_get(cursor, &key, &value, MDB_SET_RANGE)
        }
    }

    /// Removes `records` and puts them back.
    private static func putBack(
        _ records: [Record], _ transaction: OpaquePointer, _ environment: LMDBEnvironment
    ) throws(CacheError) {
        for record in records {
            var key = record.key
            let status = unsafe key.withUnsafeMutableBytes { bytes in
                var stored = unsafe MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
                return unsafe mdb_del(transaction, environment.database, &stored, nil)
            }
            try LMDBEnvironment.check(status, "move a record")
        }
        for record in records {
            var key = record.key
            var value = record.value
            let status = unsafe key.withUnsafeMutableBytes { bytes in
                unsafe value.withUnsafeMutableBytes { content in
                    var stored = unsafe MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
                    var bytes = unsafe MDB_val(mv_size: content.count, mv_data: content.baseAddress)
                    return unsafe mdb_put(transaction, environment.database, &stored, &bytes, 0)
                }
            }
            try LMDBEnvironment.check(status, "move a record")
        }
    }
}
