import GroveModel

/// The places of one value's fields in its record.
struct RecordFields: ~Copyable {
    /// The places of fields with known names.
    private var slots = NamedSlots<Place>()
    /// The unknown names that were asked for.
    private var missed: [String] = []
    /// The places of all fields, in the order of their names; empty until an unknown name is asked for.
    private var index: [IndexedField] = []

    /// The place of a field's value, from the start of the map; it begins at 0 if the record has no such field.
    struct Place {
        var start: UInt32
        var end: UInt32
    }

    /// The places of the name and the value of any field.
    private struct IndexedField {
        let name: UInt32
        let value: Place
    }

    /// The type of the keys that the fields were laid out for.
    var keys: ObjectIdentifier? { slots.keys }

    /// Forgets the places; unknown names that were asked for are learned.
    @inline(__always)
    mutating func reset() {
        if !missed.isEmpty {
            slots.learn(missed)
            missed = []
        }
        if !index.isEmpty { index = [] }
        slots.keys = nil
    }

    /// Goes through the map at `walk` once: finds the places of fields with known names, and checks the rest.
    ///
    /// - Throws: `otherShape` if it is no map of names, `corrupted` if the names do not ascend strictly.
    @inline(__always)
    mutating func layOut(
        _ keys: ObjectIdentifier, in owner: ObjectIdentifier, of walk: consuming NodeDecoder
    ) throws(NodeReadFailure) {
        let places = unsafe slots.take(keys, in: owner)
        let table = slots.table
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
        slots.keys = keys
    }

    /// The place of the field called `name`, or `nil` if the name is not known.
    @inline(__always)
    mutating func known(_ name: String) -> Place? { unsafe slots.find(name)?.pointee }

    /// The place of a field with an unknown name, from the record at `value`; the name is noted for the next value.
    ///
    /// - Complexity: O(log *n*) for *n* fields; the first call is linear.
    mutating func unknown(_ name: String, of value: NodeDecoder) throws(NodeReadFailure) -> Place? {
        note(name)
        if index.isEmpty { try makeIndex(of: value) }
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
            if order == 0 { return field.value }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return nil
    }

    /// Notes a name for the table, unless the keys are those of a dictionary.
    private mutating func note(_ name: String) {
        guard missed.count <= KeyNames.most, slots.learns else { return }
        if !missed.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { missed.append(name) }
    }

    /// Finds the places of all fields.
    private mutating func makeIndex(of value: NodeDecoder) throws(NodeReadFailure) {
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
}

/// A check that the names of a stored map are texts and ascend strictly.
///
/// Names that match a table in its order ascend anyway; any other name is compared with the one before.
@safe
private struct FieldOrder {
    private var last: UnsafeRawBufferPointer?
    /// Whether the name before is not in the table.
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
    /// Moves past one value, with a fast path for a number or a text of a few bytes.
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
