public import GroveModel

/// An encoder that writes a model's fields into its record, and its identified children into records of their own.
///
/// A tree is written in pre-order, the fields of each node in the order of its record. If one identifier occurs twice
/// with different content, the later occurrence wins. An encoder is not thread-safe, and is valid inside one call.
public struct NodeEncoder: ~Copyable {
    /// The bytes of the root and, one after the other, of the unfinished nodes inside it.
    package var out: ByteBuffer
    package let tree: NodeTree
    private(set) var fields: FieldTable = .dynamic
    private(set) var nextField = 0
    /// Whether the fields that are being written have their names before them; those of a shape do not.
    private var writesNames = true
    private var holdsReferences = false
    private var depth = 0
    private var nesting = 0
    private var hops = 0
    private var paths = 0
    @usableFromInline var identifier = IdentifierBuffer()
    /// The pool of sessions for ``Codable`` values; many trees have none.
    lazy var encodingScratch = EncodingScratch()

    package init(into tree: NodeTree) {
        self.tree = tree
        out = ByteBuffer(capacity: 256)
    }

    deinit { out.deallocate() }

    /// Starts a new root: its paths are counted from zero, and the bytes of the last root are forgotten.
    ///
    /// - Parameter onLargeStack: whether the thread's stack is a large one, so that nothing needs to hop.
    package mutating func beginRoot(onLargeStack: Bool = false) {
        out.removeAll()
        paths = 0
        hops = 0
        nesting = onLargeStack ? LargeStack.hopDepth : 0
    }

    // MARK: Fields

    /// Writes `value` as field `index` of the type's table.
    ///
    /// Fields are written in order, each once.
    @inlinable
    public mutating func encode<Value: NodeCodable>(_ value: Value, at index: Int) throws(CacheError) {
        writeKey(at: index)
        try value.encodeValue(to: &self)
    }

    /// Begins field `index`; exactly one value must follow.
    public mutating func writeKey(at index: Int) {
        precondition(index == nextField, "fields are encoded in the order of their table, each once")
        nextField += 1
        if writesNames { unsafe out.append(padded: fields.key(index)) }
    }

    // MARK: Values

    /// Writes null.
    public mutating func writeNull() { out.append(CBORMajor.simple | 22) }

    /// Writes a Boolean.
    public mutating func write(_ value: Bool) { out.appendBool(value) }

    /// Writes an integer.
    public mutating func write(_ value: Int64) { out.appendInteger(value) }

    /// Writes an integer.
    public mutating func write(_ value: UInt64) { out.appendHead(CBORMajor.unsigned, value) }

    /// Writes a float by its bits, in the shortest width that keeps them all.
    public mutating func write(_ value: Double) { out.appendFloat(value) }

    /// Writes a float by its bits, in the shortest width that keeps them all.
    public mutating func write(_ value: Float) { out.appendFloat(singleBits: value.bitPattern) }

    /// Writes text by its UTF-8.
    @inline(__always)
    public mutating func write(_ value: String) { out.appendText(value) }

    /// Writes a byte string.
    public mutating func write(_ value: UnsafeRawBufferPointer) {
        out.appendHead(CBORMajor.bytes, UInt64(value.count))
        unsafe out.append(value)
    }

    /// Writes the head of an array; exactly `count` values must follow.
    public mutating func writeArrayHead(count: Int) { out.appendHead(CBORMajor.array, UInt64(count)) }

    /// Writes the head of a map; exactly `count` keys must follow, in the order of their encodings, each with its
    /// value.
    public mutating func writeMapHead(count: Int) { out.appendHead(CBORMajor.map, UInt64(count)) }

    /// Writes a tag; exactly one value must follow.
    public mutating func writeTag(_ tag: UInt64) { out.appendHead(CBORMajor.tag, tag) }

    /// Runs `body` one level deeper, on a larger stack if the level requires it.
    ///
    /// - Throws: what `body` throws, or ``CacheError`` with code `tooDeep`.
    package mutating func nested(
        _ body: (inout NodeEncoder) throws(CacheError) -> Void
    ) throws(CacheError) {
        let needsLargerStack = try enterLevel()
        defer { nesting -= 1 }
        if needsLargerStack { try onLargerStack(body) } else { try body(&self) }
    }

    /// Runs `body` at this level, on a larger stack from level `hopDepth` on, for code whose frames are large.
    package mutating func hopping(
        from hopDepth: Int, _ body: (inout NodeEncoder) throws(CacheError) -> Void
    ) throws(CacheError) {
        guard nesting >= hopDepth, nesting < LargeStack.hopDepth else { return try body(&self) }
        // Levels are skipped up to the one at which `nested` goes on with a larger stack.
        let outer = nesting
        nesting = LargeStack.hopDepth - 1
        defer { nesting = outer }
        try nested(body)
    }

    // MARK: Models

    /// Writes a reference to `model` and the model's own record, or the model in place if it has no identifier.
    ///
    /// - Parameter caseName: the case of an enum whose payload is the model, stored in the reference.
    @_documentation(visibility: internal)
    @inlinable
    public mutating func encodeModel<M: CacheableModel>(
        _ model: M, caseName: String? = nil
    ) throws(CacheError) {
        beginIdentifier()
        let isIdentified = model.appendIdentifier(to: &identifier)
        let scope =
            isIdentified
            ? try beginNode(M.self, M.fields, caseName: caseName) : try beginInline(M.fields, caseName: caseName)
        let failure: CacheError
        do throws(CacheError) {
            if scope.needsLargerStack {
                try fieldsOnLargerStack(model)
            } else {
                try model.encodeFields(to: &self)
            }
            try end(scope)
            return
        } catch {
            failure = explained(error, M.self, scope)
        }
        abandon(scope)
        throw failure
    }

    /// Writes a reference to a node with the identifier and the names of the arguments, and the node's own record.
    ///
    /// It is for models that have no Swift type of their own, such as documents. `body` must write exactly one map.
    @_documentation(visibility: internal)
    public mutating func encodeNode(
        identifier: ModelIdentifier, recordName: String, projectionName: String,
        _ body: (inout NodeEncoder) throws(CacheError) -> Void
    ) throws(CacheError) {
        beginIdentifier()
        self.identifier.append(identifier.rawValue)
        let type = tree.type(recordName: recordName, projection: projectionName)
        try write(inside: beginNode(type: type, isShaped: false, .dynamic, caseName: nil), body)
    }

    /// Writes the content of `scope`, which was begun, by `body`, and ends it.
    mutating func write(
        inside scope: Scope, _ body: (inout NodeEncoder) throws(CacheError) -> Void
    ) throws(CacheError) {
        do throws(CacheError) {
            if scope.needsLargerStack { try onLargerStack(body) } else { try body(&self) }
            try end(scope)
        } catch {
            let failure = concerning(scope, error)
            abandon(scope)
            throw failure
        }
    }

    /// The state around a model that is being written.
    @usableFromInline
    @safe
    struct Scope {
        let isNode: Bool
        @usableFromInline let needsLargerStack: Bool
        let fields: FieldTable
        let nextField: Int
        let writesNames: Bool
        /// The position at which the node's own bytes begin in ``out``.
        let start: Int
        let identifier: Range<Int>
        let type: Int
        let isShaped: Bool
        let order: Int
    }

    @usableFromInline
    mutating func beginIdentifier() { identifier.buffer.removeAll() }

    @usableFromInline
    mutating func beginNode(
        _ type: any CacheableModel.Type, _ fields: FieldTable, caseName: String?
    ) throws(CacheError) -> Scope {
        let type = tree.type(of: type, fields)
        return try beginNode(type: type.index, isShaped: type.isShaped, fields, caseName: caseName)
    }

    @inline(__always)
    private mutating func beginNode(
        type: Int, isShaped: Bool, _ fields: FieldTable, caseName: String?
    ) throws(CacheError) -> Scope {
        let name = unsafe identifier.buffer.bytes
        guard name.count > 0 else { throw NodeEncoder.identifierIsEmpty }
        guard name.count <= NodeEncoder.maxIdentifierBytes else { throw unsafe NodeEncoder.identifierIsTooLong(name) }
        guard paths < NodeTree.maxPaths else { throw NodeEncoder.hasTooManyPaths }
        guard depth < LargeStack.maxDepth else { throw NodeEncoder.hasTooManyLevels }
        let needsLargerStack = try enterLevel()
        out.appendReferenceTag()
        if caseName != nil { out.appendHead(CBORMajor.array, 2) }
        out.appendHead(CBORMajor.text, UInt64(name.count))
        unsafe out.append(name)
        if let caseName { out.appendText(caseName) }

        paths += 1
        depth += 1
        let (range, order) = unsafe tree.begin(name)
        let scope = Scope(
            isNode: true, needsLargerStack: needsLargerStack, fields: self.fields, nextField: nextField,
            writesNames: writesNames, start: out.count, identifier: range, type: type, isShaped: isShaped, order: order)
        holdsReferences = false
        begin(fields, writesNames: !isShaped)
        return scope
    }

    @usableFromInline
    mutating func beginInline(_ fields: FieldTable, caseName: String?) throws(CacheError) -> Scope {
        guard caseName == nil else {
            throw CacheError(.unidentified, "A case kept in a reference needs a payload with an identifier.")
        }
        let needsLargerStack = try enterLevel()
        let scope = Scope(
            isNode: false, needsLargerStack: needsLargerStack, fields: self.fields, nextField: nextField,
            writesNames: writesNames, start: out.count, identifier: 0..<0, type: 0, isShaped: false, order: 0)
        begin(fields, writesNames: true)
        return scope
    }

    @inline(__always)
    private mutating func begin(_ fields: FieldTable, writesNames: Bool) {
        self.fields = fields
        self.writesNames = writesNames
        nextField = 0
        if writesNames, !fields.isDynamic { out.appendHead(CBORMajor.map, UInt64(fields.count)) }
    }

    /// Ends the model of `scope`.
    ///
    /// - Throws: `unencodable` if the body of a node is no map, so that projections could not share its record, or
    ///   the tree holds its identifier under another record name.
    @usableFromInline
    mutating func end(_ scope: Scope) throws(CacheError) {
        precondition(
            fields.isDynamic || nextField == fields.count,
            "encodeFields writes every field of its table: it wrote \(nextField) of \(fields.count)")
        if scope.isNode {
            if fields.isDynamic {
                guard out.count > scope.start,
                    unsafe out.bytes(in: scope.start..<scope.start + 1)[0] & 0xE0 == CBORMajor.map
                else { throw NodeEncoder.bodyIsNoMap }
            }
            assert(hasValueForEachField(of: scope), "encodeFields writes one value for each field of its table")
            try unsafe tree.add(
                out.bytes(in: scope.start..<out.count), identifier: scope.identifier, type: scope.type,
                isShaped: scope.isShaped, order: scope.order, holdsReferences: holdsReferences)
        }
        abandon(scope)
    }

    @usableFromInline
    mutating func abandon(_ scope: Scope) {
        nesting -= 1
        fields = scope.fields
        nextField = scope.nextField
        writesNames = scope.writesNames
        guard scope.isNode else { return }
        depth -= 1
        out.truncate(to: scope.start)
        holdsReferences = true
    }

    @inline(__always)
    private mutating func enterLevel() throws(CacheError) -> Bool {
        guard nesting < LargeStack.maxNesting else {
            throw NodeEncoder.nestsTooDeeply
        }
        if nesting + 1 == LargeStack.hopDepth {
            guard hops < LargeStack.maxHops else {
                tree.mustRestart = true
                throw LargeStack.tooManyHops
            }
            hops += 1
        }
        nesting += 1
        return nesting == LargeStack.hopDepth
    }

    @usableFromInline
    @inline(never)
    mutating func fieldsOnLargerStack<M: CacheableModel>(_ model: M) throws(CacheError) {
        try onLargerStack { (encoder) throws(CacheError) in try model.encodeFields(to: &encoder) }
    }

    mutating func onLargerStack(
        _ body: (inout NodeEncoder) throws(CacheError) -> Void
    ) throws(CacheError) {
        try unsafe withUnsafeMutablePointer(to: &self) { (this) throws(CacheError) in
            try LargeStack.run(unavailable: LargeStack.noThread) { () throws(CacheError) in
                try unsafe body(&this.pointee)
            }
        }
    }

    /// The length of the longest identifier, in bytes.
    ///
    /// LMDB, the engine with the shortest keys, stores a key that is too long for it by a hash.
    @_documentation(visibility: internal)
    public static let maxIdentifierBytes = 8_000
}
