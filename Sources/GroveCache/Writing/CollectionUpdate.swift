import GroveModel

/// The change that a queued call makes to one collection, for reads that apply it before it is committed.
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
    /// The number after which calls are later than the place that it is as of; `nil` if that is the call itself.
    let since: CallNumber?
    /// The number of the call.
    let call: CallNumber
    /// The time at which its content was confirmed, in seconds since 1970; 0 if it confirms nothing.
    let time: UInt32
}

/// The effect of an encoded list on the one that is stored.
enum WholeList: Sendable {
    /// It replaces it.
    case set
    /// It is the first page of it: elements behind it may stay.
    case page
    /// It is the list as it was: it replaces lost parts, or is the list if none is stored.
    case fill
}
