public import GroveModel

/// A dictionary is stored as a map with its keys in the order of their encodings.
///
/// A value that needs a deleted node is dropped with its key.
extension Dictionary: NodeCodable where Key: NodeCodable, Value: NodeCodable {
    /// See ``NodeCodable/holdsReferences``.
    @_documentation(visibility: internal)
    public static var holdsReferences: Bool { Key.holdsReferences || Value.holdsReferences }

    /// Writes the value as the type's description says.
    @_documentation(visibility: internal)
    public func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) {
        encoder.writeMapHead(count: count)
        let entries = Array(self)
        let order = try encoder.sortedEncodings(count: entries.count) { (index, encoder) throws(CacheError) in
            try entries[index].key.encodeValue(to: &encoder)
        }
        for (index, key) in order {
            encoder.writeEncoded(key)
            try entries[index].value.encodeValue(to: &encoder)
        }
    }

    /// Reads the value back; throws `otherShape` if a value of another type is stored.
    @_documentation(visibility: internal)
    public static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> [Key: Value] {
        let absence = decoder.absence
        defer { decoder.absence = absence }
        let count = try decoder.readMapHead()
        decoder.absence = absence.insideField
        var dictionary: [Key: Value] = [:]
        dictionary.reserveCapacity(Swift.min(count, 1_024))
        var order = EncodingOrder()
        for _ in 0..<count {
            try order.check(decoder)
            guard let key = try decoder.decodeUnlessDeleted(Key.self) else {
                try decoder.skip()
                continue
            }
            guard let value = try decoder.decodeUnlessDeleted(Value.self) else { continue }
            guard dictionary.updateValue(value, forKey: key) == nil else { throw .otherShape }
        }
        return dictionary
    }
}
