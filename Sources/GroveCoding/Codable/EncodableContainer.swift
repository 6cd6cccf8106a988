import GroveModel

/// A container of the standard library whose elements are `Encodable`, written as the ``NodeCodable`` conformance of
/// the same container would write it.
protocol EncodableContainer {
    /// Writes exactly one value.
    func encodeElements(to encoder: inout NodeEncoder) throws(CacheError)
}

extension Optional: EncodableContainer where Wrapped: Encodable {
    func encodeElements(to encoder: inout NodeEncoder) throws(CacheError) {
        switch self {
        case .none: encoder.writeNull()
        case .some(let value): try CodableValue.encodePresent(value, to: &encoder)
        }
    }
}

extension Array: EncodableContainer where Element: Encodable {
    func encodeElements(to encoder: inout NodeEncoder) throws(CacheError) {
        encoder.writeArrayHead(count: count)
        for element in self { try CodableValue.encode(element, to: &encoder) }
    }
}

extension Set: EncodableContainer where Element: Encodable {
    func encodeElements(to encoder: inout NodeEncoder) throws(CacheError) {
        encoder.writeArrayHead(count: count)
        let elements = Array(self)
        let order = try encoder.sortedEncodings(count: elements.count) { (index, encoder) throws(CacheError) in
            try CodableValue.encode(elements[index], to: &encoder)
        }
        for (_, element) in order { encoder.writeEncoded(element) }
    }
}

extension Dictionary: EncodableContainer where Key: Encodable, Value: Encodable {
    func encodeElements(to encoder: inout NodeEncoder) throws(CacheError) {
        encoder.writeMapHead(count: count)
        let entries = Array(self)
        let order = try encoder.sortedEncodings(count: entries.count) { (index, encoder) throws(CacheError) in
            try CodableValue.encode(entries[index].key, to: &encoder)
        }
        for (index, key) in order {
            encoder.writeEncoded(key)
            try CodableValue.encode(entries[index].value, to: &encoder)
        }
    }
}
