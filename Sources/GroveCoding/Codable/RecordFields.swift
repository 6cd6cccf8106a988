import GroveModel

/// What a ``RecordDecoder`` is made of: its value, and where that value's fields lie once it was asked for them.
@safe
struct RecordDecoderState {
    /// Stands at the value, and ends with it.
    var value = unsafe NodeDecoder(
        UnsafeRawBufferPointer(start: nil, count: 0), source: NoSource.shared, isStable: true)
    /// The model that is being decoded; retained.
    private var session: Unmanaged<DecodingSession>?
    var path: [any CodingKey] = []
    var depth = 0
    /// The type whose value, or a part of it, is decoded.
    var owner = ObjectIdentifier(Never.self)

    /// The type of the keys that the fields were laid out for.
    var keys: ObjectIdentifier?
    private var names: Unmanaged<KeyNames>?
    private var table = NameTable()
    private(set) var places: UnsafeMutablePointer<Place>?
    private var capacity = 0
    /// The position that was asked for last; the next is looked for behind it.
    private var last = -1
    /// Names that were asked for and are not in the table.
    private var missed: [String] = []
    /// Where every field lies, in the order of their names; empty until a name is asked for that the table has not.
    private var index: [IndexedField] = []

    /// Where a field's value lies, from the start of the map; from 0 if the record has no such field.
    struct Place {
        var start: UInt32
        var end: UInt32
    }

    /// The same of a field whose name may be any.
    private struct IndexedField {
        let name: UInt32
        let value: Place
    }

    /// Whether the model is still being decoded.
    var isOpen: Bool {
        @inline(__always) get { unsafe session?._withUnsafeGuaranteedRef { $0.isOpen } ?? false }
    }

    /// Whether something failed that user code may not swallow.
    var hasFailures: Bool { unsafe session?._withUnsafeGuaranteedRef { $0.failureCount > 0 } ?? false }

    /// The model, as long as it is being decoded.
    var openSession: DecodingSession? { isOpen ? unsafe session?.takeUnretainedValue() : nil }

    /// Belongs to `session` from now on.
    mutating func hold(_ session: DecodingSession) {
        unsafe self.session?.release()
        unsafe self.session = Unmanaged.passRetained(session)
    }

    /// Makes room for another value; what the last one taught about its names is kept.
    mutating func reset() {
        unsafe session?.release()
        unsafe session = nil
        if depth > 0 { path = [] }
        if !missed.isEmpty {
            unsafe names?._withUnsafeGuaranteedRef { $0.learn(missed) }
            missed = []
        }
        if !index.isEmpty { index = [] }
        keys = nil
    }

    /// Takes the map at the value apart once: finds where the fields lie whose names are known, and checks the rest.
    ///
    /// - Throws: `otherShape` if it is no map of names, `corrupted` if the names do not ascend strictly.
    mutating func layOut(_ keys: ObjectIdentifier) throws(NodeReadFailure) {
        let names = unsafe KeyNames.of(keys, in: owner)
        let table = unsafe names._withUnsafeGuaranteedRef { $0.table }
        unsafe self.names = unsafe names
        self.table = table
        last = -1
        if unsafe capacity < table.count || places == nil {
            unsafe places?.deallocate()
            capacity = max(table.count, 8)
            unsafe places = .allocate(capacity: capacity)
        }
        guard let places = unsafe places else { throw .corrupted }

        var walk = value
        let start = unsafe walk.cursor
        guard unsafe walk.end - start <= Int(UInt32.max) else {
            throw .failed(CacheError(.tooLarge, "A record has more than 4 GB."))
        }
        let count = try walk.readMapHead()
        var order = FieldOrder()
        var position = 0
        for _ in 0..<count {
            var length = position < table.count ? unsafe table.match(position, at: walk.cursor, end: walk.end) : 0
            if length == 0 || order.isAmongUnknown {
                let key = unsafe try order.next(&walk)
                length = key.count
                var isKnown = false
                while position < table.count {
                    let comparison = unsafe lexicographicOrder(table.key(position), key)
                    if comparison >= 0 {
                        isKnown = comparison == 0
                        break
                    }
                    unsafe places[position] = Place(start: 0, end: 0)
                    position += 1
                }
                order.isAmongUnknown = !isKnown
                guard isKnown else {
                    try walk.skip()
                    continue
                }
            } else {
                unsafe order.pass(walk.cursor, length)
                unsafe walk.cursor += length
            }
            let valueStart = unsafe walk.cursor
            try walk.skipShort()
            unsafe places[position] = Place(
                start: UInt32(truncatingIfNeeded: valueStart - start),
                end: UInt32(truncatingIfNeeded: walk.cursor - start))
            position += 1
        }
        while position < table.count {
            unsafe places[position] = Place(start: 0, end: 0)
            position += 1
        }
        self.keys = keys
    }

    /// A decoder at the value of the field called `name`, or `nil` if there is none.
    @inline(__always)
    mutating func field(_ name: String) throws(NodeReadFailure) -> NodeDecoder? {
        let position = table.position(of: name, after: last)
        guard position >= 0, let places = unsafe places else { return try unknownField(name) }
        last = position
        let place = unsafe places[position]
        guard place.start > 0 else { return nil }
        return at(place.start, place.end)
    }

    @inline(__always)
    private func at(_ start: UInt32, _ end: UInt32) -> NodeDecoder {
        // A copy with other bounds: making one from the parts would retain and release the source.
        var part = value
        unsafe part.cursor = unsafe value.cursor + Int(start)
        unsafe part.end = unsafe value.cursor + Int(end)
        part.absence = value.absence.insideField
        return part
    }

    /// Looks in the record itself, and notes the name for the next value.
    ///
    /// - Complexity: O(log *n*) among *n* fields, after the first time, which is linear.
    @inline(never)
    private mutating func unknownField(_ name: String) throws(NodeReadFailure) -> NodeDecoder? {
        note(name)
        if index.isEmpty { try makeIndex() }
        let name = ByteBuffer(encoding: name)
        defer { name.deallocate() }
        // The names ascend strictly, which was checked when the map was laid out.
        var (low, high) = (0, index.count)
        while low < high {
            let middle = (low + high) / 2
            let field = index[middle]
            let key = unsafe UnsafeRawBufferPointer(
                start: value.cursor + Int(field.name), count: Int(field.value.start - field.name))
            let order = unsafe lexicographicOrder(key, name.bytes)
            if order == 0 { return at(field.value.start, field.value.end) }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    /// Notes a name for the table, unless the keys are those of a dictionary.
    private mutating func note(_ name: String) {
        guard missed.count <= KeyNames.most, unsafe names?._withUnsafeGuaranteedRef({ $0.learns }) == true else {
            return
        }
        if !missed.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { missed.append(name) }
    }

    /// Finds where every field lies.
    private mutating func makeIndex() throws(NodeReadFailure) {
        var walk = value
        func offset() -> UInt32 { unsafe UInt32(truncatingIfNeeded: walk.cursor - value.cursor) }
        let count = try walk.readMapHead()
        index.reserveCapacity(count)
        for _ in 0..<count {
            let name = offset()
            try walk.skip()
            let start = offset()
            try walk.skip()
            index.append(IndexedField(name: name, value: Place(start: start, end: offset())))
        }
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

/// Checks that the names of a stored map are texts and ascend strictly.
///
/// Names that match a table in its order do so by themselves; others are compared with the one before.
@safe
private struct FieldOrder {
    private var last: UnsafeRawBufferPointer?
    /// Whether the name before is none of the table's.
    var isAmongUnknown = false

    /// Moves past a name of the table that follows one of the table.
    @inline(__always)
    mutating func pass(_ start: UnsafeRawPointer, _ length: Int) {
        unsafe last = UnsafeRawBufferPointer(start: start, count: length)
    }

    /// Moves past a name, comparing it with the one before.
    mutating func next(_ walk: inout NodeDecoder) throws(NodeReadFailure) -> UnsafeRawBufferPointer {
        let start = unsafe walk.cursor
        let key = unsafe try walk.readEncoded()
        if let last = unsafe last, unsafe lexicographicOrder(last, key) >= 0 { throw .corrupted }
        unsafe last = unsafe key
        guard unsafe start.load(as: UInt8.self) & 0xE0 == CBORMajor.text else { throw .otherShape }
        return unsafe key
    }
}

extension NodeDecoder {
    /// Moves past one value; at once past a number or a text of a few bytes.
    @inline(__always)
    fileprivate mutating func skipShort() throws(NodeReadFailure) {
        guard unsafe cursor < end else { throw .corrupted }
        let initial = unsafe cursor.load(as: UInt8.self)
        let low = Int(initial & 0x1F)
        if low < 24 {
            if initial < CBORMajor.bytes {
                unsafe cursor += 1
                return
            }
            if initial < CBORMajor.array, unsafe end - cursor > low {
                unsafe cursor += 1 + low
                return
            }
        }
        try skip()
    }
}

extension ByteBuffer {
    /// A buffer of the encoding of `text`, which the caller deallocates.
    fileprivate init(encoding text: String) {
        self.init(capacity: text.utf8.count + 9)
        appendText(text)
    }
}
