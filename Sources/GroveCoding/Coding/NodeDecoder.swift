/// Reads a model's fields out of a record and fetches its identified children.
///
/// Decoding has two phases. ``scan(_:at:)`` goes over the fields in the order of the type's table, decoding leaves and
/// setting aside whatever may hold references. ``finish(_:)`` then decodes those and fetches children, at a time when
/// the record's own bytes are no longer needed, because some engines take them back at the next read. Not thread-safe;
/// it lives inside one read.
@safe
public struct NodeDecoder {
    @usableFromInline package var cursor: UnsafeRawPointer
    @usableFromInline package internal(set) var end: UnsafeRawPointer
    @usableFromInline unowned(unsafe) package let source: any NodeSource
    /// Whether the bytes stay until the record is finished, so that nothing needs to be copied.
    @usableFromInline let isStable: Bool
    /// What is known of a field that is absent.
    @usableFromInline package internal(set) var absence: Absence
    @usableFromInline var fields: FieldTable
    @usableFromInline var entriesLeft: Int
    /// Where the key that was read last begins.
    @usableFromInline var lastKey: UnsafeRawPointer?

    @inlinable
    package init(
        _ bytes: UnsafeRawBufferPointer, source: __shared any NodeSource, isStable: Bool, absence: Absence = .known
    ) {
        // An empty buffer may have no base; an address that is never read stands in for it.
        let start = unsafe bytes.baseAddress ?? FieldTable.nowhere
        unsafe cursor = unsafe start
        unsafe end = unsafe start + bytes.count
        unsafe self.source = source
        self.isStable = isStable
        self.absence = absence
        fields = FieldTable()
        entriesLeft = 0
        unsafe lastKey = nil
    }

    /// Whether nothing is left to read.
    package var isAtEnd: Bool { unsafe cursor == end }

    // MARK: Fields

    /// Reads field `index` of the type's table, or sets it aside for ``finish(_:)``.
    ///
    /// Fields are scanned in order.
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
    public mutating func finish<Value: NodeCodable>(_ scanned: Scanned<Value>) throws(NodeReadFailure) -> Value {
        switch scanned {
        case .value(let value): return value
        case .deferred(let bytes):
            try passRest()
            var decoder = reading(bytes)
            return try Value.decodeValue(from: &decoder)
        }
    }

    /// Moves to the value of field `index`, past unknown fields before it; false where the record lacks the field.
    @inlinable
    @inline(__always)
    public mutating func find(_ index: Int) throws(NodeReadFailure) -> Bool {
        isAt(index) ? true : try findFurther(index)
    }

    /// Moves past the name of field `index`, or stays and returns false where the cursor is not at it.
    @inlinable
    @inline(__always)
    mutating func isAt(_ index: Int) -> Bool {
        guard entriesLeft > 0 else { return false }
        let length = unsafe fields.match(index, at: cursor, end: end)
        guard length > 0 else { return false }
        unsafe lastKey = unsafe cursor
        unsafe cursor += length
        entriesLeft -= 1
        return true
    }

    /// Finds field `index` behind unknown ones.
    @usableFromInline
    @inline(never)
    mutating func findFurther(_ index: Int) throws(NodeReadFailure) -> Bool {
        while entriesLeft > 0 {
            if isAt(index) { return true }
            let wanted = unsafe fields.key(index)
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
        guard knowsAbsence, let value = Value.absentValue else { throw .incomplete }
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
        // A record's own bytes may be set aside whole; from among its fields it is the value of one.
        unsafe NodeDecoder(
            deferred.bytes, source: source, isStable: true, absence: absence == .ofFields ? .ofValue : absence)
    }

    /// Reads an encoded key and leaves the cursor on its value; keys must ascend strictly.
    mutating func readKey() throws(NodeReadFailure) -> UnsafeRawBufferPointer {
        let key = try unsafe readText()
        if let lastKey = unsafe lastKey {
            var last = self
            unsafe last.cursor = unsafe lastKey
            guard try unsafe lexicographicOrder(last.readText(), key) < 0 else { throw .corrupted }
        }
        return unsafe key
    }

    /// Moves past text, and returns it as it is encoded.
    private mutating func readText() throws(NodeReadFailure) -> UnsafeRawBufferPointer {
        let start = unsafe cursor
        let (major, length) = try readHead()
        guard major == CBORMajor.text else { throw .corrupted }
        try advance(length)
        return unsafe UnsafeRawBufferPointer(start: start, count: cursor - start)
    }

    /// Moves past the fields that are left, before the first child is fetched and the record's own bytes may go.
    @usableFromInline
    mutating func passRest() throws(NodeReadFailure) {
        while entriesLeft > 0 { try unsafe pass(try readKey()) }
    }

    /// Moves past the value of `key`, which was read.
    private mutating func pass(_ key: UnsafeRawBufferPointer) throws(NodeReadFailure) {
        unsafe lastKey = key.baseAddress
        entriesLeft -= 1
        try skip()
    }
}
