/// The elements of one value of a record, in order.
struct RecordUnkeyedContainer: UnkeyedDecodingContainer {
    private let decoder: RecordDecoder
    private var rest: NodeDecoder
    private let total: Int
    private(set) var currentIndex = 0

    init(decoder: RecordDecoder, value: NodeDecoder) throws(NodeReadFailure) {
        self.decoder = decoder
        var value = value
        total = try value.readArrayHead()
        rest = value
    }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { total }
    var isAtEnd: Bool { currentIndex == total }

    /// Hands the next element to `body`, and moves past it once that has succeeded.
    private mutating func next<Value>(_ body: (NodeDecoder) throws(NodeReadFailure) -> Value) throws -> Value {
        try decoder.check()
        guard !isAtEnd else { throw NodeReadFailure.otherShape }
        var (element, after) = (rest, rest)
        try after.skip()
        unsafe element.end = unsafe after.cursor
        element.absence = rest.absence.insideField
        let value = try body(element)
        rest = after
        currentIndex += 1
        return value
    }

    private mutating func leaf<Value: NodeCodable>(_ type: Value.Type) throws -> Value {
        try next { (value) throws(NodeReadFailure) in
            var value = value
            return try Value.decodeValue(from: &value)
        }
    }

    private var key: EntryKey { EntryKey(intValue: currentIndex) }

    mutating func decodeNil() throws -> Bool {
        try decoder.check()
        guard !isAtEnd else { throw NodeReadFailure.otherShape }
        guard try rest.readNull() else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try leaf(type) }
    mutating func decode(_ type: String.Type) throws -> String { try leaf(type) }
    mutating func decode(_ type: Double.Type) throws -> Double { try leaf(type) }
    mutating func decode(_ type: Float.Type) throws -> Float { try leaf(type) }
    mutating func decode(_ type: Int.Type) throws -> Int { try leaf(type) }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try leaf(type) }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try leaf(type) }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try leaf(type) }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try leaf(type) }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try leaf(type) }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try leaf(type) }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try leaf(type) }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try leaf(type) }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try leaf(type) }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let (decoder, key) = (decoder, key)
        return try next { (value) throws(NodeReadFailure) in try decoder.decode(type, value, key: key) }
    }

    mutating func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? {
        guard !isAtEnd else { return nil }
        let (decoder, key) = (decoder, key)
        return try next { (value) throws(NodeReadFailure) in try decoder.decodePresent(type, value, key: key) }
    }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try nested { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try nested { try $0.unkeyedContainer() }
    }

    /// Makes a container of the next element; stays before an element of another kind, so that another container can be
    /// tried.
    private mutating func nested<Container>(_ open: (RecordDecoder) throws -> Container) throws -> Container {
        let start = self
        do {
            return try open(nested())
        } catch {
            self = start
            throw error
        }
    }

    mutating func superDecoder() throws -> any Decoder { try nested() }

    private mutating func nested() throws -> RecordDecoder {
        let (decoder, key) = (decoder, key)
        return try next { (value) throws(NodeReadFailure) in try decoder.nested(value, key: key) }
    }
}

/// A value of a record that is one other value.
struct RecordSingleValueContainer: SingleValueDecodingContainer {
    let decoder: RecordDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool {
        guard var value = try? decoder.open() else { return false }
        return (try? value.readNull()) ?? false
    }

    private func leaf<Value: NodeCodable>(_ type: Value.Type) throws -> Value {
        var value = try decoder.open()
        return try Value.decodeValue(from: &value)
    }

    /// A number that was written as a fraction.
    ///
    /// An initialiser that tries one type after another would take a whole number for one.
    private func fraction<Value: NodeCodable>(_ type: Value.Type) throws -> Value {
        var value = try decoder.open()
        guard try !value.isAtInteger() else { throw NodeReadFailure.otherShape }
        return try Value.decodeValue(from: &value)
    }

    func decode(_ type: Bool.Type) throws -> Bool { try leaf(type) }
    func decode(_ type: String.Type) throws -> String { try leaf(type) }
    func decode(_ type: Double.Type) throws -> Double { try fraction(type) }
    func decode(_ type: Float.Type) throws -> Float { try fraction(type) }
    func decode(_ type: Int.Type) throws -> Int { try leaf(type) }
    func decode(_ type: Int8.Type) throws -> Int8 { try leaf(type) }
    func decode(_ type: Int16.Type) throws -> Int16 { try leaf(type) }
    func decode(_ type: Int32.Type) throws -> Int32 { try leaf(type) }
    func decode(_ type: Int64.Type) throws -> Int64 { try leaf(type) }
    func decode(_ type: UInt.Type) throws -> UInt { try leaf(type) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try leaf(type) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try leaf(type) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try leaf(type) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try leaf(type) }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try decoder.decode(type, decoder.open(), key: nil)
    }
}
