import GroveModel

/// The state of a ``RecordDecoder``: its value, and the places of that value's fields once these were asked for.
@safe
struct RecordDecoderState: ~Copyable {
    /// A decoder at the value, which ends with the value.
    var value = unsafe NodeDecoder(
        UnsafeRawBufferPointer(start: nil, count: 0), source: NoSource.shared, isStable: true)
    /// The model that is being decoded; retained.
    private var session: Unmanaged<DecodingSession>?
    var path: [any CodingKey] = []
    var depth = 0
    /// The type of the value that is decoded, or of which a part is decoded.
    var owner = ObjectIdentifier(Never.self)
    private var fields = RecordFields()

    /// The type of the keys that the fields were laid out for.
    var keys: ObjectIdentifier? { fields.keys }

    /// Whether the model is still being decoded.
    var isOpen: Bool {
        @inline(__always) get { unsafe session?._withUnsafeGuaranteedRef { $0.isOpen } ?? false }
    }

    /// Whether there was a failure that user code may not swallow.
    var hasFailures: Bool { unsafe session?._withUnsafeGuaranteedRef { $0.failureCount > 0 } ?? false }

    /// The model, as long as it is being decoded.
    var openSession: DecodingSession? { isOpen ? unsafe session?.takeUnretainedValue() : nil }

    /// Makes the decoder one of `session`.
    mutating func hold(_ session: DecodingSession) {
        unsafe self.session?.release()
        unsafe self.session = Unmanaged.passRetained(session)
    }

    /// Forgets the value; the names that it asked for are learned.
    mutating func reset() {
        unsafe session?.release()
        unsafe session = nil
        if depth > 0 { path = [] }
        fields.reset()
    }

    /// Goes through the map at the value once: finds the places of fields with known names, and checks the rest.
    ///
    /// - Throws: `otherShape` if it is no map of names, `corrupted` if the names do not ascend strictly.
    mutating func layOut(_ keys: ObjectIdentifier) throws(NodeReadFailure) {
        try fields.layOut(keys, in: owner, of: value)
    }

    /// A decoder at the value of the field called `name`, or `nil` if there is none.
    @inline(__always)
    mutating func field(_ name: String) throws(NodeReadFailure) -> NodeDecoder? {
        guard let place = fields.known(name) else { return try unknownField(name) }
        guard place.start > 0 else { return nil }
        return at(place)
    }

    @inline(__always)
    private func at(_ place: RecordFields.Place) -> NodeDecoder {
        // A copy with other bounds: making one from the parts would retain and release the source.
        var part = value
        unsafe part.cursor = unsafe value.cursor + Int(place.start)
        unsafe part.end = unsafe value.cursor + Int(place.end)
        part.absence = value.absence.insideField
        return part
    }

    @inline(never)
    private mutating func unknownField(_ name: String) throws(NodeReadFailure) -> NodeDecoder? {
        guard let place = try fields.unknown(name, of: value) else { return nil }
        return at(place)
    }

    /// The names of all fields.
    func allNames() throws(NodeReadFailure) -> [String] {
        var walk = value
        var names: [String] = []
        for _ in 0..<(try walk.readMapHead()) {
            let (_, length) = try walk.readHead()
            let start = unsafe walk.cursor
            try walk.skip(bytes: length)
            unsafe names.append(
                String(decoding: UnsafeRawBufferPointer(start: start, count: Int(length)), as: UTF8.self))
            try walk.skip()
        }
        return names
    }
}
