import Synchronization

/// How often something happened that a read must not miss between its look at the queue and its view of the store: a call
/// failed, or the store was opened again.
final class ReadEpoch: Sendable {
    private let number = Atomic<UInt64>(1)

    var current: UInt64 { number.load(ordering: .acquiring) }

    func advance() { number.add(1, ordering: .releasing) }
}
