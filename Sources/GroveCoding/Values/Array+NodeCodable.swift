public import GroveModel

/// An array keeps its order and duplicates; an element that needs a deleted node is dropped.
extension Array: NodeCodable where Element: NodeCodable {
    /// See ``NodeCodable/holdsReferences``.
    @_documentation(visibility: internal)
    @inlinable
    public static var holdsReferences: Bool { Element.holdsReferences }

    /// Writes the value as the type's description says.
    @_documentation(visibility: internal)
    @inlinable
    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) {
        encoder.writeArrayHead(count: count)
        for element in self { try element.encodeValue(to: &encoder) }
    }

    /// Reads the value back; throws `otherShape` if a value of another type is stored.
    @_documentation(visibility: internal)
    @inlinable
    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> [Element] {
        let count = try decoder.readArrayHead()
        var elements: [Element] = []
        // A count is at most the bytes that follow it, so the reserved memory stays a small multiple of them.
        elements.reserveCapacity(Swift.min(count, 1_024))
        for _ in 0..<count {
            if let element = try decoder.decodeUnlessDeleted(Element.self) { elements.append(element) }
        }
        return elements
    }
}
