import GroveModel

/// An object that is told when others change a ``CollectionDataProvider``'s data.
@MainActor
public protocol CollectionDataProviderDelegate: AnyObject {
    /// The data changed, and not by this provider itself. Called once per update, on the main actor.
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
    /// Who made the change.
    public let origin: ChangeOrigin
    /// The context that was passed along with the change.
    public let context: (any Sendable)?
}
