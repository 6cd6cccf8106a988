public import GroveModel

/// An object that holds a tree of models and wants its newest version.
///
/// A listener is held weakly and need not be removed. Both methods are called on the main actor.
@MainActor
public protocol ConsistencyManagerListener: AnyObject, Sendable {
    /// The model that the listener holds now; asked for when it is added, and before it is told.
    func currentModel() -> (any ConsistencyManagerModel)?

    /// The model changed.
    ///
    /// Called once per update, and once for all the updates that came while the listener was paused. It may post and
    /// delete models and add and remove listeners.
    ///
    /// Not called while ``currentModel()`` is `nil` or has another identifier than the model that the listener was added
    /// with: it shows something else now, and adds itself to that.
    ///
    /// - Parameters:
    ///   - model: the newest version of the whole tree; `nil` where its root was deleted.
    ///   - updates: which models of the tree changed.
    ///   - context: what the poster of the change passed along; of several, the last.
    func modelUpdated(_ model: (any ConsistencyManagerModel)?, updates: ModelUpdates, context: (any Sendable)?)
}
