/// The fields of one value of a record.
///
/// A field that is null reads as `nil` if it may. An absent field does so only if the record's own writer left it out:
/// a field that another projection lacks is a miss.
struct RecordKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: RecordDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] { decoder.allNames.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { decoder.contains(key.stringValue) }

    func decodeNil(forKey key: Key) throws -> Bool {
        var value = try decoder.field(key.stringValue)
        return try value.readNull()
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try decoder.read(type, key.stringValue) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try decoder.read(type, key.stringValue) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try decoder.read(type, key.stringValue) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try decoder.read(type, key.stringValue) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try decoder.read(type, key.stringValue) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try decoder.read(type, key.stringValue) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try decoder.read(type, key.stringValue) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try decoder.read(type, key.stringValue) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try decoder.read(type, key.stringValue) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try decoder.read(type, key.stringValue) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try decoder.read(type, key.stringValue) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try decoder.read(type, key.stringValue) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try decoder.read(type, key.stringValue) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try decoder.read(type, key.stringValue) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        guard let value = try decoder.find(key.stringValue) else { return try absent(type) }
        return try decoder.decode(type, value, key: key)
    }

    /// The value of an absent field: an optional that is decoded as such may be absent like one that is decoded if
    /// present.
    @inline(never)
    private func absent<Value: Decodable>(_ type: Value.Type) throws -> Value {
        guard let optional = type as? any ExpressibleByNilLiteral.Type,
            let none = optional.init(nilLiteral: ()) as? Value, decodeCoding(of: type).nullity == .always
        else { throw NodeReadFailure.incomplete }
        return none
    }

    @inline(__always)
    private func find<Value: NodeCodable>(_ type: Value.Type, _ key: Key) throws -> Value? {
        try decoder.readIfPresent(type, key.stringValue)
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try find(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try find(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try find(type, key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try find(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try find(type, key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try find(type, key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try find(type, key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try find(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try find(type, key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try find(type, key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try find(type, key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try find(type, key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try find(type, key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try find(type, key) }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let value = try decoder.find(key.stringValue) else { return nil }
        return try decoder.decodePresent(type, value, key: key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try decoder.nested(decoder.field(key.stringValue), key: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder.nested(decoder.field(key.stringValue), key: key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        guard let value = try decoder.find("super") else { throw NodeReadFailure.incomplete }
        return try decoder.nested(value, key: EntryKey(stringValue: "super"))
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        try decoder.nested(decoder.field(key.stringValue), key: key)
    }
}
