import GroveModel

/// How old what a read finds may be.
///
/// A record says, in whole seconds, when each projection's content was last confirmed. A time of 0 and one that is ahead of
/// the clock say nothing: what has such a time is too old.
struct AgeLimit {
    /// The earliest time of confirmation that is accepted, in seconds since 1970.
    private let oldest: Double
    /// The time now.
    private let latest: Double

    /// Accepts what was confirmed within `maxAge` seconds before `now`; nothing if either is no number.
    init(maxAge: Double, now: Double) { (oldest, latest) = (now - maxAge, now) }

    /// Whether what was confirmed at `time` is young enough.
    func accepts(_ time: UInt32) -> Bool {
        let time = Double(time)
        return time > 0 && time >= oldest && time <= latest
    }

    /// Whether the record of `header`, which one projection wrote, is young enough; a deletion has no age.
    func accepts(_ header: RecordHeader) -> Bool { header.flags.contains(.tombstone) || accepts(header.time) }

    /// Whether any projection of `stored`, a record under `key`, is young enough or of unknown age; what is damaged has no age.
    func acceptsAny(of stored: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer) -> Bool {
        guard let header = unsafe try? RecordHeader(stored, key: key), !header.flags.contains(.tombstone) else {
            return true
        }
        guard header.flags.contains(.projections) else { return accepts(header.time) || header.time == 0 }
        let count = unsafe RecordBody.fieldCount(header.body)
        guard let table = try? ProjectionTable(header, fieldCount: count) else { return true }
        return table.rows.contains { accepts($0.time) || $0.time == 0 }
    }

    /// Whether what `projection` reads of a record that several projections wrote is young enough.
    ///
    /// A field is as young as the last of its writers was confirmed, and the record as old as the oldest of its fields.
    /// These are the fields that the last write of `projection` carried, or all if it never wrote.
    func accepts(_ table: ProjectionTable, fieldCount: Int, as projection: UnsafeRawBufferPointer) -> Bool {
        let accepted = table.rows.filter { accepts($0.time) }
        guard !accepted.isEmpty else { return false }
        let own = unsafe table.row(of: projection)
        return (0..<fieldCount).allSatisfy { field in
            own?.fields[field] == false || accepted.contains { $0.fields[field] }
        }
    }
}
