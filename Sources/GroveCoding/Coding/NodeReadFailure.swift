public import GroveModel

/// The reason why a node could not be decoded.
///
/// It is thrown up to the nearest ancestor that can be read without the node.
public enum NodeReadFailure: Error, Sendable {
    /// A required child was deleted: an optional above it reads `nil`, and an array drops the element.
    case deleted
    /// The stored value is not of the reading type.
    case otherShape
    /// The record lacks a field that the reading type needs.
    case incomplete
    /// The stored bytes are not a record that Grove wrote.
    case corrupted
    /// A node below is missing.
    case miss(CacheMiss)
    /// The read failed with an error.
    case failed(CacheError)
}
