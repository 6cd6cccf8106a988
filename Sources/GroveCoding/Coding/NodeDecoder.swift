/// A decoder that reads a model's fields from a record and fetches its identified children.
///
/// Decoding has two phases. ``scan(_:at:)`` goes over the fields in the order of the type's table. It decodes leaves,
/// and sets values aside that may hold references. ``finish(_:)`` then decodes those values and fetches the children.
/// The record's own bytes are no longer needed then, since some engines take them back at the next read.
///
/// A decoder is not thread-safe, and is valid inside one read.
@safe
public struct NodeDecoder {
    @usableFromInline package var cursor: UnsafeRawPointer
    @usableFromInline package internal(set) var end: UnsafeRawPointer
    @usableFromInline unowned(unsafe) package let source: any NodeSource
    /// Whether the bytes stay until the record is finished, so that nothing needs to be copied.
    @usableFromInline let isStable: Bool
    /// Whether an absent field is known to have never been there.
    @usableFromInline package internal(set) var absence: Absence
    /// Whether a user's `init(from:)` reads the bytes, which may try one type after another on them.
    @usableFromInline var isTried = false
    @usableFromInline var fields: FieldTable
    @usableFromInline var entriesLeft: Int32
    /// The distance from the beginning of the map of ``fields`` to the end; 0 if that is too large for the type.
    @usableFromInline var mapLength: UInt32
    /// The beginning of the key that was read last.
    @usableFromInline var lastKey: UnsafeRawPointer?
    /// The shape with the names of the fields, if these are not in the record; the maker of the decoder retains it.
    @usableFromInline var shape: Unmanaged<RecordShape>?
    @usableFromInline var naming: FieldNaming

    /// - Parameter shape: the shape of `bytes`, if these are a record's values without their names.
    @inlinable
    package init(
        _ bytes: UnsafeRawBufferPointer, source: __shared any NodeSource, isStable: Bool, absence: Absence = .known,
        shape: Unmanaged<RecordShape>? = nil
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
        mapLength = 0
        unsafe lastKey = nil
        unsafe self.shape = unsafe shape
        naming = unsafe shape == nil ? .inRecord : .awaited
    }

    /// Whether nothing is left to read.
    package var isAtEnd: Bool { unsafe cursor == end }

    // MARK: Fields

    /// Reads field `index` of the type's table, or sets it aside for ``finish(_:)``.
    ///
    /// Fields are scanned in order. If the record lacks the field, its old names are tried.
    ///
    /// - Throws: `incomplete` if the field is absent and needed, `otherShape` if a value of another type is stored.
    @inlinable
    public mutating func scan<Value: NodeCodable>(
        _ type: Value.Type, at index: Int
    ) throws(NodeReadFailure) -> Scanned<Value> {
        guard try find(index) else { return try scanAbsent(type, index) }
        guard Value.holdsReferences else { return .value(try Value.decodeValue(from: &self)) }
        return .deferred(try setAside())
    }

    /// Reads field `index` as ``scan(_:at:)`` does, or returns `nil` if an earlier version of the type, without the
    /// field, wrote the record.
    ///
    /// The model then takes the field's default value.
    ///
    /// ```swift
    /// let views = try node.scanIfPresent(Int.self, at: 2)
    /// return Post(…, views: try node.finishIfPresent(views) ?? 0)
    /// ```
    ///
    /// - Throws: `incomplete` if the field is absent because another projection wrote the record. `otherShape` if a
    ///   value of another type is stored, or a null for a type that is not optional.
    @inlinable
    public mutating func scanIfPresent<Value: NodeCodable>(
        _ type: Value.Type, at index: Int
    ) throws(NodeReadFailure) -> Scanned<Value>? {
        guard try find(index) else { return try scanOldNames(index).map { .deferred($0) } }
        guard Value.holdsReferences else { return .value(try Value.decodeValue(from: &self)) }
        return .deferred(try setAside())
    }

    /// The value of a scanned field, with its children.
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

    /// The value of a scanned field, with its children; `nil` if the record lacks the field.
    @inlinable
    public mutating func finishIfPresent<Value: NodeCodable>(
        _ scanned: Scanned<Value>?
    ) throws(NodeReadFailure) -> Value? {
        guard let scanned else { return nil }
        return try finish(scanned)
    }

    /// Moves to the value of field `index`, past unknown fields before it; false if the record lacks the field.
    @_documentation(visibility: internal)
    @inlinable
    @inline(__always)
    public mutating func find(_ index: Int) throws(NodeReadFailure) -> Bool {
        isAt(index) ? true : try findFurther(index)
    }

    /// Moves past the name of field `index`, or stays and returns false if the cursor is not at it.
    @inlinable
    @inline(__always)
    mutating func isAt(_ index: Int) -> Bool {
        guard entriesLeft > 0 else { return false }
        guard naming == .inRecord else {
            guard naming == .alike ? fields.count - Int(entriesLeft) == index : isAtOther(index) else { return false }
            entriesLeft -= 1
            return true
        }
        let length = unsafe fields.match(index, at: cursor, end: end)
        guard length > 0 else { return false }
        unsafe lastKey = unsafe cursor
        unsafe cursor += length
        entriesLeft -= 1
        return true
    }

    /// Whether the value at the cursor is that of field `index`, for a reading type with other fields than the shape.
    @usableFromInline
    @inline(never)
    func isAtOther(_ index: Int) -> Bool {
        unsafe shapeName.map { unsafe isEqual($0, fields.key(index)) } ?? false
    }

    /// The name of the value at the cursor, if the names are in a shape.
    private var shapeName: UnsafeRawBufferPointer? {
        unsafe shape?._withUnsafeGuaranteedRef { unsafe $0.name($0.count - Int(entriesLeft)) }
    }

    /// Finds field `index` after unknown ones.
    @usableFromInline
    @inline(never)
    mutating func findFurther(_ index: Int) throws(NodeReadFailure) -> Bool {
        while entriesLeft > 0 {
            if isAt(index) { return true }
            let wanted = unsafe fields.key(index)
            if let stored = unsafe naming == .inRecord ? nil : shapeName {
                if unsafe lexicographicOrder(stored, wanted) > 0 { return false }
                entriesLeft -= 1
                try skip()
                continue
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

    /// Scans field `index`, which the record does not have under its name.
    @usableFromInline
    mutating func scanAbsent<Value: NodeCodable>(
        _ type: Value.Type, _ index: Int
    ) throws(NodeReadFailure) -> Scanned<Value> {
        if let old = try findOldName(index) { return .deferred(old) }
        return .value(try absent(type))
    }

    /// The value under an old name of field `index`, which the record does not have under its present name.
    ///
    /// - Throws: `incomplete` if there is none and the absence is not known to be the reading type's own.
    @usableFromInline
    func scanOldNames(_ index: Int) throws(NodeReadFailure) -> DeferredValue? {
        if let old = try findOldName(index) { return old }
        guard knowsAbsence else { throw .incomplete }
        return nil
    }

    /// The value under the latest of field `index`'s old names, before or after the cursor.
    func findOldName(_ index: Int) throws(NodeReadFailure) -> DeferredValue? {
        guard fields.oldCount > 0, mapLength > 0 else { return nil }
        for place in 0..<Int(fields.oldCount) {
            guard let wanted = unsafe fields.oldKey(place, of: index) else { continue }
            var walk = self
            unsafe walk.cursor = unsafe end - Int(mapLength)
            unsafe walk.lastKey = nil
            if let shape = unsafe naming == .inRecord ? nil : shape?.takeUnretainedValue() {
                for index in 0..<shape.count {
                    if unsafe isEqual(shape.name(index), wanted) { return try walk.setAside() }
                    try walk.skip()
                }
                continue
            }
            for _ in 0..<(try walk.readMapHead()) {
                let stored = try unsafe walk.readKey()
                if unsafe isEqual(stored, wanted) { return try walk.setAside() }
                try unsafe walk.pass(stored)
            }
        }
        return nil
    }

    /// The value of an absent field, if the reading type itself wrote the record without it.
    ///
    /// - Throws: `incomplete` if another projection wrote the record, or if the field is required.
    @_documentation(visibility: internal)
    public func absent<Value: NodeCodable>(_ type: Value.Type) throws(NodeReadFailure) -> Value {
        guard knowsAbsence, let value = Value.absentValue else { throw .incomplete }
        return value
    }

    /// Sets the value at the cursor aside, and moves past it.
    @_documentation(visibility: internal)
    public mutating func setAside() throws(NodeReadFailure) -> DeferredValue {
        let start = unsafe cursor
        try skip()
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: cursor - start)
        return unsafe DeferredValue(bytes: isStable ? bytes : source.keep(bytes))
    }

    /// A decoder of a value that was set aside.
    @_documentation(visibility: internal)
    public func reading(_ deferred: DeferredValue) -> NodeDecoder {
        // A record's own bytes may be set aside whole; from among its fields it is the value of one.
        var decoder = unsafe NodeDecoder(
            deferred.bytes, source: source, isStable: true, absence: absence == .ofFields ? .ofValue : absence)
        decoder.isTried = isTried
        return decoder
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

    /// Moves past text, and returns its encoding.
    private mutating func readText() throws(NodeReadFailure) -> UnsafeRawBufferPointer {
        let start = unsafe cursor
        let (major, length) = try readHead()
        guard major == CBORMajor.text else { throw .corrupted }
        try advance(length)
        return unsafe UnsafeRawBufferPointer(start: start, count: cursor - start)
    }

    /// Moves past the remaining fields, before the first child is fetched, which may invalidate the record's bytes.
    @usableFromInline
    mutating func passRest() throws(NodeReadFailure) {
        while entriesLeft > 0 {
            guard naming == .inRecord else {
                entriesLeft -= 1
                try skip()
                continue
            }
            try unsafe pass(try readKey())
        }
    }

    /// Moves past the value of `key`, which was read.
    private mutating func pass(_ key: UnsafeRawBufferPointer) throws(NodeReadFailure) {
        unsafe lastKey = key.baseAddress
        entriesLeft -= 1
        try skip()
    }
}
