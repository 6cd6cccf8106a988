import GroveModel
import GroveConsistency

/// Told when a ``DataProvider``'s data changes by somebody else.
@MainActor
public protocol DataProviderDelegate: AnyObject {
    /// The data changed, and not by this provider itself. Called once per update, on the main actor.
    ///
    /// - Parameter context: what whoever made the change passed along.
    func dataProviderHasUpdatedData<T>(_ dataProvider: DataProvider<T>, context: (any Sendable)?)
}

/// Passes the engine's news to a provider, which it does not retain.
@MainActor
final class ProviderRelay: DeliveryReceiver {
    weak var target: (any DeliveryReceiver)?

    init() {}

    func receive(_ delivery: Delivery) { target?.receive(delivery) }

    func finishUpdate(context: (any Sendable)?) { target?.finishUpdate(context: context) }
}
