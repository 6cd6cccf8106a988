import Synchronization

/// A Boolean that threads share.
final class Flag: Sendable {
    private let isSet = Atomic(false)

    var value: Bool {
        get { isSet.load(ordering: .acquiring) }
        set { isSet.store(newValue, ordering: .releasing) }
    }
}
