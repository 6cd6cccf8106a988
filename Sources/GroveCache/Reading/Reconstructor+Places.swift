import GroveCoding
import GroveModel

/// Places in time: whether a reference was set before or after its node was deleted.
extension Reconstructor {
    /// Whether the reference to `identifier` that is being followed may read the record of `header`, which is or follows
    /// a deletion.
    ///
    /// - Throws: `deleted` if the reference was set before the deletion; a miss if their order is unknown.
    func checkDeletion(of header: RecordHeader, _ identifier: UnsafeRawBufferPointer) throws(NodeReadFailure) {
        let (oldest, newest) = unsafe placeInTime(of: identifier)
        let deletion = header.flags.contains(.tombstone) ? header.sequence : header.deletion
        guard deletion > oldest else { return }
        guard !header.flags.contains(.deletionUncertain), deletion > newest else {
            throw unsafe .miss(CacheMiss(.absent, text(identifier)))
        }
        throw unsafe noteDeleted(identifier)
    }

    /// The number of the write that set the reference whose identifier's bytes these are; the oldest and the newest that
    /// it may be if the bytes were moved out of their record.
    private func placeInTime(of identifier: UnsafeRawBufferPointer) -> (oldest: CallNumber, newest: CallNumber) {
        let holder = unsafe state.pointee.holderSequence
        var oldest = holder
        var newest = CallNumber.zero
        for index in unsafe state.pointee.firstPlace..<state.pointee.places.count {
            let place = unsafe state.pointee.places[index]
            if unsafe identifier.overlaps(place.field) { return (place.sequence, place.sequence) }
            oldest = min(oldest, place.sequence)
            newest = max(newest, place.sequence)
        }
        return newest == .zero ? (holder, holder) : (oldest, newest)
    }

    /// Prepares a record that several projections wrote for being decoded: notes the places of its references, and keeps
    /// its body where it is meanwhile.
    ///
    /// - Returns: what is known of a field that is absent; with `ofRecord`, the record is among the mixed ones.
    func prepare(
        _ header: inout RecordHeader, _ isKept: inout Bool, as projection: UnsafeRawBufferPointer,
        _ identifier: UnsafeRawBufferPointer
    ) throws(NodeReadFailure) -> Absence {
        if header.flags.contains(.references), !isKept {
            unsafe header.body = keep(header.body)
            isKept = true
        }
        do {
            if header.flags.contains(.references) {
                let record = try ProjectedRecord(header)
                if unsafe isYoungEnough(record.table, fieldCount: record.fields.count, as: projection) {
                    notePlaces(record)
                    return unsafe absence(record.table.row(of: projection), header.body)
                }
            } else {
                let fieldCount = unsafe RecordBody.fieldCount(header.body)
                let table = try ProjectionTable(header, fieldCount: fieldCount)
                if unsafe isYoungEnough(table, fieldCount: fieldCount, as: projection) {
                    return unsafe absence(table.row(of: projection), header.body)
                }
            }
        } catch {
            throw unsafe damage(.corrupted, identifier)
        }
        throw unsafe .miss(CacheMiss(.expired, text(identifier)))
    }

    /// What is known of a field that is absent from the record in `body`, whose `row` is the reading projection's.
    private func absence(_ row: ProjectionTable.Row?, _ body: UnsafeRawBufferPointer) -> Absence {
        guard let row else { return .unknown }
        guard row.fields.contains(false) || !row.replaced.isEmpty else { return .known }
        unsafe state.pointee.mixed.append(ReadState.Mixed(body: body, row: row))
        return .ofRecord
    }

    func readerWrote(valueAt position: UnsafeRawPointer) -> Bool {
        for index in unsafe state.pointee.mixed.indices.reversed() {
            let record = unsafe state.pointee.mixed[index]
            if let field = unsafe RecordBody.field(of: record.body, at: position) { return record.row.wrote(field) }
        }
        return false
    }

    private func notePlaces(_ record: ProjectedRecord) {
        for index in record.fields.indices where record.holdsReferences(index) {
            unsafe state.pointee.places.append(
                ReadState.Place(field: record.fields[index].value, sequence: record.table.place(of: index)))
        }
    }
}
