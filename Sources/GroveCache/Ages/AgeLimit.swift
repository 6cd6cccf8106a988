import GroveModel

/// How old what a read finds may be, as numbers: made once for each read.
struct AgeLimit {
    /// What was confirmed at this time or later is accepted.
    let oldest: Double
    /// What calls from this number on wrote was, gaps left out.
    private let least: UInt64
    private let gaps: ArraySlice<ClosedRange<UInt64>>
    private let confirmations: Confirmations

    init(oldest: Double, line: AgeLine, confirmations: Confirmations) {
        self.oldest = oldest
        let least = line.leastNumber(since: oldest)
        self.least = least
        gaps = line.gaps.drop { $0.upperBound < least }
        self.confirmations = confirmations
    }

    /// Whether what the call `place` wrote as `projection` under `key` was confirmed since ``oldest``.
    func accepts(
        _ key: UnsafeRawBufferPointer, _ projection: UnsafeRawBufferPointer, _ place: UInt64
    ) -> Bool {
        if place >= least, gaps.isEmpty || !AgeLine.isInGap(place, gaps) { return true }
        guard let time = unsafe confirmations.time(Confirmations.hash(key, projection, place)) else { return false }
        return time >= oldest
    }

    /// Whether the record of `header` under `key`, which one projection wrote, was confirmed since; a deletion has no
    /// age.
    func accepts(_ header: RecordHeader, _ key: UnsafeRawBufferPointer) -> Bool {
        unsafe header.flags.contains(.tombstone) || accepts(key, header.projection, header.sequence)
    }

    /// Whether what `projection` reads of a record that several projections wrote was confirmed since.
    ///
    /// A field is as young as the last of its writers was confirmed, and the record as old as the oldest of its fields:
    /// those that the last write of `projection` carried, or all where it never wrote.
    func accepts(
        _ table: ProjectionTable, fieldCount: Int, as projection: UnsafeRawBufferPointer,
        _ key: UnsafeRawBufferPointer
    ) -> Bool {
        let accepted = table.rows.filter { row in
            unsafe row.name.withUnsafeBytes { unsafe accepts(key, $0, row.sequence) }
        }
        guard !accepted.isEmpty else { return false }
        let own = table.rows.first { row in unsafe row.name.withUnsafeBytes { unsafe isEqual($0, projection) } }
        return (0..<fieldCount).allSatisfy { field in
            own?.fields[field] == false || accepted.contains { $0.fields[field] }
        }
    }
}
