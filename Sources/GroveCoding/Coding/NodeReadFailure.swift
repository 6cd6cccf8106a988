public import GroveModel

/// Why a node could not be decoded, on its way up to the nearest ancestor that can do without it.
public enum NodeReadFailure: Error, Sendable {
    /// A required child was deleted: an optional above reads `nil`, an array drops the element.
    case deleted
    /// What is stored is not of the type that reads it.
    case otherShape
    /// The record lacks a field that the reading type needs.
    case incomplete
    /// The stored bytes are not a record that Grove wrote.
    case corrupted
    /// A node below is missing.
    case miss(CacheMiss)
    /// The cache could not find out.
    case failed(CacheError)
}
