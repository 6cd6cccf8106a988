/// A place in the queue of calls.
///
/// The queue gives it when a call is put into it. It orders the calls of one opening of the store by when they are
/// committed, which is not always the order in which they were made. Other changes of an ``Overlay`` take a place too,
/// so a reader's place says which entries it sees there.
struct QueuePlace: Comparable, Hashable, Sendable {
    let rawValue: UInt64

    /// Before the first call.
    static var zero: QueuePlace { QueuePlace(rawValue: 0) }
    /// Behind all calls.
    static var last: QueuePlace { QueuePlace(rawValue: .max) }

    static func < (one: QueuePlace, other: QueuePlace) -> Bool { one.rawValue < other.rawValue }

    /// The place of the next call.
    var next: QueuePlace { QueuePlace(rawValue: rawValue + 1) }
}
