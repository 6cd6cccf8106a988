public import GroveModel

/// What happened to one model in an update.
public enum ModelChange: Sendable {
    /// The model was posted: one version of each projection, the last, however many places of the tree hold the model.
    case updated([any ConsistencyManagerModel])
    /// The model was deleted.
    case deleted
}
