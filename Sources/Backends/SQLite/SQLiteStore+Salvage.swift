import CSQLite
import GroveCache
import GroveCoding
package import GroveModel

extension SQLiteStore: SalvageableStore {
    /// Damage if the main file and the log are of two moments; SQLite would mix them into a state that never existed.
    package static func hiddenDamage(in directory: String, isSuspect: Bool) throws(CacheError) -> CacheError? {
        SQLiteLog.mix(in: try SQLiteFiles.directory(directory))
    }

    /// Visits the rows of both tables whose keys begin with `prefix`, in the order of their numbers, and skips rows
    /// that cannot be read.
    package static func salvage(
        _ directory: String, prefix: [UInt8], options: SQLiteOptions,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Void,
        unreadable: (_ part: String) -> Void
    ) throws(CacheError) {
        let files = try SQLiteFiles.directory(directory)
        if let mix = SQLiteLog.mix(in: files) { throw mix }
        let connection = try SQLiteConnection(files, options, isReader: true)
        // Reading makes a log if there is none; the log is removed with the connection.
        connection.leaveLog(false)
        try connection.run("BEGIN")
        var texts: [Int64: [UInt8]] = [:]
        try SQLiteSalvage("prefix", "text", connection).run(
            { (statement) throws(CacheError) in texts[statement.number(0)] = unsafe Array(statement.bytes(1)) },
            unreadable: { unreadable("rows \($0.lowerBound) to \($0.upperBound) of the table prefix") })
        var buffer = ByteBuffer(capacity: 128)
        defer { buffer.deallocate() }
        func key(_ row: Int64) -> [UInt8]? {
            guard let text = texts[SQLiteNumberedKey.prefix(ofRow: row)] else { return nil }
            buffer.removeAll()
            SQLiteNumberedKey.write(text, SQLiteNumberedKey.number(ofRow: row), to: &buffer)
            return unsafe Array(buffer.bytes)
        }
        var last: [UInt8]?
        var isLost = false
        try SQLiteSalvage("numbered", "value", connection).run(
            { (statement) throws(CacheError) in
                let name = key(statement.number(0))
                if isLost { unreadable(part(after: last, before: name)) }
                isLost = false
                last = name
                guard let name, name.starts(with: prefix) else { return }
                try unsafe name.withUnsafeBytesTyped { (name) throws(CacheError) in
                    try unsafe visit(name, statement.bytes(1))
                }
            }, unreadable: { _ in isLost = true })
        if isLost { unreadable(part(after: last, before: nil)) }
        try SQLiteSalvage("named", "key, value", connection).run(
            { (statement) throws(CacheError) in
                guard unsafe statement.bytes(1).starts(with: prefix) else { return }
                try unsafe visit(statement.bytes(1), statement.bytes(2))
            },
            unreadable: { unreadable("rows \($0.lowerBound) to \($0.upperBound) of the table named") })
    }
}

/// The reader of a table's rows one after the other, which goes on after damage.
///
/// SQLite cannot go on after a page that it cannot read, but it finds a row by its number. So numbers are tried at
/// growing distances until one is found after the damage. Then the least such number between the last two is found.
/// Readable rows between two damaged pages may be skipped if the pages are near each other.
private struct SQLiteSalvage: ~Copyable {
    private let rows: SQLiteStatement

    init(_ table: String, _ columns: String, _ connection: SQLiteConnection) throws(CacheError) {
        rows = try SQLiteStatement("SELECT id, \(columns) FROM \(table) WHERE id >= ?1 ORDER BY id", connection)
    }

    /// Calls `visit` at each row, and `unreadable` with the numbers between which rows cannot be read.
    func run(
        _ visit: (borrowing SQLiteStatement) throws(CacheError) -> Void, unreadable: (ClosedRange<Int64>) -> Void
    ) throws(CacheError) {
        // Every table numbers its rows from 1 on.
        var (first, begun) = (Int64(0), Int64(-1))
        while first > begun {
            begun = first
            seek(first)
            while let isRow = try step() {
                guard isRow else { return }
                let row = rows.number(0)
                try visit(rows)
                guard row < .max else { return }
                first = row + 1
            }
            guard let next = try end(ofDamageAt: first) else { break }
            unreadable(first...next - 1)
            first = next
        }
        unreadable(first ... .max)
    }

    private func seek(_ row: Int64) {
        rows.reset()
        rows.bind(row, at: 1)
    }

    /// Whether there is another row; `nil` if it cannot be read.
    private func step() throws(CacheError) -> Bool? {
        do throws(CacheError) {
            return try rows.step("read a record")
        } catch {
            guard error.isOfDamage else { throw error }
            return nil
        }
    }

    /// A number after the unreadable `row` from which on rows can be read; `nil` if none is found.
    private func end(ofDamageAt row: Int64) throws(CacheError) -> Int64? {
        var (failed, distance) = (row, Int64(1))
        while true {
            let (tried, overflows) = row.addingReportingOverflow(distance)
            guard !overflows, distance < .max / 2 else { return nil }
            seek(tried)
            guard try step() == nil else {
                var found = tried
                while found - failed > 1 {
                    let middle = failed + (found - failed) / 2
                    seek(middle)
                    if try step() == nil { failed = middle } else { found = middle }
                }
                return found
            }
            (failed, distance) = (tried, distance * 2)
        }
    }
}
