/// Writes a model's fields into its record, and takes its identified children apart into records of their own.
///
/// The order of a tree is pre-order, the fields of each node in the order of its record: where one identifier occurs
/// twice with different content, the later occurrence wins. Not thread-safe; it lives inside one call.
public struct NodeEncoder: ~Copyable {
    package var out: ByteBuffer
    package let tree: NodeTree
    private var fields: FieldTable = .dynamic
    private var nextField = 0
    private var holdsReferences = false
    private var depth = 0
    private var nesting = 0
    private var paths = 0
    private var identifier = IdentifierBuffer()
    private var spare: [ByteBuffer] = []

    package init(into tree: NodeTree) {
        self.tree = tree
        out = ByteBuffer(capacity: 256)
    }

    deinit {
        out.deallocate()
        for buffer in spare { buffer.deallocate() }
    }

    /// Starts a new root: its paths are counted from none, and what was written for the last one is forgotten.
    package mutating func beginRoot() {
        out.removeAll()
        paths = 0
    }

    // MARK: Fields

    /// Writes `value` as field `index` of the type's table. Fields are written in order, each once.
    @inlinable
    public mutating func encode<Value: NodeCodable>(_ value: Value, at index: Int) throws(CacheError) {
        writeKey(at: index)
        try value.encodeValue(to: &self)
    }

    /// Writes the name of field `index`; the field's value must follow.
    public mutating func writeKey(at index: Int) {
        precondition(index == nextField, "fields are encoded in the order of their table, each once")
        nextField += 1
        unsafe out.append(fields.key(index))
    }

    // MARK: Values

    /// Writes null.
    public mutating func writeNull() { out.append(CBORMajor.simple | 22) }

    /// Writes a Boolean.
    public mutating func write(_ value: Bool) { out.append(CBORMajor.simple | (value ? 21 : 20)) }

    /// Writes an integer.
    public mutating func write(_ value: Int64) { out.appendInteger(value) }

    /// Writes an integer.
    public mutating func write(_ value: UInt64) { out.appendHead(CBORMajor.unsigned, value) }

    /// Writes a float by its bits, in the shortest width that keeps them all.
    public mutating func write(_ value: Double) { out.appendFloat(value) }

    /// Writes a float by its bits, in the shortest width that keeps them all.
    public mutating func write(_ value: Float) { out.appendFloat(singleBits: value.bitPattern) }

    /// Writes text by its UTF-8.
    public mutating func write(_ value: String) { out.appendText(value) }

    /// Writes a byte string.
    public mutating func write(_ value: UnsafeRawBufferPointer) {
        out.appendHead(CBORMajor.bytes, UInt64(value.count))
        unsafe out.append(value)
    }

    /// Writes the head of an array; exactly `count` values must follow.
    public mutating func writeArrayHead(count: Int) { out.appendHead(CBORMajor.array, UInt64(count)) }

    /// Writes the head of a map; exactly `count` keys, in the order of their encodings, each with its value, follow.
    public mutating func writeMapHead(count: Int) { out.appendHead(CBORMajor.map, UInt64(count)) }

    /// Writes a tag; exactly one value must follow.
    public mutating func writeTag(_ tag: UInt64) { out.appendHead(CBORMajor.tag, tag) }

    /// Runs `body` one level deeper, on a larger stack where the level asks for it.
    ///
    /// - Throws: what `body` throws, or ``CacheError`` with code `tooDeep`.
    package mutating func nested(
        _ body: (inout NodeEncoder) throws(CacheError) -> Void
    ) throws(CacheError) {
        nesting += 1
        defer { nesting -= 1 }
        guard nesting <= LargeStack.maxNesting else {
            throw CacheError(.tooDeep, "The model nests more than \(LargeStack.maxNesting) levels.")
        }
        if nesting == LargeStack.hopDepth {
            try unsafe withUnsafeMutablePointer(to: &self) { (this) throws(CacheError) in
                try LargeStack.run(unavailable: LargeStack.noThread) { () throws(CacheError) in
                    try unsafe body(&this.pointee)
                }
            }
        } else {
            try body(&self)
        }
    }

    /// Runs `body` at this level, on a larger stack from level `hopDepth` on, for code whose frames are large.
    package mutating func hopping(
        from hopDepth: Int, _ body: (inout NodeEncoder) throws(CacheError) -> Void
    ) throws(CacheError) {
        guard nesting >= hopDepth, nesting < LargeStack.hopDepth else { return try body(&self) }
        // Levels are skipped up to the one at which `nested` goes on upon a larger stack.
        let outer = nesting
        nesting = LargeStack.hopDepth - 1
        defer { nesting = outer }
        try nested(body)
    }

    // MARK: Models

    /// Writes `model`: a reference where it is identified, and its record elsewhere; else the model itself, in place.
    ///
    /// - Parameter caseName: the case of an enum whose payload is the model, kept in the reference.
    public mutating func encodeModel<M: CacheableModel>(
        _ model: borrowing M, caseName: String? = nil
    ) throws(CacheError) {
        let model = copy model
        identifier.buffer.removeAll()
        guard model.appendIdentifier(to: &identifier) else {
            guard caseName == nil else {
                throw CacheError(.unidentified, "A case kept in a reference needs a payload with an identifier.")
            }
            let outer = (fields, nextField)
            fields = M.fields
            nextField = 0
            try nested { (encoder) throws(CacheError) in try encoder.encodeBody(model) }
            (fields, nextField) = outer
            return
        }
        try encodeNode(type: tree.type(of: M.self), fields: M.fields, caseName: caseName) {
            (encoder) throws(CacheError) in try encoder.encodeBody(model)
        }
    }

    /// Writes a reference to a node whose identifier and names are chosen here, and its record elsewhere.
    ///
    /// For models that have no Swift type of their own, such as documents. `body` writes exactly one map.
    public mutating func encodeNode(
        identifier: ModelIdentifier, recordName: String, projectionName: String,
        _ body: (inout NodeEncoder) throws(CacheError) -> Void
    ) throws(CacheError) {
        self.identifier.buffer.removeAll()
        self.identifier.append(identifier.rawValue)
        let names = NodeTree.TypeNames(record: recordName, projection: projectionName)
        try encodeNode(type: tree.type(named: names), fields: .dynamic, caseName: nil, body)
    }

    private mutating func encodeNode(
        type: Int, fields: FieldTable, caseName: String?, _ body: (inout NodeEncoder) throws(CacheError) -> Void
    ) throws(CacheError) {
        let name = unsafe identifier.buffer.bytes
        guard name.count > 0 else { throw CacheError(.emptyIdentifier, "A model's identifier has no bytes.") }
        guard name.count <= NodeEncoder.maxIdentifierBytes else {
            throw CacheError(.tooLarge, "A model's identifier has more than \(NodeEncoder.maxIdentifierBytes) bytes.")
        }
        out.appendHead(CBORMajor.tag, CBORTag.reference)
        if caseName != nil { out.appendHead(CBORMajor.array, 2) }
        out.appendHead(CBORMajor.text, UInt64(name.count))
        unsafe out.append(name)
        if let caseName { out.appendText(caseName) }

        paths += 1
        guard paths <= NodeTree.maxPaths else {
            throw CacheError(.tooManyPaths, "The tree has more than \(NodeTree.maxPaths) paths.")
        }
        guard depth < LargeStack.maxDepth else {
            throw CacheError(.tooDeep, "The tree has more than \(LargeStack.maxDepth) identified levels.")
        }
        let order = tree.order
        tree.order += 1
        let start = tree.arena.count
        unsafe tree.arena.append(name)
        let identifierRange = start..<tree.arena.count

        let outer = (out, self.fields, nextField)
        out = spare.popLast() ?? ByteBuffer(capacity: 256)
        out.removeAll()
        self.fields = fields
        nextField = 0
        holdsReferences = false
        depth += 1
        defer {
            depth -= 1
            spare.append(out)
            (out, self.fields, nextField) = outer
            holdsReferences = true
        }
        try nested(body)

        let bodyStart = tree.arena.count
        unsafe tree.arena.append(out.bytes)
        let hash = unsafe NodeTree.hash(tree.arena.bytes(in: identifierRange))
        tree.add(
            NodeTree.Entry(
                identifier: identifierRange, body: bodyStart..<tree.arena.count, hash: hash, type: type, order: order,
                holdsReferences: holdsReferences, previous: -1))
    }

    private mutating func encodeBody<M: CacheableModel>(_ model: M) throws(CacheError) {
        if !fields.isDynamic { out.appendHead(CBORMajor.map, UInt64(fields.count)) }
        try model.encodeFields(to: &self)
        precondition(
            fields.isDynamic || nextField == fields.count,
            "encodeFields writes every field of the table: \(M.self) wrote \(nextField) of \(fields.count)")
    }

    /// The longest identifier: LMDB, the engine with the shortest keys, keeps longer ones by a hash.
    public static let maxIdentifierBytes = 8_000
}

extension LargeStack {
    package static var noThread: CacheError { CacheError(.other, "The system has no thread for a deep tree.") }
}
