import GroveCoding
import GroveModel

/// The greatest age that a read accepts.
///
/// A record says, in whole seconds, when each projection's content was last confirmed. A time of 0, or one ahead of the
/// clock, tells no age: content with such a time is too old.
struct AgeLimit {
    /// The earliest time of confirmation that is accepted, in seconds since 1970.
    private let oldest: Double
    /// The time now.
    private let latest: Double

    /// A limit that accepts content confirmed within `maxAge` seconds before `now`; it accepts nothing if either is
    /// NaN.
    init(maxAge: Double, now: Double) { (oldest, latest) = (now - maxAge, now) }

    /// Whether content that was confirmed at `time` is young enough.
    func accepts(_ time: UInt32) -> Bool {
        let time = Double(time)
        return time > 0 && time >= oldest && time <= latest
    }

    /// Whether the record of `header`, which one projection wrote, is young enough; a deletion has no age.
    func accepts(_ header: RecordHeader) -> Bool { header.flags.contains(.tombstone) || accepts(header.time) }

    /// Whether any projection of `stored`, a record under `key`, is young enough or of unknown age.
    ///
    /// It is true for a tombstone and for a damaged record.
    func acceptsAny(of stored: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer) -> Bool {
        guard let header = unsafe try? RecordHeader(stored, key: key), !header.flags.contains(.tombstone) else {
            return true
        }
        guard header.flags.contains(.projections) else { return accepts(header.time) || header.time == 0 }
        let count = unsafe RecordBody.fieldCount(header.body)
        guard let table = try? ProjectionTable(header, fieldCount: count) else { return true }
        return table.rows.contains { accepts($0.time) || $0.time == 0 }
    }

    /// Whether the fields that `projection` reads are young enough, in a record that several projections wrote.
    ///
    /// A field is as young as the last confirmation by one of its writers, and the record is as old as its oldest
    /// field. The fields are those of the last write of `projection`, or all if it never wrote.
    func accepts(_ table: ProjectionTable, fieldCount: Int, as projection: UnsafeRawBufferPointer) -> Bool {
        let accepted = table.rows.filter { accepts($0.time) }
        guard !accepted.isEmpty else { return false }
        let own = unsafe table.row(of: projection)
        return (0..<fieldCount).allSatisfy { field in
            own?.fields[field] == false || accepted.contains { $0.fields[field] }
        }
    }
}
