import GroveCoding
import GroveModel

/// Places in time: whether a reference was set before or after its node was deleted.
extension Reconstructor {
    /// Whether the reference to `identifier` that is being followed may read the record of `header`, which is or
    /// follows a deletion.
    ///
    /// - Throws: `deleted` if the reference was set before the deletion; a miss if their order is unknown.
    func checkDeletion(of header: RecordHeader, _ identifier: UnsafeRawBufferPointer) throws(NodeReadFailure) {
        let (oldest, newest) = unsafe state.pointee.descent.places.find(identifier)
        let deletion = header.flags.contains(.tombstone) ? header.sequence : header.deletion
        guard deletion > oldest else { return }
        guard !header.flags.contains(.deletionUncertain), deletion > newest else {
            throw unsafe .miss(CacheMiss(.absent, text(identifier)))
        }
        throw unsafe noteDeleted(identifier)
    }

    /// Prepares a record that several projections wrote for decoding: notes the places of its references, and keeps a
    /// body that has any in memory that does not move.
    ///
    /// - Returns: the meaning of a field's absence; if it is `ofRecord`, the record is among the mixed ones.
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
                if unsafe state.pointee.basis.isYoungEnough(
                    record.table, fieldCount: record.fields.count, as: projection)
                {
                    unsafe state.pointee.descent.places.note(record)
                    return unsafe state.pointee.descent.mixed.absence(
                        record.table.row(of: projection), header.body)
                }
            } else {
                let fieldCount = unsafe RecordBody.fieldCount(header.body)
                let table = try ProjectionTable(header, fieldCount: fieldCount)
                if unsafe state.pointee.basis.isYoungEnough(table, fieldCount: fieldCount, as: projection) {
                    return unsafe state.pointee.descent.mixed.absence(table.row(of: projection), header.body)
                }
            }
        } catch {
            throw unsafe damage(.corrupted, identifier)
        }
        throw unsafe .miss(CacheMiss(.expired, text(identifier)))
    }

    func readerWrote(valueAt position: UnsafeRawPointer) -> Bool {
        unsafe state.pointee.descent.mixed.readerWrote(valueAt: position)
    }
}
