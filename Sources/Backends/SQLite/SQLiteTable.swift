import CSQLite
import GroveModel

/// One of the two tables of records, and the statements that change it.
final class SQLiteTable {
    /// The insertion of a row: its parameters are the row's number, the value, and in `named` the hash and the key.
    let insertion: SQLiteStatement
    private let update: SQLiteStatement
    private let removal: SQLiteStatement
    private let rows: SQLiteStatement
    private let clearance: SQLiteStatement
    private let isNamed: Bool

    init(_ name: String, isNamed: Bool, _ connection: SQLiteConnection) throws(CacheError) {
        let (columns, places) = isNamed ? ("id, value, hash, key", "?1, ?2, ?3, ?4") : ("id, value", "?1, ?2")
        insertion = try SQLiteStatement("INSERT INTO \(name)(\(columns)) VALUES(\(places))", connection)
        update = try SQLiteStatement("UPDATE \(name) SET value = ?2 WHERE id = ?1", connection)
        removal = try SQLiteStatement("DELETE FROM \(name) WHERE id = ?1", connection)
        rows = try SQLiteStatement("SELECT \(columns) FROM \(name) WHERE id >= ?1 ORDER BY id LIMIT ?2", connection)
        clearance = try SQLiteStatement("DELETE FROM \(name) WHERE id BETWEEN ?1 AND ?2", connection)
        self.isNamed = isNamed
    }

    /// Replaces the value of `row`.
    func update(_ row: Int64, _ value: UnsafeRawBufferPointer) throws(CacheError) {
        update.bind(row, at: 1)
        try unsafe update.bind(value, at: 2)
        try update.run("write a record")
    }

    /// Removes `row`.
    func remove(_ row: Int64) throws(CacheError) {
        removal.bind(row, at: 1)
        try removal.run("remove a record")
    }

    /// Visits at most `limit` rows from `first` on, in their order, until `visit` returns false.
    ///
    /// - Parameter visit: gets the number of the row, in `named` its key, and its value; must not use this table.
    /// - Returns: the row that was visited last, whether `limit` or `visit` ended the sweep, and the number of rows
    ///   visited.
    func sweep(
        from first: Int64, limit: Int,
        _ visit: (Int64, _ key: UnsafeRawBufferPointer?, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) -> (last: Int64?, isInterrupted: Bool, count: Int) {
        rows.bind(first, at: 1)
        rows.bind(Int64(limit), at: 2)
        defer { rows.reset() }
        var last: Int64?
        var count = 0
        while try rows.step("look at records") {
            let row = rows.number(0)
            last = row
            count += 1
            guard try unsafe visit(row, isNamed ? rows.bytes(3) : nil, rows.bytes(1)) else { return (row, true, count) }
        }
        return (last, count == limit, count)
    }

    /// Takes a run of rows out of the table, from `first` on, and puts them back, so that they lie closer together.
    ///
    /// Rows of more than ``largest`` bytes are left alone: few of them lie in a page, packed or not. So is a run of
    /// `named` from which hardly any row was removed.
    ///
    /// - Parameters:
    ///   - count: the most rows.
    ///   - bytes: the most bytes in them.
    /// - Returns: the row to go on at, or `nil` at the end of the table.
    func pack(from first: Int64, count: Int, bytes: Int) throws(CacheError) -> Int64? {
        var run: [(row: Int64, value: [UInt8], hash: Int64, key: [UInt8])] = []
        var (next, left, looks, isFull) = (first, bytes, 0, false)
        rows.bind(first, at: 1)
        rows.bind(Int64(count), at: 2)
        while try rows.step("look at old records") {
            let row = rows.number(0)
            let size = unsafe rows.bytes(1).count + (isNamed ? rows.bytes(3).count : 0) + 22
            let fits = size <= Self.largest && size <= left
            // A row that does not fit ends a run; it is skipped if it would begin one.
            isFull = !fits && !run.isEmpty
            guard !isFull, row < .max else { break }
            looks += 1
            next = row + 1
            guard fits else { continue }
            left -= size
            let value = unsafe Array(rows.bytes(1))
            let key = unsafe isNamed ? Array(rows.bytes(3)) : []
            run.append((row, value, isNamed ? rows.number(2) : 0, key))
        }
        rows.reset()
        if let start = run.first?.row, let end = run.last?.row, !isDense(run.count, start, end) {
            clearance.bind(start, at: 1)
            clearance.bind(end, at: 2)
            try clearance.run("move records")
            for record in run {
                insertion.bind(record.row, at: 1)
                try insertion.bind(copying: record.value, at: 2)
                if isNamed {
                    insertion.bind(record.hash, at: 3)
                    try insertion.bind(copying: record.key, at: 4)
                }
                try insertion.run("move a record")
            }
        }
        return isFull || looks == count ? next : nil
    }

    /// Whether hardly any of the rows between two was removed; false for numbered rows, as missing numbers may never
    /// have been used.
    private func isDense(_ count: Int, _ start: Int64, _ end: Int64) -> Bool {
        isNamed && Double(count) > Double(end - start) * 0.85
    }

    /// The most bytes of a row that is packed.
    private static let largest = 2_048
}
