import Synchronization

/// A count of events that a read must not miss between its look at the queue and its view of the store.
///
/// It advances if a call fails, or the store is opened again.
final class ReadEpoch: Sendable {
    /// The number of those events; two looks see the same number if none happened between them.
    struct Number: Hashable, Sendable {
        fileprivate let rawValue: UInt64
    }

    private let number = Atomic<UInt64>(1)

    var current: Number { Number(rawValue: number.load(ordering: .acquiring)) }

    func advance() { number.add(1, ordering: .releasing) }
}
