public import GroveCache
import GroveCoding
public import GroveModel

/// A sweep in SQLite's own order, that of the rows: first those of `numbered`, then those of `named`. By key it would
/// have to sort.
extension SQLiteTransaction {
    /// Visits at most `limit` rows after the cursor's, this transaction's own writes included.
    ///
    /// - Complexity: a search in a table, and O(`limit`).
    /// - Throws: the error of `visit`, or ``CacheError`` with code `corrupted`, `inputOutput` or `closed`.
    public func sweep(
        from cursor: SweepCursor?, limit: Int,
        _ visit: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws(CacheError) -> Bool
    ) throws(CacheError) -> SweepCursor? {
        try checkUsable()
        leave()
        var left = limit
        var place = cursor.map { SQLitePlace(sweep: $0) }
        if case .named = place {
        } else {
            var first: Int64 = .min
            if case .numbered(let row) = place { first = row < .max ? row + 1 : row }
            let writer = writer
            var key = ByteBuffer(capacity: 128)
            defer { key.deallocate() }
            let (last, isInterrupted, count) = try unsafe writer.numbered.sweep(from: first, limit: left) {
                (row, _, value) throws(CacheError) in
                // No key finds a row whose prefix is lost.
                guard try writer.lookup.writeKey(of: row, to: &key) else { return true }
                return try unsafe visit(key.bytes, value)
            }
            left -= count
            if isInterrupted, let last { return SQLitePlace.numbered(last).sweepCursor }
            place = .named(0)
        }
        guard case .named(let row) = place, row < .max else { return nil }
        guard left > 0 else { return SQLitePlace.named(row).sweepCursor }
        let (last, isInterrupted, _) = try unsafe writer.named.sweep(from: row + 1, limit: left) {
            (_, key, value) throws(CacheError) in
            guard let key = unsafe key else { return true }
            return try unsafe visit(key, value)
        }
        return isInterrupted ? last.map { SQLitePlace.named($0).sweepCursor } : nil
    }

    /// The cursor at the row of `key`, or at the end if `key` is not stored.
    public func sweepCursor(at key: UnsafeRawBufferPointer) throws(CacheError) -> SweepCursor {
        try checkUsable()
        defer { leave() }
        if let row = try unsafe writer.lookup.row(of: key) { return SQLitePlace.numbered(row).sweepCursor }
        return (try unsafe writer.lookup.find(key)?.place ?? .named(.max)).sweepCursor
    }
}

extension SQLitePlace {
    /// The place of a cursor; any place if the cursor is none of SQLite's.
    init(sweep cursor: SweepCursor) {
        var row: UInt64 = 0
        for byte in cursor.bytes.dropFirst().prefix(8) { row = row << 8 | UInt64(byte) }
        self = cursor.bytes.first == 0 ? .numbered(Int64(bitPattern: row)) : .named(Int64(bitPattern: row))
    }

    /// The cursor of the place: a byte for the table, and eight for the row.
    var sweepCursor: SweepCursor {
        let (table, row): (UInt8, Int64) =
            switch self {
            case .numbered(let row): (0, row)
            case .named(let row): (1, row)
            }
        let bits = UInt64(bitPattern: row)
        return SweepCursor([table] + (0..<8).map { UInt8(truncatingIfNeeded: bits >> (56 - 8 * $0)) })
    }
}
