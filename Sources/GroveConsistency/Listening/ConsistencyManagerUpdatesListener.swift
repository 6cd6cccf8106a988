public import GroveModel

/// An object that is told of every update, whether or not its models have listeners.
@MainActor
public protocol ConsistencyManagerUpdatesListener: AnyObject, Sendable {
    /// `model` was posted or deleted.
    ///
    /// Called after the listeners of its models, in the same turn of the main actor.
    ///
    /// - Parameters:
    ///   - model: the model that was posted or deleted, with everything in it.
    ///   - changes: each identified model in it, once, whether or not it differs from the versions that listeners hold.
    func consistencyManager(
        _ consistencyManager: ConsistencyManager, updatedModel model: any ConsistencyManagerModel,
        changes: [ModelIdentifier: ModelChange], context: (any Sendable)?)
}
