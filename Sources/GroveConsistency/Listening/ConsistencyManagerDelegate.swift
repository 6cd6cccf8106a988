public import GroveModel

/// An observer of a ``ConsistencyManager``, for diagnosis.
///
/// Neither method has a default, so the compiler reports an implementation whose parameters do not match.
@MainActor
public protocol ConsistencyManagerDelegate: AnyObject, Sendable {
    /// A model that has listeners is replaced by another version.
    ///
    /// Called before the listeners are told, in the same turn of the main actor, once for each place that holds the
    /// model. Listeners of equal models share their places.
    func consistencyManager(
        _ consistencyManager: ConsistencyManager, willReplaceModel oldModel: any ConsistencyManagerModel,
        withModel newModel: (any ConsistencyManagerModel)?, context: (any Sendable)?)

    /// A call could not be carried out: a `CacheError` with code `unidentified` (a delete of a model without an
    /// identifier), or `tooManyPaths` (a tree of more than a million nodes). The state is as it was before the call.
    func consistencyManager(_ consistencyManager: ConsistencyManager, failedWithCriticalError error: any Error)
}
