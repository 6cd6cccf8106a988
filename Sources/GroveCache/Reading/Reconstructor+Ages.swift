import GroveModel

/// Reads with a maximum age: what was confirmed too long ago is missing.
///
/// They take the way that reads take which apply queued writes, so that others pay nothing for them.
extension Reconstructor {
    /// Makes what `limit` does not accept missing from the read that has begun.
    func limitAges(_ limit: AgeLimit) {
        unsafe state.pointee.ageLimit = limit
        unsafe state.pointee.hasPending = true
    }

    /// Why the record that was asked for last is not there.
    var absence: CacheMiss.Reason {
        if unsafe state.pointee.isExpired { return .expired }
        return unsafe state.pointee.isInvalidated ? .invalidated : .absent
    }

    /// Whether what `projection` reads of the current record, which several projections wrote, is young enough.
    func isYoungEnough(_ table: ProjectionTable, fieldCount: Int, as projection: UnsafeRawBufferPointer) -> Bool {
        guard let limit = unsafe state.pointee.ageLimit else { return true }
        return unsafe limit.accepts(table, fieldCount: fieldCount, as: projection)
    }
}

extension ReadState {
    /// Whether the record in `bytes`, under the current key, is young enough; damage is for others to find, and a record
    /// of several projections is judged when it is known which of them is read.
    func isYoungEnough(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let ageLimit, let header = unsafe try? RecordHeader(bytes, key: key.bytes) else { return true }
        return header.flags.contains(.projections) || ageLimit.accepts(header)
    }
}
