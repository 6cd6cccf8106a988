package import GroveModel

/// A `Codable` model as a ``CacheableModel``: it has the same records, which are coded through `Encoder` and `Decoder`.
///
/// An identified child becomes a reference to a record of its own, whatever its type conforms to. An unidentified one
/// is written in place. An identified enum has no record of its own if its case `K` has one unlabelled payload, a model
/// of the same identifier. It then uses the payload's record, and the reference holds `K`.
package struct CodableNode<Base: SimpleModel & Codable>: CacheableModel {
    /// The model itself.
    package let base: Base

    /// Wraps `base`.
    package init(_ base: Base) { self.base = base }

    package static var recordName: String { Base.recordName }
    package static var projectionName: String { Base.projectionName }
    package static var fields: FieldTable { .dynamic }
    package var modelIdentifier: ModelIdentifier? { base.modelIdentifier }

    package func isEqual(to model: any SimpleModel) -> Bool {
        guard let other = model as? Self else { return false }
        return base.isEqual(to: other.base)
    }

    // MARK: Encoding

    package func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) {
        try encoder.encodeCodable(base)
    }

    package func encodeFields(to node: inout NodeEncoder) throws(CacheError) { try node.encodeByItself(base) }

    // MARK: Decoding

    package static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> CodableNode {
        CodableNode(try decoder.decodeCodable(Base.self))
    }

    package static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> CodableNode {
        // User code reads fields in any order, and children in between, so the bytes must stay valid.
        let value = node.reading(try node.setAside())
        return CodableNode(try DecodingSession.decode(Base.self, from: value))
    }
}
