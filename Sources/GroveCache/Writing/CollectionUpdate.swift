import GroveModel

/// What a queued call does to one collection, for reads that apply it before it is committed.
struct CollectionUpdate {
    enum Change {
        /// Sets it to an encoded array.
        case set([UInt8], WholeList)
        /// Changes some of its elements.
        case edit(ListOperation)
        /// Forgets it; with it, whether that is because a write of it could not be stored.
        case forget(isInvalidation: Bool)
    }

    let change: Change
    /// The number of the call, or of the place that it is as of.
    let sequence: CallNumber
    /// The number after which other calls came later than the place that it is as of; `nil` if that is the call itself.
    let since: CallNumber?
    /// The number of the call.
    let call: CallNumber
    /// When its content was confirmed, in seconds since 1970; 0 if it confirms nothing.
    let time: UInt32
}

/// What an encoded list does to the one that is stored.
enum WholeList: Sendable {
    /// It replaces it.
    case set
    /// It is the first page of it: what follows may stay.
    case page
    /// It is what the list was: it replaces what was lost, or all if nothing is stored.
    case fill
}
