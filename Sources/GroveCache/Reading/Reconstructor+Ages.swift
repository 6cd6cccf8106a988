import GroveModel

/// Reads with a maximum age: what was confirmed too long ago is missing.
///
/// They take the way that reads take which apply queued writes, so that others pay nothing for them.
extension Reconstructor {
    /// Makes what `limit` does not accept missing from the read that has begun.
    func limitAges(_ limit: AgeLimit) {
        unsafe state.pointee.basis.limitAges(limit)
    }

    /// Why the record that was asked for last is not there.
    var absence: CacheMiss.Reason { unsafe state.pointee.lastFetch.absence }
}
