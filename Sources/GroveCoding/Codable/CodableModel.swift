public import GroveModel

/// A model that a cache stores by its `Codable` conformance, without the macro: it is slower, and the records are the
/// same.
///
/// ```swift
/// struct Person: CodableModel, Equatable {
///     let id: Int
///     let name: String
///     var modelIdentifier: ModelIdentifier? { "Person:\(id)" }
/// }
/// ```
///
/// A child with an identifier becomes a reference to a record of its own, whatever its type conforms to. A child
/// without one is stored inside its parent's record. If a case of an enum carries one unlabelled payload, a model of
/// the same identifier, the enum has no record of its own. The payload's record is stored, and the reference keeps the
/// case.
///
/// In memory the model is one value, so its provider is not told of changes to its children. Let a type with identified
/// children also conform to `Model`: then it is consistent node by node; see Docs/Guides/Cacheable.md.
///
/// If a stored record lacks a property, your `init(from:)` decides how it reads: as `nil` if the property is optional.
public protocol CodableModel: CacheableModel, Codable {}

extension CodableModel {
    /// The fields that `encode(to:)` writes.
    @_documentation(visibility: internal)
    public static var fields: FieldTable { .dynamic }

    /// Writes the value by its `encode(to:)`.
    @_documentation(visibility: internal)
    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) { try encoder.encodeCodable(self) }

    /// Writes the fields by `encode(to:)`.
    @_documentation(visibility: internal)
    public func encodeFields(to node: inout NodeEncoder) throws(CacheError) { try node.encodeByItself(self) }

    /// Reads the value by its `init(from:)`.
    @_documentation(visibility: internal)
    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> Self {
        try decoder.decodeCodable(Self.self)
    }

    /// Reads the fields by `init(from:)`.
    @_documentation(visibility: internal)
    public static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Self {
        // User code reads fields in any order, and children in between, so the bytes must stay valid.
        let value = node.reading(try node.setAside())
        return try DecodingSession.decode(Self.self, from: value)
    }
}

extension CodableModel where Self: Equatable {
    /// Whether `model` is of this type and equal; a NaN is equal to a NaN of the same bits.
    @_documentation(visibility: internal)
    public func isEqual(to model: any SimpleModel) -> Bool {
        guard let other = model as? Self else { return false }
        return self == other || NodeEncoder.areSameButForNaN(self, other)
    }
}

extension PageCursors: CodableModel {}
