/// The `Encoder` for a `Codable` value: it collects, and writes nothing by itself.
///
/// Its coding path is always empty: a value is encoded once its place is known, apart from the value that holds it.
struct CollectingEncoder: Encoder {
    let session: EncodingSession
    let box: EncodingBox

    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        unsafe box.state.pointee.becomeKeyed(by: ObjectIdentifier(type), in: session)
        return KeyedEncodingContainer(CollectingKeyedContainer(session: session, box: box))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        unsafe box.state.pointee.become(.unkeyed, in: session)
        return CollectingSequence(session: session, box: box, isSingle: false)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        CollectingSequence(session: session, box: box, isSingle: true)
    }
}

/// The fields of one value.
struct CollectingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let session: EncodingSession
    let box: EncodingBox

    var codingPath: [any CodingKey] { [] }

    @inline(__always)
    private func set(_ key: Key, _ append: (inout ByteBuffer) -> Void) throws {
        unsafe box.state.pointee.fields.set(key.stringValue, try session.leaf(append))
    }

    @inline(__always)
    private func leaf<Value>(_ value: Value?, _ key: Key, _ append: (inout ByteBuffer, Value) -> Void) throws {
        guard let value else { return try encodeNil(forKey: key) }
        try set(key) { append(&$0, value) }
    }

    func encodeNil(forKey key: Key) throws { try set(key) { $0.append(CBORMajor.simple | 22) } }
    func encode(_ value: Bool, forKey key: Key) throws { try leaf(value, key) { $0.appendBool($1) } }
    func encode(_ value: String, forKey key: Key) throws { try leaf(value, key) { $0.appendText($1) } }
    func encode(_ value: Double, forKey key: Key) throws { try leaf(value, key) { $0.appendFloat($1) } }
    func encode(_ value: Float, forKey key: Key) throws { try leaf(value, key) { $0.appendFloat($1) } }
    func encode(_ value: Int, forKey key: Key) throws { try leaf(value, key) { $0.appendNumber($1) } }
    func encode(_ value: Int8, forKey key: Key) throws { try leaf(value, key) { $0.appendNumber($1) } }
    func encode(_ value: Int16, forKey key: Key) throws { try leaf(value, key) { $0.appendNumber($1) } }
    func encode(_ value: Int32, forKey key: Key) throws { try leaf(value, key) { $0.appendNumber($1) } }
    func encode(_ value: Int64, forKey key: Key) throws { try leaf(value, key) { $0.appendNumber($1) } }
    func encode(_ value: UInt, forKey key: Key) throws { try leaf(value, key) { $0.appendNumber($1) } }
    func encode(_ value: UInt8, forKey key: Key) throws { try leaf(value, key) { $0.appendNumber($1) } }
    func encode(_ value: UInt16, forKey key: Key) throws { try leaf(value, key) { $0.appendNumber($1) } }
    func encode(_ value: UInt32, forKey key: Key) throws { try leaf(value, key) { $0.appendNumber($1) } }
    func encode(_ value: UInt64, forKey key: Key) throws { try leaf(value, key) { $0.appendNumber($1) } }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try session.check()
        unsafe box.state.pointee.fields.set(key.stringValue, session.postpone(value))
    }

    // A `nil` is stored as null, as a field table stores it; the protocol's own defaults leave it out.

    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try leaf(value, key) { $0.appendBool($1) } }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try leaf(value, key) { $0.appendText($1) } }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try leaf(value, key) { $0.appendFloat($1) } }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try leaf(value, key) { $0.appendFloat($1) } }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try leaf(value, key) { $0.appendNumber($1) } }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try leaf(value, key) { $0.appendNumber($1) } }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try leaf(value, key) { $0.appendNumber($1) } }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try leaf(value, key) { $0.appendNumber($1) } }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try leaf(value, key) { $0.appendNumber($1) } }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try leaf(value, key) { $0.appendNumber($1) } }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try leaf(value, key) { $0.appendNumber($1) } }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try leaf(value, key) { $0.appendNumber($1) } }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try leaf(value, key) { $0.appendNumber($1) } }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try leaf(value, key) { $0.appendNumber($1) } }

    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws {
        try session.check()
        guard let value else { return try encodeNil(forKey: key) }
        unsafe box.state.pointee.fields.set(key.stringValue, session.postpone(value, isPresent: true))
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

    /// The container under `key`: the existing one if there is one, as with `JSONEncoder`, so that a class and its
    /// superclass may share it.
    private func nested(_ key: String) -> CollectingEncoder {
        if session.stored.isRunning, let number = unsafe box.state.pointee.fields.box(called: key) {
            return CollectingEncoder(session: session, box: session.stored.boxes[number])
        }
        let inner = unsafe session.makeBox(depth: box.state.pointee.depth + 1)
        if session.stored.isRunning {
            unsafe box.state.pointee.fields.set(key, EncodingItem(.box, inner.state.pointee.number, 0))
        }
        return CollectingEncoder(session: session, box: inner)
    }
}
