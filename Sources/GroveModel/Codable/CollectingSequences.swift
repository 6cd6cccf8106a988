/// The elements of one value, in order.
struct CollectingUnkeyedContainer: UnkeyedEncodingContainer {
    let session: EncodingSession
    let box: EncodingBox

    var codingPath: [any CodingKey] { [] }
    var count: Int { box.items.count }

    private func leaf(_ write: (inout ByteBuffer) -> Void) throws {
        try session.check()
        box.items.append(session.leaf(write))
    }

    func encodeNil() throws { try leaf { $0.append(CBORMajor.simple | 22) } }
    func encode(_ value: Bool) throws { try leaf { $0.appendBool(value) } }
    func encode(_ value: String) throws { try leaf { $0.appendText(value) } }
    func encode(_ value: Double) throws { try leaf { $0.appendFloat(value) } }
    func encode(_ value: Float) throws { try leaf { $0.appendFloat(singleBits: value.bitPattern) } }
    func encode(_ value: Int) throws { try leaf { $0.appendNumber(value) } }
    func encode(_ value: Int8) throws { try leaf { $0.appendNumber(value) } }
    func encode(_ value: Int16) throws { try leaf { $0.appendNumber(value) } }
    func encode(_ value: Int32) throws { try leaf { $0.appendNumber(value) } }
    func encode(_ value: Int64) throws { try leaf { $0.appendNumber(value) } }
    func encode(_ value: UInt) throws { try leaf { $0.appendNumber(value) } }
    func encode(_ value: UInt8) throws { try leaf { $0.appendNumber(value) } }
    func encode(_ value: UInt16) throws { try leaf { $0.appendNumber(value) } }
    func encode(_ value: UInt32) throws { try leaf { $0.appendNumber(value) } }
    func encode(_ value: UInt64) throws { try leaf { $0.appendNumber(value) } }

    func encode<Value: Encodable>(_ value: Value) throws {
        try session.check()
        box.items.append(EncodingItem(content: .value(value, isPresent: false)))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        nested().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }

    func superEncoder() -> any Encoder { nested() }

    private func nested() -> CollectingEncoder {
        let inner = session.makeBox(inside: box)
        if session.failure == nil, session.isOpen { box.items.append(EncodingItem(content: .box(inner))) }
        return CollectingEncoder(session: session, box: inner)
    }
}

/// A value that is one other value.
struct CollectingSingleValueContainer: SingleValueEncodingContainer {
    let session: EncodingSession
    let box: EncodingBox

    var codingPath: [any CodingKey] { [] }

    private func add(_ item: EncodingItem) throws {
        box.become(.single, in: session)
        try session.check()
        box.items = [item]
    }

    private func leaf(_ write: (inout ByteBuffer) -> Void) throws {
        try session.check()
        try add(session.leaf(write))
    }

    func encodeNil() throws { try leaf { $0.append(CBORMajor.simple | 22) } }
    func encode(_ value: Bool) throws { try leaf { $0.appendBool(value) } }
    func encode(_ value: String) throws { try leaf { $0.appendText(value) } }
    func encode(_ value: Double) throws { try leaf { $0.appendFloat(value) } }
    func encode(_ value: Float) throws { try leaf { $0.appendFloat(singleBits: value.bitPattern) } }
    func encode(_ value: Int) throws { try leaf { $0.appendNumber(value) } }
    func encode(_ value: Int8) throws { try leaf { $0.appendNumber(value) } }
    func encode(_ value: Int16) throws { try leaf { $0.appendNumber(value) } }
    func encode(_ value: Int32) throws { try leaf { $0.appendNumber(value) } }
    func encode(_ value: Int64) throws { try leaf { $0.appendNumber(value) } }
    func encode(_ value: UInt) throws { try leaf { $0.appendNumber(value) } }
    func encode(_ value: UInt8) throws { try leaf { $0.appendNumber(value) } }
    func encode(_ value: UInt16) throws { try leaf { $0.appendNumber(value) } }
    func encode(_ value: UInt32) throws { try leaf { $0.appendNumber(value) } }
    func encode(_ value: UInt64) throws { try leaf { $0.appendNumber(value) } }

    func encode<Value: Encodable>(_ value: Value) throws {
        try session.check()
        try add(EncodingItem(content: .value(value, isPresent: false)))
    }
}
