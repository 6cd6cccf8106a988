public import GroveModel

/// The change of one model in an update.
public enum ModelChange: Sendable {
    /// The model was posted: the last version of each projection, however many places of the tree hold the model.
    case updated([any ConsistencyManagerModel])
    /// The model was deleted.
    case deleted
}
