/// How a value of a `Codable` type is read from where ``CodableValue`` put it.
enum DecodableValue {
    /// Reads the value at the cursor, which it moves past.
    static func decode<Value: Decodable>(
        _ type: Value.Type, from decoder: inout NodeDecoder, inside outer: RecordDecoder, key: (any CodingKey)?
    ) throws(NodeReadFailure) -> Value {
        if let known = type as? any NodeCodable.Type { return try decode(known, &decoder, as: type) }
        if let known = type as? any DecodableContainer.Type { return try decode(known, &decoder, outer, key, as: type) }
        if let known = type as? any (SimpleModel & Codable).Type { return try decode(known, &decoder, as: type) }
        let encoded = unsafe try decoder.readEncoded()
        let value = unsafe NodeDecoder(
            encoded, source: decoder.source, isStable: true, isOwnProjection: decoder.isOwnProjection)
        let inner = try outer.nested(value, key: key)
        return unsafe try decoder.source.nested { () throws(NodeReadFailure) in try outer.session.run(type, inner) }
    }

    private static func decode<Known: NodeCodable, Value>(
        _ known: Known.Type, _ decoder: inout NodeDecoder, as type: Value.Type
    ) throws(NodeReadFailure) -> Value {
        try same(try Known.decodeValue(from: &decoder))
    }

    private static func decode<Known: DecodableContainer, Value>(
        _ known: Known.Type, _ decoder: inout NodeDecoder, _ outer: RecordDecoder, _ key: (any CodingKey)?,
        as type: Value.Type
    ) throws(NodeReadFailure) -> Value {
        try same(try Known.decodeElements(from: &decoder, inside: outer, key: key))
    }

    private static func decode<Known: SimpleModel & Codable, Value>(
        _ known: Known.Type, _ decoder: inout NodeDecoder, as type: Value.Type
    ) throws(NodeReadFailure) -> Value {
        try same(try CodableNode<Known>.decodeValue(from: &decoder).base)
    }

    /// `value` as the very type that it has.
    private static func same<Value>(_ value: some Any) throws(NodeReadFailure) -> Value {
        guard let value = value as? Value else { throw .otherShape }
        return value
    }

    /// Reads an optional of `type`: null, or a value as ``CodableValue/encodePresent(_:to:)`` writes it.
    static func decodePresent<Value: Decodable>(
        _ type: Value.Type, from decoder: inout NodeDecoder, inside outer: RecordDecoder, key: (any CodingKey)?
    ) throws(NodeReadFailure) -> Value? {
        if try decoder.readNull() { return nil }
        switch CodableValue.nullity(of: type) {
        case .never: break
        case .always: guard try decoder.readArrayHead() == 1 else { throw .otherShape }
        case .unknown:
            var copy = decoder
            if unsafe CodableValue.isWrappedNull(try copy.readEncoded()) { _ = try decoder.readArrayHead() }
        }
        return try decodeUnlessDeleted(type, from: &decoder, inside: outer, key: key)
    }

    /// Reads the value at the cursor, or moves past it and returns `nil` where a node that it needs was deleted.
    static func decodeUnlessDeleted<Value: Decodable>(
        _ type: Value.Type, from decoder: inout NodeDecoder, inside outer: RecordDecoder, key: (any CodingKey)?
    ) throws(NodeReadFailure) -> Value? {
        let start = decoder
        do throws(NodeReadFailure) {
            return try decode(type, from: &decoder, inside: outer, key: key)
        } catch {
            guard case .deleted = error else { throw error }
            decoder = start
            try decoder.skip()
            return nil
        }
    }
}
