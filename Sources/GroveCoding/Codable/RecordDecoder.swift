import GroveModel

/// The `Decoder` for a `Codable` value: one value of a record, whose bytes stay while it is decoded.
@safe
final class RecordDecoder: Decoder {
    /// The state, behind a pointer because a class's properties are checked for exclusive access at every use.
    let state: UnsafeMutablePointer<RecordDecoderState>

    init() {
        unsafe state = .allocate(capacity: 1)
        unsafe state.initialize(to: RecordDecoderState())
    }

    deinit {
        unsafe state.pointee.reset()
        unsafe state.deinitialize(count: 1)
        unsafe state.deallocate()
    }

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    var codingPath: [any CodingKey] { unsafe state.pointee.path }

    /// The most keys of a path; longer paths would take memory quadratic in their length.
    private static let longestPath = 32

    /// The model that is being decoded.
    ///
    /// - Throws: `failed` if it is finished, so that its bytes are no longer valid.
    @inline(__always)
    func openSession() throws(NodeReadFailure) -> DecodingSession {
        guard let session = unsafe state.pointee.openSession else { throw DecodingSession.isOver }
        return session
    }

    var isOpen: Bool { unsafe state.pointee.isOpen }

    /// Fails if the model is finished already.
    @inline(__always)
    func check() throws(NodeReadFailure) {
        guard isOpen else { throw DecodingSession.isOver }
    }

    /// The decoder at the value.
    func open() throws(NodeReadFailure) -> NodeDecoder {
        try check()
        return unsafe state.pointee.value
    }

    /// A decoder of `value`, found under `key`; it is a part of a value of `owner`, or of this decoder's owner.
    func nested(
        _ value: NodeDecoder, key: (any CodingKey)?, owner: ObjectIdentifier? = nil
    ) throws(NodeReadFailure) -> RecordDecoder {
        let depth = unsafe state.pointee.depth
        guard depth < LargeStack.maxNesting else {
            throw .tooDeep
        }
        var path = codingPath
        if let key, path.count < RecordDecoder.longestPath { path.append(key) }
        let session = try openSession()
        return unsafe session.decoder(of: value, owner: owner ?? state.pointee.owner, path: path, depth: depth + 1)
    }

    /// Decodes `value`, found under `key`, as `type`.
    func decode<Value: Decodable>(
        _ type: Value.Type, _ value: NodeDecoder, key: (any CodingKey)?
    ) throws(NodeReadFailure) -> Value {
        let session = try openSession()
        let earlier = session.failureCount
        do throws(NodeReadFailure) {
            var rest = value
            let decoded = try decodeCoding(of: type).decode(from: &rest, inside: self, key: key)
            if earlier > 0 { session.forgive(value, upTo: earlier) }
            return decoded
        } catch {
            unsafe session.note(error, at: value.cursor)
            throw error
        }
    }

    /// Decodes `value`, found under `key`, as an optional of `type`.
    func decodePresent<Value: Decodable>(
        _ type: Value.Type, _ value: NodeDecoder, key: (any CodingKey)?
    ) throws(NodeReadFailure) -> Value? {
        let session = try openSession()
        let earlier = session.failureCount
        do throws(NodeReadFailure) {
            var rest = value
            let decoded = try DecodableValue.decodePresent(type, from: &rest, inside: self, key: key)
            if earlier > 0 { session.forgive(value, upTo: earlier) }
            return decoded
        } catch {
            unsafe session.note(error, at: value.cursor)
            throw error
        }
    }

    // MARK: Decoder

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(RecordKeyedContainer<Key>(decoder: try keyed(by: ObjectIdentifier(type))))
    }

    /// The decoder whose fields are laid out for keys of the type `keys`: this one, unless it is laid out for another
    /// type.
    private func keyed(by keys: ObjectIdentifier) throws(NodeReadFailure) -> RecordDecoder {
        try check()
        if let laidOut = unsafe state.pointee.keys {
            return laidOut == keys ? self : try another(keyedBy: keys)
        }
        do throws(NodeReadFailure) {
            try unsafe state.pointee.layOut(keys)
        } catch {
            try unsafe openSession().note(error, at: state.pointee.value.cursor)
            throw error
        }
        if unsafe state.pointee.hasFailures {
            let session = try openSession()
            unsafe session.forgive(state.pointee.value, upTo: session.failureCount, absences: false)
        }
        return self
    }

    /// A decoder of the same value for keys of another type.
    private func another(keyedBy keys: ObjectIdentifier) throws(NodeReadFailure) -> RecordDecoder {
        let other = unsafe try openSession().decoder(
            of: state.pointee.value, owner: state.pointee.owner, path: codingPath, depth: state.pointee.depth)
        try unsafe other.state.pointee.layOut(keys)
        return other
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try RecordUnkeyedContainer(decoder: self, value: try open())
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        try check()
        return RecordSingleValueContainer(decoder: self)
    }
}
