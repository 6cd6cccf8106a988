import CLMDB
import GroveCache
import GroveCoding
import GroveModel

/// The filling of pages: records are taken out and put back in their order.
///
/// LMDB fills a page only if each new record is the page's last. If older records follow, each split leaves half a
/// page. LMDB merges a page only once less than a quarter of it is used.
extension LMDBTransaction {
    /// The least number of new records beside each other whose pages are filled.
    private static let shortestRun = 24
    /// The most older records between two new ones of a run, as `Message:151` is between `Message:1509` and
    /// `Message:1510`.
    private static let mostBetween = 4

    /// Takes out the records from `start` on, as many as fill `pages`, and puts them back.
    ///
    /// Records of more than half a page are left alone: they have pages of their own.
    ///
    /// - Parameter start: a stored key, or no bytes to begin with the first.
    /// - Returns: the stored key that follows; no bytes at the end.
    func refill(from start: [UInt8], pages: Int) throws(CacheError) -> [UInt8] {
        try checkUsable()
        var next: [UInt8] = []
        try keepingFailure { () throws(CacheError) in
            var records = TakenRecords()
            let page = environment.pageBytes
            var left = pages * page
            var key = unsafe MDB_val()
            var value = unsafe MDB_val()
            var status = unsafe start.withUnsafeBytes { start in
                unsafe key = unsafe MDB_val(start)
                return unsafe mdb_cursor_get(cursor, &key, &value, start.isEmpty ? MDB_FIRST : MDB_SET_RANGE)
            }
            while status == MDB_SUCCESS, left > 0 {
                unsafe take(key, value, to: &records)
                left -= unsafe min(key.mv_size + value.mv_size, page / 2)
                status = unsafe mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
            }
            if status == MDB_SUCCESS { next = unsafe Array(UnsafeRawBufferPointer(key)) }
            guard status == MDB_SUCCESS || status == MDB_NOTFOUND else { throw .lmdb(status, "read a record") }
            try putBack(records)
        }
        return next
    }

    /// Fills the pages of the new records, if many lie beside each other.
    func fillRuns() throws(CacheError) {
        let keys = added
        added = NewKeys()
        guard keys.count >= Self.shortestRun else { return }
        try checkUsable()
        let order = keys.sorted()
        try keepingFailure { () throws(CacheError) in
            var place = 0
            while place < order.count { place += try fillRun(order[place...], keys) }
        }
    }

    /// Fills the pages of the new records that follow each other from the first of `order` on.
    ///
    /// Older records between them, and those that follow on the last page, are taken out and put back too: otherwise
    /// each new page would be split before them. If a record of that page is left, LMDB fills the page from the one
    /// before once it is sparse.
    ///
    /// - Returns: the number of keys of `order` that were looked at.
    private func fillRun(_ order: ArraySlice<Int32>, _ keys: NewKeys) throws(CacheError) -> Int {
        var records = TakenRecords()
        var (key, value) = unsafe (MDB_val(), MDB_val())
        var status = unsafe keys.withKey(order[order.startIndex]) { first in
            unsafe key = unsafe MDB_val(first)
            return unsafe mdb_cursor_get(cursor, &key, &value, MDB_SET_KEY)
        }
        // The record was removed again.
        guard status != MDB_NOTFOUND else { return 1 }
        var place = order.startIndex
        var count = 0
        var between = 0
        var page = unsafe PageGuess(key, environment.pageBytes)
        while status == MDB_SUCCESS, place < order.endIndex, between <= Self.mostBetween,
            records.byteCount < NewKeys.most
        {
            let difference = unsafe keys.withKey(order[place]) {
                unsafe lexicographicOrder($0, UnsafeRawBufferPointer(key))
            }
            if difference <= 0 { place += 1 }
            // If the key in `order` is the lesser one, its record was removed again.
            if difference < 0 { continue }
            if unsafe !page.holds(key) { page = unsafe PageGuess(key, environment.pageBytes) }
            (count, between) = difference == 0 ? (count + 1, 0) : (count, between + 1)
            unsafe take(key, value, to: &records)
            status = unsafe mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
        let looked = place - order.startIndex
        guard count >= Self.shortestRun || status != MDB_SUCCESS && status != MDB_NOTFOUND else { return looked }
        let end = records.byteCount + 2 * environment.pageBytes
        while status == MDB_SUCCESS, unsafe page.holds(key), records.byteCount < end {
            unsafe take(key, value, to: &records)
            status = unsafe mdb_cursor_get(cursor, &key, &value, MDB_NEXT)
        }
        guard status == MDB_SUCCESS || status == MDB_NOTFOUND else { throw .lmdb(status, "read a record") }
        try putBack(records)
        return looked
    }

    /// Copies a record to `records`, unless it takes more than half a page.
    private func take(_ key: MDB_val, _ value: MDB_val, to records: inout TakenRecords) {
        if unsafe key.mv_size + value.mv_size < environment.pageBytes / 2 { unsafe records.append(key, value) }
    }

    private func putBack(_ records: TakenRecords) throws(CacheError) {
        for index in 0..<records.count {
            let status = unsafe records.withRecord(index) { key, _ in
                let status = unsafe mdb_cursor_get(cursor, &key, nil, MDB_SET)
                return status == MDB_SUCCESS ? unsafe mdb_cursor_del(cursor, 0) : status
            }
            try LMDBEnvironment.check(status, "take out a record")
        }
        for index in 0..<records.count {
            let status = unsafe records.withRecord(index) { key, value in
                unsafe mdb_cursor_put(cursor, &key, &value, 0)
            }
            try LMDBEnvironment.check(status, "put back a record")
        }
    }
}

/// The keys that a transaction has added, one after the other.
struct NewKeys {
    /// The number of bytes at which the pages are filled and the list of keys begins again.
    static let most = 256 << 10

    private var bytes: [UInt8] = []
    private var ends: [Int32] = [0]

    var count: Int { ends.count - 1 }
    var isFull: Bool { bytes.count >= NewKeys.most }

    mutating func append(_ key: UnsafeRawBufferPointer) {
        unsafe bytes.append(contentsOf: key)
        ends.append(Int32(bytes.count))
    }

    func withKey<Result>(_ index: Int32, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe body(UnsafeRawBufferPointer(rebasing: bytes[Int(ends[Int(index)])..<Int(ends[Int(index) + 1])]))
        }
    }

    /// The indices of the keys in the order of their bytes, which is LMDB's order.
    func sorted() -> [Int32] {
        (0..<Int32(count)).sorted { left, right in
            unsafe withKey(left) { left in unsafe withKey(right) { unsafe lexicographicOrder(left, $0) < 0 } }
        }
    }
}

/// Copies of records, one after the other.
private struct TakenRecords {
    private var bytes: [UInt8] = []
    /// The positions at which each key and each value ends.
    private var ends: [(key: Int, value: Int)] = []

    init() {}

    var count: Int { ends.count }
    var byteCount: Int { bytes.count }

    mutating func append(_ key: MDB_val, _ value: MDB_val) {
        unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(key))
        let keyEnd = bytes.count
        unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(value))
        ends.append((keyEnd, bytes.count))
    }

    func withRecord(_ index: Int, _ body: (inout MDB_val, inout MDB_val) -> Int32) -> Int32 {
        unsafe bytes.withUnsafeBytes { bytes in
            let (keyEnd, end) = ends[index]
            let start = index > 0 ? ends[index - 1].value : 0
            var key = unsafe MDB_val(UnsafeRawBufferPointer(rebasing: bytes[start..<keyEnd]))
            var value = unsafe MDB_val(UnsafeRawBufferPointer(rebasing: bytes[keyEnd..<end]))
            return unsafe body(&key, &value)
        }
    }
}

/// A guess which records lie on one page, by the addresses of their keys: a page is contiguous in memory.
///
/// Two pages may lie side by side. A wrong guess costs pages and nothing else.
private struct PageGuess {
    private let pageBytes: UInt
    private var low: UInt
    private var high: UInt

    init(_ key: MDB_val, _ pageBytes: Int) {
        self.pageBytes = UInt(pageBytes)
        low = unsafe UInt(bitPattern: key.mv_data)
        high = low
    }

    /// Whether `key` may lie on the page of the keys before it; if so, it is added to them.
    mutating func holds(_ key: MDB_val) -> Bool {
        let place = unsafe UInt(bitPattern: key.mv_data)
        guard max(high, place) - min(low, place) < pageBytes else { return false }
        (low, high) = (min(low, place), max(high, place))
        return true
    }
}
