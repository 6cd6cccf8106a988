import Synchronization

/// How often something happened that a read must not miss between its look at the queue and its view of the store: a call
/// failed, or the store was opened again.
final class ReadEpoch: Sendable {
    /// How often it has happened: the same for two looks if it did not happen between them.
    struct Number: Hashable, Sendable {
        fileprivate let rawValue: UInt64
    }

    private let number = Atomic<UInt64>(1)

    var current: Number { Number(rawValue: number.load(ordering: .acquiring)) }

    func advance() { number.add(1, ordering: .releasing) }
}
