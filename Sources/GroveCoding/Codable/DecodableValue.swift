/// The reading of a value of a `Codable` type that ``CodableValue`` wrote.
enum DecodableValue {
    /// Reads an optional of `type`: null, or a value as ``CodableValue/encodePresent(_:to:)`` writes it.
    static func decodePresent<Value: Decodable>(
        _ type: Value.Type, from decoder: inout NodeDecoder, inside outer: RecordDecoder, key: (any CodingKey)?
    ) throws(NodeReadFailure) -> Value? {
        if try decoder.readNull() { return nil }
        let coding = decodeCoding(of: type)
        switch coding.nullity {
        case .never: break
        case .always: guard try decoder.readArrayHead() == 1 else { throw .otherShape }
        case .unknown:
            var copy = decoder
            if unsafe CodableValue.isWrappedNull(try copy.readEncoded()) { _ = try decoder.readArrayHead() }
        }
        return try decodeUnlessDeleted(coding, from: &decoder, inside: outer, key: key)
    }

    /// Reads the value at the cursor, or moves past it and returns `nil` if a node that it needs was deleted.
    static func decodeUnlessDeleted<Value: Decodable>(
        _ coding: DecodeCoding<Value>, from decoder: inout NodeDecoder, inside outer: RecordDecoder,
        key: (any CodingKey)?
    ) throws(NodeReadFailure) -> Value? {
        let start = decoder
        do throws(NodeReadFailure) {
            return try coding.decode(from: &decoder, inside: outer, key: key)
        } catch {
            guard case .deleted = error else { throw error }
            decoder = start
            try decoder.skip()
            return nil
        }
    }
}
