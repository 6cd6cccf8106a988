import GroveCoding
import GroveModel

/// Places in time of the references on the way from the root of a tree to the current record: the writes that set them.
struct ReferencePlaces: ~Copyable {
    /// The record whose references are being followed.
    var holder = Holder()
    /// The places of references in records that several projections wrote, from the root to the current one.
    private var own: [Place] = []

    /// A record that holds references.
    struct Holder {
        /// The number of the write of the record.
        var sequence = CallNumber.max
        /// The index of the record's first place in ``ReferencePlaces/own``.
        var firstPlace = 0
    }

    /// The place in time of the references in one field of a record that several projections wrote.
    @safe
    private struct Place {
        let field: UnsafeRawBufferPointer
        let sequence: CallNumber
    }

    /// The holder for the record of `sequence`, which is entered next: its places are those noted from now on.
    func next(_ sequence: CallNumber) -> Holder { Holder(sequence: sequence, firstPlace: own.count) }

    /// Notes the places of the references in `record`.
    mutating func note(_ record: ProjectedRecord) {
        for index in record.fields.indices where record.holdsReferences(index) {
            unsafe own.append(Place(field: record.fields[index].value, sequence: record.table.place(of: index)))
        }
    }

    /// Forgets the places of the current record; `outer` is the current one again.
    @inline(__always)
    mutating func leave(to outer: Holder) {
        if own.count > holder.firstPlace { own.removeSubrange(holder.firstPlace...) }
        holder = outer
    }

    mutating func reset() {
        holder = Holder()
        if !own.isEmpty { own = [] }
    }

    /// The number of the write that set the reference whose identifier's bytes these are.
    ///
    /// If the bytes were moved out of their record, it is the oldest and the newest number that it may be.
    func find(_ identifier: UnsafeRawBufferPointer) -> (oldest: CallNumber, newest: CallNumber) {
        var oldest = holder.sequence
        var newest = CallNumber.zero
        for index in holder.firstPlace..<own.count {
            let place = own[index]
            if unsafe identifier.overlaps(place.field) { return (place.sequence, place.sequence) }
            oldest = min(oldest, place.sequence)
            newest = max(newest, place.sequence)
        }
        return newest == .zero ? (holder.sequence, holder.sequence) : (oldest, newest)
    }
}
