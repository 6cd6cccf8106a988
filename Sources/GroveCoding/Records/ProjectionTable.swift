package import GroveModel

/// The projections that wrote a record, each with its last write and the fields that this carried.
///
/// It is in the envelope of a record that several projections share: a count, the number of bitmaps of each, then the
/// rows. A row is a name's length, the name, the number of the last write, its time, and one or two bitmaps. A bitmap
/// is over the body's fields in their order, least significant bit first. All have a second one if a projection has
/// written over a map of another.
package struct ProjectionTable {
    package struct Row {
        package var name: [UInt8]
        /// The number of the projection's last write: the place in time of the fields that no later one carried.
        package var sequence: CallNumber
        /// The time at which the projection's content was last confirmed, in seconds since 1970; 0 if that is not
        /// known.
        package var time: UInt32
        package var fields: [Bool]
        /// The fields that hold maps and that another projection has written over since; empty if there are none.
        ///
        /// A field that is absent from those maps says nothing to this projection.
        package var replaced: [Bool] = []

        /// Whether this projection can tell which fields are absent from the maps inside field `index`.
        package func wrote(_ index: Int) -> Bool { fields[index] && (replaced.isEmpty || !replaced[index]) }
    }

    package var rows: [Row] = []

    /// The table of `header`, over a body of `fieldCount` fields: a single projection carries them all.
    package init(_ header: RecordHeader, fieldCount: Int) throws(RecordHeader.Failure) {
        guard header.flags.contains(.projections) else {
            rows = unsafe [
                Row(
                    name: Array(header.projection), sequence: header.sequence, time: header.time,
                    fields: Array(repeating: true, count: fieldCount))
            ]
            return
        }
        var table = unsafe EnvelopeReader(header.projectionTable)
        let count = try table.byte()
        let bitmapCount = try table.byte()
        guard bitmapCount == 1 || bitmapCount == 2 else { throw .corrupted }
        for _ in 0..<count {
            let name = try unsafe Array(table.shortText())
            let sequence = try table.number()
            guard sequence <= header.sequence else { throw .corrupted }
            var row = Row(name: name, sequence: sequence, time: try table.time(), fields: [])
            row.fields = try ProjectionTable.flags(&table, count: fieldCount)
            if bitmapCount == 2 {
                let replaced = try ProjectionTable.flags(&table, count: fieldCount)
                if replaced.contains(true) { row.replaced = replaced }
            }
            rows.append(row)
        }
        guard table.isAtEnd else { throw .corrupted }
        for index in 0..<fieldCount where !rows.contains(where: { $0.fields[index] }) { throw .corrupted }
    }

    package init(rows: [Row]) { self.rows = rows }

    package func encoded() throws(CacheError) -> [UInt8] {
        guard let count = UInt8(exactly: rows.count) else {
            throw CacheError(
                .unencodable,
                "More than 255 projections wrote the record; delete the model first, or share projection names.")
        }
        var bytes = [count, hasReplaced ? 2 : 1]
        for row in rows {
            guard let length = UInt8(exactly: row.name.count) else {
                throw CacheError(
                    .unencodable,
                    "The projection name \(String(decoding: row.name.prefix(32), as: UTF8.self).debugDescription)… has "
                        + "\(row.name.count) bytes, and the most is 255.")
            }
            bytes.append(length)
            bytes += row.name
            bytes.append(number: row.sequence)
            for shift in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: row.time >> UInt32(8 * shift))) }
            bytes += ProjectionTable.bitmap(row.fields, count: row.fields.count)
            if hasReplaced { bytes += ProjectionTable.bitmap(row.replaced, count: row.fields.count) }
        }
        return bytes
    }

    private static func flags(
        _ table: inout EnvelopeReader, count: Int
    ) throws(RecordHeader.Failure) -> [Bool] {
        let bitmap = try unsafe table.bytes(UInt64(count + 7) / 8)
        return (0..<count).map { unsafe bitmap[$0 / 8] & (1 << UInt8($0 % 8)) != 0 }
    }

    private static func bitmap(_ flags: [Bool], count: Int) -> [UInt8] {
        var bitmap = [UInt8](repeating: 0, count: (count + 7) / 8)
        for (index, isSet) in flags.enumerated() where isSet { bitmap[index / 8] |= 1 << UInt8(index % 8) }
        return bitmap
    }

    /// Whether a field with maps of some projection was written over by another one.
    private var hasReplaced: Bool { rows.contains { !$0.replaced.isEmpty } }

    /// The place in time of field `index`: the number of the last write that carried it.
    package func place(of index: Int) -> CallNumber {
        var place = CallNumber.zero
        for row in rows where row.fields[index] { place = max(place, row.sequence) }
        return place
    }

    /// The last write of `projection`, if it is among those that wrote the record.
    package func row(of projection: UnsafeRawBufferPointer) -> Row? {
        unsafe index(of: projection).map { rows[$0] }
    }

    /// The index of `projection` in ``rows``.
    package func index(of projection: UnsafeRawBufferPointer) -> Int? {
        rows.firstIndex { row in unsafe row.name.withUnsafeBytes { unsafe isEqual($0, projection) } }
    }

    /// Whether the same projections carry the same fields in `other`, whatever the times of their writes.
    package func agrees(with other: ProjectionTable) -> Bool {
        rows.elementsEqual(other.rows) { $0.name == $1.name && $0.fields == $1.fields && $0.replaced == $1.replaced }
    }
}
