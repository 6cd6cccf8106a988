/// A `Codable` model as a cache sees it: the same records that a ``CacheableModel`` writes, by way of `Encoder` and
/// `Decoder`.
///
/// An identified child becomes a reference to a record of its own, whatever its type conforms to; an unidentified one
/// stands in place. An identified enum whose case `K` carries one unlabelled payload, a model of the same identifier,
/// has no record of its own: it is the payload's record, and `K` is kept in the reference.
package struct CodableNode<Base: SimpleModel & Codable>: CacheableModel {
    /// The model itself.
    package let base: Base

    /// What the model's `encode(to:)` wrote, where it has been asked already.
    private let collected: CollectedValue?

    /// Wraps `base`.
    package init(_ base: Base) { self.init(base, collected: nil) }

    /// Wraps `base`, whose `encode(to:)` has run already.
    init(_ base: Base, collected: CollectedValue?) {
        self.base = base
        self.collected = collected
    }

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
        let collected = try CollectedValue(base)
        if let (caseName, payload) = try collected.nodeCase(of: base) {
            return try CodableValue.encodeNode(payload, caseName: caseName, to: &encoder)
        }
        try encoder.encodeModel(CodableNode(base, collected: collected))
    }

    package func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        if let collected { return try collected.write(to: &node) }
        try CollectedValue(base).write(to: &node)
    }

    // MARK: Decoding

    package static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> CodableNode {
        guard let reference = try decoder.readReference() else { return try decoder.decodeFields(Self.self) }
        guard let caseName = reference.caseName else { return try decoder.node(Self.self, reference) }
        // The reference is shown to the enum's initialiser in the layout that it would have in place.
        var shown = ByteBuffer(capacity: 64)
        defer { shown.deallocate() }
        shown.appendHead(CBORMajor.map, 1)
        shown.appendText(caseName)
        shown.appendHead(CBORMajor.map, 1)
        shown.appendText(CollectedValue.payloadKey)
        shown.appendHead(CBORMajor.tag, CBORTag.reference)
        unsafe shown.appendHead(CBORMajor.text, UInt64(reference.identifierBytes.count))
        unsafe shown.append(reference.identifierBytes)
        let inPlace = unsafe NodeDecoder(
            decoder.source.keep(shown.bytes), source: decoder.source, isStable: true, isOwnProjection: true)
        return CodableNode(try DecodingSession.decode(Base.self, from: inPlace))
    }

    package static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> CodableNode {
        // User code reads fields in any order and children in between, so the bytes have to stay.
        let value = node.reading(try node.setAside())
        return CodableNode(try DecodingSession.decode(Base.self, from: value))
    }
}
