/// Reads a model's fields out of a record and fetches its identified children.
///
/// Decoding has two phases. ``scan(_:at:)`` goes over the fields in the order of the type's table, decoding leaves and
/// setting aside whatever may hold references. ``finish(_:)`` then decodes those and fetches children, at a time when
/// the record's own bytes are no longer needed, because some engines take them back at the next read. Not thread-safe;
/// it lives inside one read.
@safe
public struct NodeDecoder {
    package private(set) var cursor: UnsafeRawPointer
    package let end: UnsafeRawPointer
    unowned(unsafe) package let source: any NodeSource
    /// Whether the bytes stay until the record is finished, so that nothing needs to be copied.
    private let isStable: Bool
    /// Whether the record carries the reading type's own projection, so that what is absent was never there.
    package let isOwnProjection: Bool
    private var fields: FieldTable = .dynamic
    private var entriesLeft = 0
    private var lastKey: UnsafeRawBufferPointer?

    package init(
        _ bytes: UnsafeRawBufferPointer, source: any NodeSource, isStable: Bool, isOwnProjection: Bool
    ) {
        // An empty buffer may have no base; a pointer that is never read stands in for it.
        let start = unsafe bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1)!  // swift-format-ignore: NeverForceUnwrap
        unsafe cursor = unsafe start
        unsafe end = unsafe start + bytes.count
        unsafe self.source = source
        self.isStable = isStable
        self.isOwnProjection = isOwnProjection
    }

    /// Whether nothing is left to read.
    package var isAtEnd: Bool { unsafe cursor == end }

    // MARK: Fields

    /// Reads field `index` of the type's table, or sets it aside for ``finish(_:)``. Fields are scanned in order.
    ///
    /// - Throws: `incomplete` where the field is absent and needed, `otherShape` where it is something else.
    @inlinable
    public mutating func scan<Value: NodeCodable>(
        _ type: Value.Type, at index: Int
    ) throws(NodeReadFailure) -> Scanned<Value> {
        guard try find(index) else { return .value(try absent(type)) }
        guard Value.holdsReferences else { return .value(try Value.decodeValue(from: &self)) }
        return .deferred(try setAside())
    }

    /// The value of a scanned field, its children fetched.
    @inlinable
    public func finish<Value: NodeCodable>(_ scanned: Scanned<Value>) throws(NodeReadFailure) -> Value {
        switch scanned {
        case .value(let value): return value
        case .deferred(let bytes):
            var decoder = reading(bytes)
            return try Value.decodeValue(from: &decoder)
        }
    }

    /// Moves to the value of field `index`, past unknown fields before it; false where the record lacks the field.
    public mutating func find(_ index: Int) throws(NodeReadFailure) -> Bool {
        let wanted = unsafe fields.key(index)
        while entriesLeft > 0 {
            if unsafe end - cursor >= wanted.count, let key = wanted.baseAddress,
                unsafe compare(cursor, key, wanted.count) == 0
            {
                unsafe lastKey = unsafe UnsafeRawBufferPointer(start: cursor, count: wanted.count)
                unsafe cursor += wanted.count
                entriesLeft -= 1
                return true
            }
            let start = unsafe cursor
            let stored = try unsafe readKey()
            if unsafe lexicographicOrder(stored, wanted) > 0 {
                unsafe cursor = unsafe start
                return false
            }
            try unsafe pass(stored)
        }
        return false
    }

    /// The value of an absent field, where the reading type's own writer left it out.
    public func absent<Value: NodeCodable>(_ type: Value.Type) throws(NodeReadFailure) -> Value {
        guard isOwnProjection, let value = Value.absentValue else { throw .incomplete }
        return value
    }

    /// Sets the value at the cursor aside and moves past it.
    public mutating func setAside() throws(NodeReadFailure) -> DeferredValue {
        let start = unsafe cursor
        try skip()
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: cursor - start)
        return unsafe DeferredValue(bytes: isStable ? bytes : source.keep(bytes))
    }

    /// A decoder of a value that was set aside.
    public func reading(_ deferred: DeferredValue) -> NodeDecoder {
        unsafe NodeDecoder(deferred.bytes, source: source, isStable: true, isOwnProjection: isOwnProjection)
    }

    /// Reads an encoded key and leaves the cursor on its value; keys must ascend strictly.
    private mutating func readKey() throws(NodeReadFailure) -> UnsafeRawBufferPointer {
        let start = unsafe cursor
        let (major, length) = try readHead()
        guard major == CBORMajor.text else { throw .corrupted }
        try advance(length)
        let key = unsafe UnsafeRawBufferPointer(start: start, count: cursor - start)
        if let lastKey = unsafe lastKey, unsafe lexicographicOrder(lastKey, key) >= 0 { throw .corrupted }
        return unsafe key
    }

    private mutating func pass(_ key: UnsafeRawBufferPointer) throws(NodeReadFailure) {
        unsafe lastKey = unsafe key
        entriesLeft -= 1
        try skip()
    }

    // MARK: Models

    /// Reads a model: fetches the node that a reference names, or decodes one that stands in place.
    @inlinable
    public mutating func decodeModel<M: CacheableModel>(_ type: M.Type) throws(NodeReadFailure) -> M {
        guard let reference = try readReference() else { return try decodeFields(type) }
        guard reference.caseName == nil else { throw .otherShape }
        return try node(type, reference)
    }

    /// Fetches the node that `reference` names, as `type`.
    @inlinable
    public func node<M: CacheableModel>(
        _ type: M.Type, _ reference: NodeReference
    ) throws(NodeReadFailure) -> M {
        var visit = try beginVisit(type, reference)
        if visit.isRemembered {
            guard let model = recall(visit) as? M else { throw .corrupted }
            return model
        }
        let failure: NodeReadFailure
        do throws(NodeReadFailure) {
            let model =
                visit.needsLargerStack
                ? try visit.decoder.fieldsOnLargerStack(type) : try visit.decoder.fieldsHere(type)
            if visit.wasSeen { remember(model, visit) }
            endVisit(visit)
            return model
        } catch {
            failure = error
        }
        throw failVisit(visit, failure)
    }

    @usableFromInline
    func beginVisit(
        _ type: any CacheableModel.Type, _ reference: NodeReference
    ) throws(NodeReadFailure) -> NodeVisit {
        unsafe try source.beginVisit(type, reference.identifierBytes)
    }

    @usableFromInline
    func endVisit(_ visit: NodeVisit) { unsafe source.endVisit(visit) }

    @usableFromInline
    func failVisit(_ visit: NodeVisit, _ failure: NodeReadFailure) -> NodeReadFailure {
        unsafe source.failVisit(visit, failure)
    }

    @usableFromInline
    func recall(_ visit: NodeVisit) -> (any SimpleModel)? { unsafe source.recall(visit) }

    @usableFromInline
    func remember(_ model: any SimpleModel, _ visit: NodeVisit) { unsafe source.remember(model, visit) }

    /// Decodes the map at the cursor as the fields of `type`, one level deeper.
    @inlinable
    package mutating func decodeFields<M: CacheableModel>(_ type: M.Type) throws(NodeReadFailure) -> M {
        let needsLargerStack = try enterLevel()
        defer { leaveLevel() }
        return needsLargerStack ? try fieldsOnLargerStack(type) : try fieldsHere(type)
    }

    /// Decodes the map at the cursor as the fields of `type`.
    @inlinable
    package mutating func fieldsHere<M: CacheableModel>(_ type: M.Type) throws(NodeReadFailure) -> M {
        let outer = try beginMap(M.fields)
        let model = try M.decodeFields(from: &self)
        try endMap(outer)
        return model
    }

    @inlinable
    @inline(never)
    package mutating func fieldsOnLargerStack<M: CacheableModel>(_ type: M.Type) throws(NodeReadFailure) -> M {
        var decoder = self
        var model: M?
        try onLargerStack { () throws(NodeReadFailure) in model = try decoder.fieldsHere(type) }
        self = decoder
        guard let model else { throw .corrupted }
        return model
    }

    @usableFromInline
    func onLargerStack(_ body: () throws(NodeReadFailure) -> Void) throws(NodeReadFailure) {
        unsafe try source.onLargerStack(body)
    }

    /// Counts one more level; true where the rest must run on a larger stack.
    @usableFromInline
    func enterLevel() throws(NodeReadFailure) -> Bool {
        let nesting = unsafe source.nesting + 1
        guard nesting <= LargeStack.maxNesting else { throw NodeReadFailure.tooDeep }
        unsafe source.nesting = nesting
        return nesting == LargeStack.hopDepth
    }

    @usableFromInline
    func leaveLevel() { unsafe source.nesting -= 1 }

    /// Reads the head of the map of `fields` and returns what surrounds it.
    @usableFromInline
    mutating func beginMap(_ fields: FieldTable) throws(NodeReadFailure) -> MapScope {
        let outer = unsafe MapScope(fields: self.fields, entriesLeft: entriesLeft, lastKey: lastKey)
        self.fields = fields
        unsafe lastKey = nil
        entriesLeft = 0
        if fields.isDynamic { return outer }
        let (major, count) = try readHead()
        guard major == CBORMajor.map else { throw .otherShape }
        guard unsafe count <= UInt64(end - cursor) else { throw .corrupted }
        entriesLeft = Int(count)
        return outer
    }

    /// Moves past the fields that are left and goes back to what surrounds the map.
    @usableFromInline
    mutating func endMap(_ outer: MapScope) throws(NodeReadFailure) {
        while entriesLeft > 0 { try unsafe pass(try readKey()) }
        fields = outer.fields
        entriesLeft = outer.entriesLeft
        unsafe lastKey = outer.lastKey
    }

    /// What surrounds a map that is being read.
    @usableFromInline
    @safe
    struct MapScope {
        let fields: FieldTable
        let entriesLeft: Int
        let lastKey: UnsafeRawBufferPointer?
    }

    /// The record name under which the node of `reference` is stored: for an enum that was not told its case.
    public func recordName(of reference: NodeReference) throws(NodeReadFailure) -> String {
        try unsafe source.recordName(reference.identifierBytes)
    }

    /// Reads a reference, or returns `nil` and stays where the value is something else.
    public mutating func readReference() throws(NodeReadFailure) -> NodeReference? {
        let start = unsafe cursor
        guard unsafe end - cursor > 0, unsafe cursor.load(as: UInt8.self) >> 5 == 6 else { return nil }
        let (_, tag) = try readHead()
        guard tag == CBORTag.reference else {
            unsafe cursor = unsafe start
            return nil
        }
        var (major, length) = try readHead()
        let hasCase = major == CBORMajor.array
        if hasCase {
            guard length == 2 else { throw .corrupted }
            (major, length) = try readHead()
        }
        guard major == CBORMajor.text, length > 0 else { throw .corrupted }
        let identifier = unsafe cursor
        try advance(length)
        let bytes = unsafe UnsafeRawBufferPointer(start: identifier, count: cursor - identifier)
        return unsafe NodeReference(identifierBytes: bytes, caseName: hasCase ? try readString() : nil)
    }

    /// Reads a value that may be null for its being deleted: `nil` where a node that it needs was deleted.
    @inlinable
    public mutating func decodeUnlessDeleted<Value: NodeCodable>(
        _ type: Value.Type
    ) throws(NodeReadFailure) -> Value? {
        guard Value.holdsReferences else { return try Value.decodeValue(from: &self) }
        let start = self
        do {
            return try Value.decodeValue(from: &self)
        } catch {
            guard case .deleted = error else { throw error }
            self = start
            try skip()
            return nil
        }
    }
}

extension NodeDecoder {
    // MARK: Values

    /// Moves past one value, whatever it is, without recursion.
    public mutating func skip() throws(NodeReadFailure) {
        var pending: UInt64 = 1
        while pending > 0 {
            pending -= 1
            let (major, argument) = try readHead()
            switch major {
            case CBORMajor.bytes, CBORMajor.text: try advance(argument)
            case CBORMajor.array: pending += try bounded(argument)
            case CBORMajor.map: pending += try bounded(argument) * 2
            case CBORMajor.tag: pending += 1
            default: break
            }
        }
    }

    /// Each value that is still to come takes a byte at least, so a larger count is damage.
    private func bounded(_ count: UInt64) throws(NodeReadFailure) -> UInt64 {
        guard unsafe count <= UInt64(end - cursor) else { throw .corrupted }
        return count
    }

    /// Reads an initial byte and its argument; of a float, the argument is its bits.
    @inline(__always)
    package mutating func readHead() throws(NodeReadFailure) -> (major: UInt8, argument: UInt64) {
        guard unsafe cursor < end else { throw .corrupted }
        let initial = unsafe cursor.load(as: UInt8.self)
        let low = initial & 0x1F
        if low < 24 {
            unsafe cursor += 1
            return (initial & 0xE0, UInt64(low))
        }
        return (initial & 0xE0, try readLongArgument(low))
    }

    @inline(never)
    private mutating func readLongArgument(_ low: UInt8) throws(NodeReadFailure) -> UInt64 {
        guard low <= 27 else { throw .corrupted }
        let width = 1 << Int(low - 24)
        guard unsafe end - cursor > width else { throw .corrupted }
        var value: UInt64 = 0
        for offset in 1...width {
            value = unsafe value << 8 | UInt64(cursor.load(fromByteOffset: offset, as: UInt8.self))
        }
        unsafe cursor += 1 + width
        return value
    }

    @inline(__always)
    private mutating func advance(_ count: UInt64) throws(NodeReadFailure) {
        guard unsafe count <= UInt64(end - cursor) else { throw .corrupted }
        unsafe cursor += Int(count)
    }

    /// Moves past a null and returns true, or stays and returns false.
    public mutating func readNull() throws(NodeReadFailure) -> Bool {
        guard unsafe cursor < end else { throw .corrupted }
        guard unsafe cursor.load(as: UInt8.self) == CBORMajor.simple | 22 else { return false }
        unsafe cursor += 1
        return true
    }

    /// Reads a Boolean.
    public mutating func readBool() throws(NodeReadFailure) -> Bool {
        let (major, value) = try readHead()
        guard major == CBORMajor.simple, value == 20 || value == 21 else { throw .otherShape }
        return value == 21
    }

    /// Reads an integer that `Value` can hold.
    @inlinable
    public mutating func readInteger<Value: FixedWidthInteger>(
        _ type: Value.Type
    ) throws(NodeReadFailure) -> Value {
        let (isNegative, magnitude) = try readIntegerParts()
        let value =
            isNegative
            ? Int64(exactly: magnitude).flatMap { Value(exactly: ~$0) } : Value(exactly: magnitude)
        guard let value else { throw .otherShape }
        return value
    }

    /// Reads an integer as CBOR holds it: the magnitude of a negative *n* is −1 − *n*.
    public mutating func readIntegerParts() throws(NodeReadFailure) -> (isNegative: Bool, magnitude: UInt64) {
        let (major, value) = try readHead()
        guard major <= CBORMajor.negative else { throw .otherShape }
        return (major == CBORMajor.negative, value)
    }

    /// Reads a float, whatever width it is stored in.
    public mutating func readDouble() throws(NodeReadFailure) -> Double {
        guard unsafe cursor < end else { throw .corrupted }
        let initial = unsafe cursor.load(as: UInt8.self)
        let (_, bits) = try readHead()
        switch initial {
        case CBORMajor.simple | 27: return Double(bitPattern: bits)
        case CBORMajor.simple | 26:
            return Double(bitPattern: CBORFloat.double(single: UInt32(truncatingIfNeeded: bits)))
        case CBORMajor.simple | 25:
            let single = CBORFloat.single(half: UInt16(truncatingIfNeeded: bits))
            return Double(bitPattern: CBORFloat.double(single: single))
        default: throw .otherShape
        }
    }

    /// Reads a float that single precision holds exactly.
    public mutating func readFloat() throws(NodeReadFailure) -> Float {
        let value = try readDouble()
        guard let bits = CBORFloat.single(value.bitPattern) else { throw .otherShape }
        return Float(bitPattern: bits)
    }

    /// Reads text; bytes that are not UTF-8 are damage.
    public mutating func readString() throws(NodeReadFailure) -> String {
        let (major, length) = try readHead()
        guard major == CBORMajor.text else { throw .otherShape }
        let start = unsafe cursor
        try advance(length)
        let utf8 = unsafe UnsafeRawBufferPointer(start: start, count: Int(length))
        let string = unsafe String(decoding: utf8, as: UTF8.self)
        guard unsafe isASCII(utf8) || isSame(string, utf8) else { throw .corrupted }
        return string
    }

    /// Whether no byte of `utf8` has its top bit set.
    private func isASCII(_ utf8: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        var bits: UInt64 = 0
        while offset + 8 <= utf8.count {
            unsafe bits |= utf8.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        while offset < utf8.count {
            unsafe bits |= UInt64(utf8[offset])
            offset += 1
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }

    /// Whether `string` was made of `utf8` without a repair. (`String(validating:as:)` would tell, at five times the
    /// cost.)
    private func isSame(_ string: String, _ utf8: UnsafeRawBufferPointer) -> Bool {
        var string = string
        return string.withUTF8 { unsafe isEqual(UnsafeRawBufferPointer($0), utf8) }
    }

    /// Reads a byte string; the bytes are valid during `body` only.
    public mutating func readBytes<Value>(
        _ body: (UnsafeRawBufferPointer) -> Value
    ) throws(NodeReadFailure) -> Value {
        let (major, length) = try readHead()
        guard major == CBORMajor.bytes else { throw .otherShape }
        let start = unsafe cursor
        try advance(length)
        return unsafe body(UnsafeRawBufferPointer(start: start, count: Int(length)))
    }

    /// Reads the head of an array.
    public mutating func readArrayHead() throws(NodeReadFailure) -> Int {
        let (major, count) = try readHead()
        guard major == CBORMajor.array else { throw .otherShape }
        return Int(try bounded(count))
    }

    /// Reads the head of a map.
    public mutating func readMapHead() throws(NodeReadFailure) -> Int {
        let (major, count) = try readHead()
        guard major == CBORMajor.map else { throw .otherShape }
        return Int(try bounded(count))
    }

    /// Reads a tag, or returns `nil` and stays where there is none.
    public mutating func readTag() throws(NodeReadFailure) -> UInt64? {
        guard unsafe cursor < end else { throw .corrupted }
        guard unsafe cursor.load(as: UInt8.self) >> 5 == 6 else { return nil }
        return try readHead().argument
    }

    /// Whether the value at the cursor is a float.
    package func isAtFloat() throws(NodeReadFailure) -> Bool {
        guard cursor < end else { throw .corrupted }
        return (CBORMajor.simple | 25...CBORMajor.simple | 27).contains(cursor.load(as: UInt8.self))
    }

    /// Moves past `count` bytes.
    package mutating func skip(bytes count: UInt64) throws(NodeReadFailure) { try advance(count) }

    /// The bytes of the value at the cursor, which it moves past; valid as long as the decoder's own.
    package mutating func readEncoded() throws(NodeReadFailure) -> UnsafeRawBufferPointer {
        let start = unsafe cursor
        try skip()
        return unsafe UnsafeRawBufferPointer(start: start, count: cursor - start)
    }
}
