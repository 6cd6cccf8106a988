/// A `Codable` model as a cache sees it: the same records that a ``CacheableModel`` writes, by way of `Encoder` and
/// `Decoder`.
package struct CodableNode<Base: SimpleModel & Codable>: CacheableModel {
    package let base: Base

    package init(_ base: Base) { self.base = base }

    package static var recordName: String { Base.recordName }
    package static var projectionName: String { Base.projectionName }
    package static var fields: FieldTable { .dynamic }
    package var modelIdentifier: ModelIdentifier? { base.modelIdentifier }

    package func isEqual(to model: any SimpleModel) -> Bool {
        guard let other = model as? Self else { return false }
        return base.isEqual(to: other.base)
    }

    package func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        throw CacheError(.notCacheable, "The Codable path is being written.")
    }

    package static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> CodableNode {
        throw .otherShape
    }
}
