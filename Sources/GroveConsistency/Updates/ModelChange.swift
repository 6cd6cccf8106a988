public import GroveModel

/// The change of one model in an update.
public enum ModelChange: Sendable {
    /// The model was posted, in the last version of each projection; it is listed once, even if the tree holds it
    /// several times.
    case updated([any ConsistencyManagerModel])
    /// The model was deleted.
    case deleted
}
