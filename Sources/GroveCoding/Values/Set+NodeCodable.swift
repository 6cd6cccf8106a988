public import GroveModel

/// A set is stored as an array with its elements in the order of their encodings.
///
/// An element that needs a deleted node is dropped.
extension Set: NodeCodable where Element: NodeCodable {
    /// See ``NodeCodable/holdsReferences``.
    @_documentation(visibility: internal)
    public static var holdsReferences: Bool { Element.holdsReferences }

    /// Writes the value as the type's description says.
    @_documentation(visibility: internal)
    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) {
        encoder.writeArrayHead(count: count)
        let elements = Array(self)
        let order = try encoder.sortedEncodings(count: elements.count) { (index, encoder) throws(CacheError) in
            try elements[index].encodeValue(to: &encoder)
        }
        for (_, element) in order { encoder.writeEncoded(element) }
    }

    /// Reads the value back; throws `otherShape` if a value of another type is stored.
    @_documentation(visibility: internal)
    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> Set<Element> {
        let count = try decoder.readArrayHead()
        var set: Set<Element> = []
        set.reserveCapacity(Swift.min(count, 1_024))
        var order = EncodingOrder()
        for _ in 0..<count {
            try order.check(decoder)
            if let element = try decoder.decodeUnlessDeleted(Element.self) { set.insert(element) }
        }
        return set
    }
}
