import GroveModel

/// Reads with a maximum age: records that were confirmed too long ago are missing.
///
/// They take the path of reads that apply queued writes, so that other reads pay nothing for them.
extension Reconstructor {
    /// Makes records that `limit` does not accept missing from the tree that has begun.
    func limitAges(_ limit: AgeLimit) {
        unsafe state.pointee.basis.limitAges(limit)
    }

    /// The reason why the record that was asked for last is not there.
    var absence: CacheMiss.Reason { unsafe state.pointee.absence }
}
