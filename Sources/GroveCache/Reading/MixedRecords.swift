import GroveCoding

/// The records from the root of a tree to the current one of which the reading projection wrote a part.
struct MixedRecords: ~Copyable {
    private var records: [Mixed] = []

    /// A record that several projections wrote, with the reading one's row in its table.
    @safe
    private struct Mixed {
        let body: UnsafeRawBufferPointer
        let row: ProjectionTable.Row
    }

    /// The meaning of a field's absence from the record in `body`; `row` is the reading projection's.
    ///
    /// If it is `ofRecord`, the record is among these from now on.
    mutating func absence(_ row: ProjectionTable.Row?, _ body: UnsafeRawBufferPointer) -> Absence {
        guard let row else { return .unknown }
        guard row.fields.contains(false) || !row.replaced.isEmpty else { return .known }
        unsafe records.append(Mixed(body: body, row: row))
        return .ofRecord
    }

    /// Whether the reading projection wrote the value at `position`, which lies in one of the records.
    func readerWrote(valueAt position: UnsafeRawPointer) -> Bool {
        for index in records.indices.reversed() {
            let record = records[index]
            if let field = unsafe RecordBody.field(of: record.body, at: position) { return record.row.wrote(field) }
        }
        return false
    }

    mutating func removeLast() { records.removeLast() }

    mutating func removeAll() { if !records.isEmpty { records = [] } }
}
