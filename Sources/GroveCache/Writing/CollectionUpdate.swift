/// What a queued call does to one collection, for reads that apply it before it is committed.
struct CollectionUpdate {
    enum Change {
        /// Sets it to an encoded array.
        case set([UInt8])
        /// Changes some of its elements.
        case edit(CollectionEdit)
        /// Forgets it.
        case forget
    }

    let change: Change
    /// Of which held list it is, if any.
    let held: HeldEdit?
    /// The number of the call.
    let sequence: UInt64
    /// When the call was made, in seconds since 1970; 0 where that is not known.
    let time: UInt32
}
