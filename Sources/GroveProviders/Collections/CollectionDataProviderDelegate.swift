import GroveModel

/// An object that is told when others change a ``CollectionDataProvider``'s data.
@MainActor
public protocol CollectionDataProviderDelegate: AnyObject {
    /// The data changed, but not by this provider itself; called once per update, on the main actor.
    ///
    /// - Parameters:
    ///   - collectionChanges: the changes, in an order in which they can be applied.
    ///   - context: the value that was passed along with the change.
    func collectionDataProviderHasUpdatedData<T>(
        _ dataProvider: CollectionDataProvider<T>, collectionChanges: CollectionChange, context: (any Sendable)?)
}

/// One change of a collection provider's data.
public struct CollectionDataChange: Sendable {
    /// The changes, in an order in which they can be applied.
    public let changes: CollectionChange
    /// The side that made the change: this provider, or others.
    public let origin: ChangeOrigin
    /// The context that was passed along with the change.
    public let context: (any Sendable)?
}
