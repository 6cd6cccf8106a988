import CSQLite
import GroveCache
import GroveCoding
import GroveModel

extension SQLiteConnection {
    /// Visits the records whose keys begin with `prefix` and come after `start`, in the order of the keys.
    ///
    /// - Complexity: O(*k* log *k*) for *k* numbered keys with the prefix, and O(*n* log *n*) for the *n* other keys of
    ///   the store, as there is no index on keys. Numbers and keys, not values, are sorted in memory. Kept records have
    ///   an index: for them it is O(*k* log *n*).
    func scan(
        prefix: UnsafeRawBufferPointer,
        after start: UnsafeRawBufferPointer = unsafe UnsafeRawBufferPointer(start: nil, count: 0),
        _ visit: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) {
        let rows = try unsafe SQLiteRows(beginningWith: prefix, self)
        let value = try SQLiteStatement("SELECT value FROM numbered WHERE id = ?1", self)
        let isKept = unsafe prefix.first == Namespace.kept
        let order = try SQLiteStatement(Self.order(isKept: isKept), self)
        let record = try SQLiteStatement("SELECT key, value FROM named WHERE id = ?1", self)
        try unsafe order.bind(prefix, at: 1)
        if let end = unsafe SQLiteKey.end(of: prefix) { try order.bind(copying: end, at: 2) }
        try unsafe order.bind(start, at: 3)
        var key = ByteBuffer(capacity: 128)
        defer { key.deallocate() }
        var (next, last) = (0, unsafe start.isEmpty ? 0 : rows.count)
        while next < last {
            let middle = (next + last) / 2
            rows.write(middle, to: &key)
            if unsafe start.lexicographicallyPrecedes(key.bytes) { last = middle } else { next = middle + 1 }
        }
        /// Visits the numbered rows before `end`, or all remaining ones; returns whether to go on.
        func visitRows(before end: UnsafeRawBufferPointer?) throws(CacheError) -> Bool {
            while next < rows.count {
                rows.write(next, to: &key)
                if let end = unsafe end, unsafe !key.bytes.lexicographicallyPrecedes(end) { return true }
                value.bind(rows[next], at: 1)
                next += 1
                guard try value.step("read a record") else { continue }
                guard try unsafe visit(key.bytes, value.bytes(0)) else { return false }
                value.reset()
            }
            return true
        }
        while try order.step("read the keys") {
            if isKept {
                guard try unsafe visitRows(before: order.bytes(0)), try unsafe visit(order.bytes(0), order.bytes(1))
                else { return }
                continue
            }
            record.bind(order.number(0), at: 1)
            guard try record.step("read a record") else { continue }
            guard try unsafe visitRows(before: record.bytes(0)), try unsafe visit(record.bytes(0), record.bytes(1))
            else { return }
            record.reset()
        }
        _ = try visitRows(before: nil)
    }

    /// The text of a statement that finds records of `named` in the order of their keys.
    ///
    /// It gives key and value of kept records, and the row of others, so that no values are sorted.
    static func order(isKept: Bool) -> String {
        let rows =
            isKept
            ? "key, value FROM named INDEXED BY named_kept WHERE \(SQLiteLayout.isKept) AND" : "id FROM named WHERE"
        return "SELECT \(rows) key >= ?1 AND key > ?3 AND (?2 IS NULL OR key < ?2) ORDER BY key"
    }
}

/// The numbers of the numbered rows whose keys begin with some bytes, in the order of their keys.
private struct SQLiteRows {
    private var rows: [Int64] = []
    private var texts: [Int64: [UInt8]] = [:]

    init(beginningWith start: UnsafeRawBufferPointer, _ connection: SQLiteConnection) throws(CacheError) {
        let prefixes = try SQLiteStatement("SELECT id, text FROM prefix", connection)
        while try prefixes.step("read the prefixes") {
            let common = unsafe min(start.count, prefixes.bytes(1).count)
            guard unsafe isEqual(head(start, common), head(prefixes.bytes(1), common)) else { continue }
            texts[prefixes.number(0)] = unsafe Array(prefixes.bytes(1))
        }
        let numbers = try SQLiteStatement("SELECT id FROM numbered WHERE id >= ?1 AND id < ?2", connection)
        var key = ByteBuffer(capacity: 128)
        defer { key.deallocate() }
        for (number, text) in texts where (1...SQLiteNumberedKey.mostPrefixes).contains(number) {
            numbers.reset()
            numbers.bind(SQLiteNumberedKey.row(number, 0), at: 1)
            numbers.bind(SQLiteNumberedKey.row(number, SQLiteNumberedKey.limit), at: 2)
            let isWhole = text.count >= start.count
            while try numbers.step("read the keys") {
                let row = numbers.number(0)
                if !isWhole {
                    key.removeAll()
                    SQLiteNumberedKey.write(text, SQLiteNumberedKey.number(ofRow: row), to: &key)
                    guard key.count >= start.count, unsafe isEqual(head(key.bytes, start.count), start)
                    else { continue }
                }
                rows.append(row)
            }
        }
        sort()
    }

    var count: Int { rows.count }

    subscript(index: Int) -> Int64 { rows[index] }

    /// Writes the key of the row at `index` to `buffer`.
    func write(_ index: Int, to buffer: inout ByteBuffer) {
        buffer.removeAll()
        let row = rows[index]
        let text = texts[SQLiteNumberedKey.prefix(ofRow: row)] ?? []
        SQLiteNumberedKey.write(text, SQLiteNumberedKey.number(ofRow: row), to: &buffer)
    }

    private mutating func sort() {
        var (one, other) = (ByteBuffer(capacity: 128), ByteBuffer(capacity: 128))
        defer {
            one.deallocate()
            other.deallocate()
        }
        let texts = texts
        rows.sort { first, second in
            let prefix = SQLiteNumberedKey.prefix(ofRow: first)
            let text = texts[prefix] ?? []
            let (left, right) = (SQLiteNumberedKey.number(ofRow: first), SQLiteNumberedKey.number(ofRow: second))
            if prefix == SQLiteNumberedKey.prefix(ofRow: second) {
                return SQLiteNumberedKey.precedes(left, right, under: text)
            }
            one.removeAll()
            other.removeAll()
            SQLiteNumberedKey.write(text, left, to: &one)
            SQLiteNumberedKey.write(texts[SQLiteNumberedKey.prefix(ofRow: second)] ?? [], right, to: &other)
            return unsafe one.bytes.lexicographicallyPrecedes(other.bytes)
        }
    }
}

extension SQLiteNumberedKey {
    /// Whether the key of `first` under `prefix` comes before that of `second`, by their bytes.
    fileprivate static func precedes(_ first: Int64, _ second: Int64, under prefix: [UInt8]) -> Bool {
        if let last = prefix.last, last &- UInt8(ascii: "0") < 10 { return first < second }
        let (left, right) = (aligned(first), aligned(second))
        // If the first digits agree, as of `1` and `10`, the shorter comes first.
        return left == right ? first < second : left < right
    }

    /// `number` with zeros appended to make ``digits`` digits.
    private static func aligned(_ number: Int64) -> Int64 {
        guard number > 0 else { return 0 }
        var number = number
        while number < limit / 10 { number *= 10 }
        return number
    }
}

/// The first `count` bytes of `bytes`, which has at least as many.
private func head(_ bytes: UnsafeRawBufferPointer, _ count: Int) -> UnsafeRawBufferPointer {
    unsafe UnsafeRawBufferPointer(rebasing: bytes[..<count])
}
