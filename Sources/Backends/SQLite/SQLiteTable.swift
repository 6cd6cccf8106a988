import CSQLite
import GroveModel

/// One of the two tables of records, and the statements that change it.
final class SQLiteTable {
    /// Takes the number of a row, its value, and in `named` the hash and the key.
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

    /// Takes rows out of the table, from `first` on, and puts them back, so that they lie closer together.
    ///
    /// - Parameters:
    ///   - count: how many rows, at the most.
    ///   - bytes: how many bytes they have, at the most, but for the first of them.
    /// - Returns: the row to go on at, or `nil` at the end of the table.
    func pack(from first: Int64, count: Int, bytes: Int) throws(CacheError) -> Int64? {
        var run: [(row: Int64, value: [UInt8], hash: Int64, key: [UInt8])] = []
        var left = bytes
        rows.bind(first, at: 1)
        rows.bind(Int64(count), at: 2)
        var isAtEnd = true
        while try rows.step("look at old records") {
            left -= unsafe rows.bytes(1).count + (isNamed ? rows.bytes(3).count : 0) + 22
            if left < 0, !run.isEmpty {
                isAtEnd = false
                break
            }
            let value = unsafe Array(rows.bytes(1))
            let key = unsafe isNamed ? Array(rows.bytes(3)) : []
            run.append((rows.number(0), value, isNamed ? rows.number(2) : 0, key))
        }
        rows.reset()
        guard let last = run.last?.row, last < .max else { return nil }
        clearance.bind(run[0].row, at: 1)
        clearance.bind(last, at: 2)
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
        return isAtEnd && run.count < count ? nil : last + 1
    }
}
