/// Reads a model's fields out of a record and fetches its identified children.
///
/// Decoding has two phases. ``scan(_:at:)`` goes over the fields in the order of the type's table, decoding leaves and
/// setting aside whatever may hold references. ``finish(_:)`` then decodes those and fetches children, at a time when
/// the record's own bytes are no longer needed, because some engines take them back at the next read. Not thread-safe;
/// it lives inside one read.
@safe
public struct NodeDecoder {
    package var cursor: UnsafeRawPointer
    package internal(set) var end: UnsafeRawPointer
    unowned(unsafe) package let source: any NodeSource
    /// Whether the bytes stay until the record is finished, so that nothing needs to be copied.
    let isStable: Bool
    /// Whether the record carries the reading type's own projection, so that what is absent was never there.
    package let isOwnProjection: Bool
    var fields: FieldTable = .dynamic
    var entriesLeft = 0
    var lastKey: UnsafeRawBufferPointer?

    package init(
        _ bytes: UnsafeRawBufferPointer, source: any NodeSource, isStable: Bool, isOwnProjection: Bool
    ) {
        // An empty buffer may have no base; an address that is never read stands in for it.
        let start = unsafe bytes.baseAddress ?? FieldTable.nowhere
        unsafe cursor = unsafe start
        unsafe end = unsafe start + bytes.count
        unsafe self.source = source
        self.isStable = isStable
        self.isOwnProjection = isOwnProjection
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
    public mutating func find(_ index: Int) throws(NodeReadFailure) -> Bool {
        while entriesLeft > 0 {
            let length = unsafe fields.match(index, at: cursor, end: end)
            if length > 0 {
                unsafe lastKey = unsafe UnsafeRawBufferPointer(start: cursor, count: length)
                unsafe cursor += length
                entriesLeft -= 1
                return true
            }
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
    mutating func readKey() throws(NodeReadFailure) -> UnsafeRawBufferPointer {
        let start = unsafe cursor
        let (major, length) = try readHead()
        guard major == CBORMajor.text else { throw .corrupted }
        try advance(length)
        let key = unsafe UnsafeRawBufferPointer(start: start, count: cursor - start)
        if let lastKey = unsafe lastKey, unsafe lexicographicOrder(lastKey, key) >= 0 { throw .corrupted }
        return unsafe key
    }

    /// Moves past the fields that are left, before the first child is fetched and the record's own bytes may go.
    @usableFromInline
    mutating func passRest() throws(NodeReadFailure) {
        while entriesLeft > 0 { try unsafe pass(try readKey()) }
    }

    mutating func pass(_ key: UnsafeRawBufferPointer) throws(NodeReadFailure) {
        unsafe lastKey = unsafe key
        entriesLeft -= 1
        try skip()
    }
}
