/// The `Encoder` that a `Codable` value is shown: it collects, and writes nothing by itself.
///
/// Its coding path is always empty: a value is encoded when it is known where it stands, apart from what holds it.
struct CollectingEncoder: Encoder {
    let session: EncodingSession
    let box: EncodingBox

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        box.become(.keyed, in: session)
        return KeyedEncodingContainer(CollectingKeyedContainer(session: session, box: box))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        box.become(.unkeyed, in: session)
        return CollectingUnkeyedContainer(session: session, box: box)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        CollectingSingleValueContainer(session: session, box: box)
    }
}

/// The fields of one value.
struct CollectingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let session: EncodingSession
    let box: EncodingBox

    var codingPath: [any CodingKey] { [] }

    private func add(_ key: Key, _ item: EncodingItem) { box.append(item, key: key.stringValue) }

    private func leaf(_ key: Key, _ write: (inout ByteBuffer) -> Void) throws {
        try session.check()
        add(key, session.leaf(write))
    }

    private func integer(_ key: Key, _ value: some FixedWidthInteger) throws {
        try leaf(key) { $0.appendNumber(value) }
    }

    private func present<Value>(_ value: Value?, _ key: Key, _ encode: (Value) throws -> Void) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try encode(value)
    }

    func encodeNil(forKey key: Key) throws { try leaf(key) { $0.append(CBORMajor.simple | 22) } }
    func encode(_ value: Bool, forKey key: Key) throws { try leaf(key) { $0.appendBool(value) } }
    func encode(_ value: String, forKey key: Key) throws { try leaf(key) { $0.appendText(value) } }
    func encode(_ value: Double, forKey key: Key) throws { try leaf(key) { $0.appendFloat(value) } }
    func encode(_ value: Float, forKey key: Key) throws {
        try leaf(key) { $0.appendFloat(singleBits: value.bitPattern) }
    }
    func encode(_ value: Int, forKey key: Key) throws { try integer(key, value) }
    func encode(_ value: Int8, forKey key: Key) throws { try integer(key, value) }
    func encode(_ value: Int16, forKey key: Key) throws { try integer(key, value) }
    func encode(_ value: Int32, forKey key: Key) throws { try integer(key, value) }
    func encode(_ value: Int64, forKey key: Key) throws { try integer(key, value) }
    func encode(_ value: UInt, forKey key: Key) throws { try integer(key, value) }
    func encode(_ value: UInt8, forKey key: Key) throws { try integer(key, value) }
    func encode(_ value: UInt16, forKey key: Key) throws { try integer(key, value) }
    func encode(_ value: UInt32, forKey key: Key) throws { try integer(key, value) }
    func encode(_ value: UInt64, forKey key: Key) throws { try integer(key, value) }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try session.check()
        add(key, EncodingItem(content: .value(value, isPresent: false)))
    }

    // A `nil` is stored as null, as a field table stores it; the protocol's own defaults leave it out.

    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws {
        try present(value, key) { try encode($0, forKey: key) }
    }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws {
        try present(value, key) { try encode($0, forKey: key) }
    }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws {
        try present(value, key) { try encode($0, forKey: key) }
    }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws {
        try present(value, key) { try encode($0, forKey: key) }
    }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try present(value, key) { try integer(key, $0) } }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try present(value, key) { try integer(key, $0) } }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try present(value, key) { try integer(key, $0) } }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try present(value, key) { try integer(key, $0) } }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try present(value, key) { try integer(key, $0) } }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try present(value, key) { try integer(key, $0) } }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try present(value, key) { try integer(key, $0) } }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try present(value, key) { try integer(key, $0) } }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try present(value, key) { try integer(key, $0) } }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try present(value, key) { try integer(key, $0) } }

    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        try session.check()
        guard let value else { return try encodeNil(forKey: key) }
        add(key, EncodingItem(content: .value(value, isPresent: true)))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type, forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        nested(key.stringValue).container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        nested(key.stringValue).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { nested("super") }

    func superEncoder(forKey key: Key) -> any Encoder { nested(key.stringValue) }

    private func nested(_ key: String) -> CollectingEncoder {
        let inner = session.makeBox(inside: box)
        if session.failure == nil, session.isOpen { box.append(EncodingItem(content: .box(inner)), key: key) }
        return CollectingEncoder(session: session, box: inner)
    }
}

extension ByteBuffer {
    /// Appends a Boolean.
    mutating func appendBool(_ value: Bool) { append(CBORMajor.simple | (value ? 21 : 20)) }

    /// Appends an integer of at most 64 bits.
    mutating func appendNumber(_ value: some FixedWidthInteger) {
        if let value = Int64(exactly: value) {
            appendInteger(value)
        } else {
            appendHead(CBORMajor.unsigned, UInt64(truncatingIfNeeded: value))
        }
    }
}
