/// The elements of one value, in order; or the one value that it is.
struct CollectingSequence: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    let session: EncodingSession
    let box: EncodingBox
    let isSingle: Bool

    var codingPath: [any CodingKey] { [] }
    var count: Int { unsafe box.state.pointee.items.count }

    private func add(_ item: EncodingItem) throws {
        guard isSingle else { return unsafe box.state.pointee.items.append(item) }
        unsafe box.state.pointee.become(.single, in: session)
        try session.check()
        unsafe box.state.pointee.items = [item]
    }

    private func leaf(_ append: (inout ByteBuffer) -> Void) throws { try add(session.leaf(append)) }

    func encodeNil() throws { try leaf { $0.append(CBORMajor.simple | 22) } }
    func encode(_ value: Bool) throws { try leaf { $0.appendBool(value) } }
    func encode(_ value: String) throws { try leaf { $0.appendText(value) } }
    func encode(_ value: Double) throws { try leaf { $0.appendFloat(value) } }
    func encode(_ value: Float) throws { try leaf { $0.appendFloat(value) } }
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
        try add(session.postpone(value))
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy keyType: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        nested().container(keyedBy: keyType)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { nested().unkeyedContainer() }

    func superEncoder() -> any Encoder { nested() }

    private func nested() -> CollectingEncoder {
        let inner = unsafe session.makeBox(depth: box.state.pointee.depth + 1)
        if session.stored.isRunning {
            unsafe box.state.pointee.items.append(EncodingItem(.box, inner.state.pointee.number, 0))
        }
        return CollectingEncoder(session: session, box: inner)
    }
}

extension ByteBuffer {
    /// Appends a Boolean.
    mutating func appendBool(_ value: Bool) { append(CBORMajor.simple | (value ? 21 : 20)) }

    /// Appends a single-precision float.
    mutating func appendFloat(_ value: Float) { appendFloat(singleBits: value.bitPattern) }

    /// Appends an integer of at most 64 bits.
    @inline(__always)
    mutating func appendNumber(_ value: some FixedWidthInteger) {
        if let value = Int64(exactly: value) {
            appendInteger(value)
        } else {
            appendHead(CBORMajor.unsigned, UInt64(truncatingIfNeeded: value))
        }
    }
}
