public import GroveModel

/// What happened to one model in an update.
public enum ModelChange: Sendable {
    /// The model was posted, once per projection, in order.
    case updated([any ConsistencyManagerModel])
    /// The model was deleted.
    case deleted
}
