import GroveModel

/// Places in time: whether a reference was set before or after its node was deleted.
extension Reconstructor {
    /// Whether the reference to `identifier` that is being followed may read the record of `header`, which follows a
    /// deletion.
    ///
    /// - Throws: `deleted` where it was set before that, a miss where nobody can tell.
    func checkDeletion(of header: RecordHeader, _ identifier: UnsafeRawBufferPointer) throws(NodeReadFailure) {
        let (oldest, newest) = unsafe placeInTime(of: identifier)
        guard header.wasDeleted(after: oldest) else { return }
        guard !header.flags.contains(.deletionUncertain), header.wasDeleted(after: newest) else {
            throw unsafe .miss(CacheMiss(.absent, text(identifier)))
        }
        throw unsafe noteDeleted(identifier)
    }

    /// The number of the write that set the reference whose identifier's bytes these are; the oldest and the newest that
    /// it may be where the bytes were moved out of their record.
    private func placeInTime(of identifier: UnsafeRawBufferPointer) -> (oldest: UInt64, newest: UInt64) {
        let holder = unsafe state.pointee.holderSequence
        var oldest = holder
        var newest: UInt64 = 0
        for index in unsafe state.pointee.firstPlace..<state.pointee.places.count {
            let place = unsafe state.pointee.places[index]
            if unsafe identifier.overlaps(place.field) { return (place.sequence, place.sequence) }
            oldest = min(oldest, place.sequence)
            newest = max(newest, place.sequence)
        }
        return newest == 0 ? (holder, holder) : (oldest, newest)
    }

    /// Prepares a record that several projections wrote for being decoded: notes the places of its references, and keeps
    /// its body where it is meanwhile.
    ///
    /// - Returns: whether `projection` is among those that wrote it.
    func prepare(
        _ header: inout RecordHeader, _ isKept: inout Bool, as projection: UnsafeRawBufferPointer,
        _ identifier: UnsafeRawBufferPointer
    ) throws(NodeReadFailure) -> Bool {
        if header.flags.contains(.references), !isKept {
            unsafe header.body = keep(header.body)
            isKept = true
        }
        do {
            if header.flags.contains(.references) {
                let record = try SharedRecord(header)
                if unsafe isYoungEnough(record.table, fieldCount: record.fields.count, as: projection) {
                    notePlaces(record)
                    return unsafe record.table.carries(projection)
                }
            } else {
                let fieldCount = unsafe RecordBody.fieldCount(header.body)
                let table = try ProjectionTable(header, fieldCount: fieldCount)
                if unsafe isYoungEnough(table, fieldCount: fieldCount, as: projection) {
                    return unsafe table.carries(projection)
                }
            }
        } catch {
            throw unsafe damage(.corrupted, identifier)
        }
        throw unsafe .miss(CacheMiss(.expired, text(identifier)))
    }

    private func notePlaces(_ record: SharedRecord) {
        for index in record.fields.indices where record.holdsReferences(index) {
            unsafe state.pointee.places.append(
                ReadState.Place(field: record.fields[index].value, sequence: record.table.place(of: index)))
        }
    }
}
