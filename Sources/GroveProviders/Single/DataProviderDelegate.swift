import GroveModel
import GroveConsistency

/// An object that is told when others change a ``DataProvider``'s data.
@MainActor
public protocol DataProviderDelegate: AnyObject {
    /// The data changed, but not by this provider itself; called once per update, on the main actor.
    ///
    /// - Parameter context: the value that was passed along with the change.
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
