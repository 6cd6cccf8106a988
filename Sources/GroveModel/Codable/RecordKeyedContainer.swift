/// The fields of one value of a record.
///
/// A field that is null reads as `nil` where it may, and one that is absent does so only where the record's own writer
/// left it out: what another projection lacks is a miss.
struct RecordKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: RecordDecoder
    let fields: RecordFields

    var codingPath: [any CodingKey] { decoder.codingPath }

    var allKeys: [Key] {
        guard decoder.session.isOpen else { return [] }
        return fields.names.compactMap { Key(stringValue: $0) }
    }

    func contains(_ key: Key) -> Bool {
        guard let value = try? decoder.open() else { return false }
        guard fields.value(of: key.stringValue) == nil else { return true }
        if !fields.isOwnProjection { unsafe decoder.session.noteUnknownAbsence(at: value.cursor) }
        return false
    }

    /// A decoder at the value of `key`, or `nil` where it is absent.
    private func find(_ key: Key) throws(NodeReadFailure) -> NodeDecoder? {
        try decoder.session.check()
        if let value = fields.value(of: key.stringValue) { return value }
        guard fields.isOwnProjection else { throw .incomplete }
        return nil
    }

    private func field(_ key: Key) throws(NodeReadFailure) -> NodeDecoder {
        guard let value = try find(key) else { throw .incomplete }
        return value
    }

    private func leaf<Value: NodeCodable>(_ type: Value.Type, _ key: Key) throws -> Value {
        var value = try field(key)
        return try Value.decodeValue(from: &value)
    }

    private func leafIfPresent<Value: NodeCodable>(_ type: Value.Type, _ key: Key) throws -> Value? {
        guard var value = try find(key), try !value.readNull() else { return nil }
        return try Value.decodeValue(from: &value)
    }

    func decodeNil(forKey key: Key) throws -> Bool {
        var value = try field(key)
        return try value.readNull()
    }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try leaf(type, key) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try leaf(type, key) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try leaf(type, key) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try leaf(type, key) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try leaf(type, key) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try leaf(type, key) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try leaf(type, key) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try leaf(type, key) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try leaf(type, key) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try leaf(type, key) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try leaf(type, key) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try leaf(type, key) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try leaf(type, key) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try leaf(type, key) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        guard let value = try find(key) else {
            // An optional that is decoded as such may be absent like one that is decoded if present.
            guard let type = type as? any ExpressibleByNilLiteral.Type, let none = type.init(nilLiteral: ()) as? Value,
                CodableValue.nullity(of: Value.self) == .always
            else { throw NodeReadFailure.incomplete }
            return none
        }
        return try decoder.decode(type, value, key: key)
    }

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try leafIfPresent(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try leafIfPresent(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try leafIfPresent(type, key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try leafIfPresent(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try leafIfPresent(type, key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try leafIfPresent(type, key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try leafIfPresent(type, key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try leafIfPresent(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try leafIfPresent(type, key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try leafIfPresent(type, key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try leafIfPresent(type, key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try leafIfPresent(type, key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try leafIfPresent(type, key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try leafIfPresent(type, key) }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let value = try find(key) else { return nil }
        return try decoder.decodePresent(type, value, key: key)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try decoder.nested(field(key), key: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder.nested(field(key), key: key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        try decoder.session.check()
        guard let value = fields.value(of: "super") else { throw NodeReadFailure.incomplete }
        return try decoder.nested(value, key: EntryKey(stringValue: "super"))
    }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder.nested(field(key), key: key) }
}
