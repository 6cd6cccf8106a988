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
    /// Called once per update, and once for all the updates that came while the listener was paused. The listener may
    /// post and delete models, and add and remove listeners.
    ///
    /// Not called while ``currentModel()`` is `nil`, or has another identifier than the model that the listener was
    /// added with. Such a listener now shows another model, and adds itself again for it.
    ///
    /// - Parameters:
    ///   - model: the newest version of the whole tree; `nil` if its root was deleted.
    ///   - updates: the models of the tree that changed, and those that were deleted.
    ///   - context: the context of the call that posted the change; of several, the last.
    func modelUpdated(_ model: (any ConsistencyManagerModel)?, updates: ModelUpdates, context: (any Sendable)?)
}
