public import GroveModel

/// A model that a cache stores by way of its `Codable` conformance, without the macro: slower, the same records.
///
/// ```swift
/// struct Person: CodableModel, Equatable {
///     let id: Int
///     let name: String
///     var modelIdentifier: ModelIdentifier? { "Person:\(id)" }
/// }
/// ```
///
/// An identified child becomes a reference to a record of its own, whatever its type conforms to; an unidentified one stands
/// inside its parent's record. An enum whose case carries one unlabelled payload, a model of the same identifier, has no
/// record of its own: it is the payload's record, and the reference keeps the case.
///
/// In memory it is one value: a provider of it is not told of changes of its children. A type with identified children
/// conforms to `Model` too, and is consistent node by node then; see Docs/Guides/Cacheable.md.
///
/// A property that a stored record does not have reads as your `init(from:)` says: `nil` where it is optional.
public protocol CodableModel: CacheableModel, Codable {}

extension CodableModel {
    /// The fields are those that `encode(to:)` writes.
    public static var fields: FieldTable { .dynamic }

    /// Writes the value by its `encode(to:)`.
    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) { try encoder.encodeCodable(self) }

    /// Writes the fields by `encode(to:)`.
    public func encodeFields(to node: inout NodeEncoder) throws(CacheError) { try node.encodeByItself(self) }

    /// Reads the value by its `init(from:)`.
    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> Self {
        try decoder.decodeCodable(Self.self)
    }

    /// Reads the fields by `init(from:)`.
    public static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Self {
        // User code reads fields in any order and children in between, so the bytes have to stay.
        let value = node.reading(try node.setAside())
        return try DecodingSession.decode(Self.self, from: value)
    }
}

extension CodableModel where Self: Equatable {
    /// Whether `model` is of this type and equal: a NaN to itself too, by its bits.
    public func isEqual(to model: any SimpleModel) -> Bool {
        guard let other = model as? Self else { return false }
        return self == other || NodeEncoder.areSameButForNaN(self, other)
    }
}
