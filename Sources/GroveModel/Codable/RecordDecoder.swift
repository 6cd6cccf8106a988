/// The `Decoder` that a `Codable` value is shown: one value of a record, whose bytes stay while it is decoded.
final class RecordDecoder: Decoder {
    /// Stands at the value, and ends with it.
    private let value: NodeDecoder
    let session: DecodingSession
    let codingPath: [any CodingKey]
    private let depth: Int
    private var fields: RecordFields?

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Paths are told this far; deeper ones would take memory quadratic in their length.
    private static let longestPath = 32

    init(_ value: NodeDecoder, session: DecodingSession, path: [any CodingKey], depth: Int = 0) {
        self.value = value
        self.session = session
        self.depth = depth
        codingPath = path
    }

    /// The decoder at the value.
    ///
    /// - Throws: `failed` where the model is finished, so that its bytes are gone.
    func open() throws(NodeReadFailure) -> NodeDecoder {
        try session.check()
        return value
    }

    /// A decoder of `value`, found under `key`.
    func nested(_ value: NodeDecoder, key: (any CodingKey)?) throws(NodeReadFailure) -> RecordDecoder {
        guard depth < LargeStack.maxNesting else {
            throw .failed(CacheError(.tooDeep, "The record nests more than \(LargeStack.maxNesting) levels."))
        }
        var path = codingPath
        if let key, path.count < RecordDecoder.longestPath { path.append(key) }
        return RecordDecoder(value, session: session, path: path, depth: depth + 1)
    }

    /// Decodes `value`, found under `key`, as `type`.
    func decode<Value: Decodable>(
        _ type: Value.Type, _ value: NodeDecoder, key: (any CodingKey)?
    ) throws(NodeReadFailure) -> Value {
        try session.attempt(at: value) { () throws(NodeReadFailure) in
            var value = value
            return try DecodableValue.decode(type, from: &value, inside: self, key: key)
        }
    }

    /// Decodes `value`, found under `key`, as an optional of `type`.
    func decodePresent<Value: Decodable>(
        _ type: Value.Type, _ value: NodeDecoder, key: (any CodingKey)?
    ) throws(NodeReadFailure) -> Value? {
        try session.attempt(at: value) { () throws(NodeReadFailure) in
            var value = value
            return try DecodableValue.decodePresent(type, from: &value, inside: self, key: key)
        }
    }

    // MARK: Decoder

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let fields = try recordFields()
        return KeyedDecodingContainer(RecordKeyedContainer<Key>(decoder: self, fields: fields))
    }

    private func recordFields() throws(NodeReadFailure) -> RecordFields {
        let value = try open()
        if let fields { return fields }
        let parsed = try session.attempt(at: value) { () throws(NodeReadFailure) in try RecordFields(value) }
        fields = parsed
        return parsed
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try RecordUnkeyedContainer(decoder: self, value: try open())
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        try session.check()
        return RecordSingleValueContainer(decoder: self)
    }
}

/// A stored map taken apart once: the name and the value of each field, in the order of the names' encodings.
struct RecordFields {
    @safe
    private struct Field {
        let name: UnsafeRawBufferPointer
        let value: UnsafeRawBufferPointer
    }

    private var fields: [Field] = []
    /// Whether the record carries the reading type's own projection, so that what is absent was never there.
    let isOwnProjection: Bool
    private let map: NodeDecoder

    /// Takes the map at the cursor of `decoder` apart.
    ///
    /// - Throws: `otherShape` where it is no map of names, `corrupted` where the names do not ascend strictly.
    init(_ decoder: NodeDecoder) throws(NodeReadFailure) {
        map = decoder
        isOwnProjection = decoder.isOwnProjection
        var decoder = decoder
        let count = try decoder.readMapHead()
        fields.reserveCapacity(min(count, 64))
        var order = EncodingOrder()
        for _ in 0..<count {
            try order.check(decoder)
            let (major, length) = try decoder.readHead()
            guard major == CBORMajor.text else { throw .otherShape }
            let start = unsafe decoder.cursor
            try decoder.skip(bytes: length)
            let name = unsafe UnsafeRawBufferPointer(start: start, count: Int(length))
            unsafe fields.append(Field(name: name, value: try decoder.readEncoded()))
        }
    }

    /// A decoder at the value of the field called `name`, or `nil` where there is none.
    ///
    /// - Complexity: O(log *n*) for *n* fields.
    func value(of name: String) -> NodeDecoder? {
        var name = name
        return name.withUTF8 { utf8 in
            let name = UnsafeRawBufferPointer(utf8)
            var low = 0
            var high = fields.count
            while low < high {
                let middle = (low + high) / 2
                let order = unsafe compare(fields[middle].name, name)
                if order == 0 { return unsafe decoder(fields[middle].value) }
                if order < 0 { low = middle + 1 } else { high = middle }
            }
            return nil
        }
    }

    private func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        left.count == right.count ? unsafe lexicographicOrder(left, right) : left.count - right.count
    }

    private func decoder(_ value: UnsafeRawBufferPointer) -> NodeDecoder {
        unsafe NodeDecoder(value, source: map.source, isStable: true, isOwnProjection: isOwnProjection)
    }

    /// The names of the fields.
    var names: [String] { fields.map { unsafe String(decoding: $0.name, as: UTF8.self) } }
}
