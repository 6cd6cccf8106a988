import GroveModel

/// Which projections wrote a record, and which of its fields the last write of each carried.
///
/// Stored in the envelope of a record that several projections share: a count, then for each its name's length, its
/// name, and a bitmap over the body's fields in their order, least significant bit first.
struct ProjectionTable {
    struct Row {
        var name: [UInt8]
        var fields: [Bool]
    }

    var rows: [Row] = []

    /// The table of `header`, over a body of `fieldCount` fields: a single projection carries them all.
    init(_ header: RecordHeader, fieldCount: Int) throws(RecordHeader.Failure) {
        guard header.flags.contains(.projections) else {
            rows = unsafe [Row(name: Array(header.projection), fields: Array(repeating: true, count: fieldCount))]
            return
        }
        let bytes = unsafe header.projectionTable
        guard bytes.count >= 1 else { throw .corrupted }
        var offset = 1
        let bitmap = (fieldCount + 7) / 8
        for _ in unsafe 0..<bytes[0] {
            guard offset < bytes.count else { throw .corrupted }
            let length = unsafe Int(bytes[offset])
            guard offset + 1 + length + bitmap <= bytes.count else { throw .corrupted }
            let name = unsafe Array(bytes[(offset + 1)..<(offset + 1 + length)])
            offset += 1 + length
            let fields = (0..<fieldCount).map { unsafe bytes[offset + $0 / 8] & (1 << UInt8($0 % 8)) != 0 }
            offset += bitmap
            rows.append(Row(name: name, fields: fields))
        }
        guard offset == bytes.count else { throw .corrupted }
    }

    init() {}

    func encoded() throws(CacheError) -> [UInt8] {
        guard let count = UInt8(exactly: rows.count) else {
            throw CacheError(.unencodable, "More than 255 projections wrote one record.")
        }
        var bytes = [count]
        for row in rows {
            guard let length = UInt8(exactly: row.name.count) else {
                throw CacheError(.unencodable, "A projection's name is at most 255 bytes long.")
            }
            bytes.append(length)
            bytes += row.name
            var bitmap = [UInt8](repeating: 0, count: (row.fields.count + 7) / 8)
            for (index, isCarried) in row.fields.enumerated() where isCarried {
                bitmap[index / 8] |= 1 << UInt8(index % 8)
            }
            bytes += bitmap
        }
        return bytes
    }

    /// Whether `projection` is among those that wrote the record of `header`, without decoding the whole table.
    static func carries(_ projection: [UInt8], _ header: RecordHeader, fieldCount: Int) -> Bool {
        unsafe projection.withUnsafeBytes { name in
            guard header.flags.contains(.projections) else { return unsafe isEqual(name, header.projection) }
            guard let table = try? ProjectionTable(header, fieldCount: fieldCount) else { return false }
            return table.rows.contains { $0.name == projection }
        }
    }
}
