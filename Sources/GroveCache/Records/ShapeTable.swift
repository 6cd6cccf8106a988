import GroveCoding
import GroveModel

/// The shapes that a reader or a transaction has met, by their hashes.
///
/// The hash is of the names, so that no wipe and no other process makes an entry wrong. Whether a store has a shape is looked
/// up in the store; a reader's table has the shapes of queued nodes too. A shape stays as long as the table, or until ``removeAll()``.
struct ShapeTable {
    private var hashes: [UInt64] = []
    private(set) var shapes: [RecordShape] = []
    /// The index of each shape by its hash, once there are many.
    private var places: [UInt64: Int] = [:]

    private static let few = 16

    var count: Int { shapes.count }

    /// The shape of `hash`; the table keeps it.
    func find(_ hash: UInt64) -> Unmanaged<RecordShape>? {
        guard hashes.count > ShapeTable.few else {
            for index in 0..<hashes.count where hashes[index] == hash {
                return unsafe Unmanaged.passUnretained(shapes[index])
            }
            return nil
        }
        return unsafe places[hash].map { unsafe Unmanaged.passUnretained(shapes[$0]) }
    }

    mutating func add(_ shape: RecordShape) {
        guard unsafe find(shape.hash) == nil else { return }
        hashes.append(shape.hash)
        shapes.append(shape)
        guard shapes.count > ShapeTable.few else { return }
        if places.isEmpty { for index in hashes.indices { places[hashes[index]] = index } }
        places[shape.hash] = shapes.count - 1
    }

    mutating func removeAll() { self = ShapeTable() }
}

/// A node's body taken apart into its shape and its values.
struct SplitBody: ~Copyable {
    /// The first shapes that were made: most nodes have one of them.
    private var known = ShapeTable()
    private var names = ByteBuffer(capacity: 256)
    private var values = ByteBuffer(capacity: 256)

    private static let mostKnown = 16

    deinit {
        names.deallocate()
        values.deallocate()
    }

    /// Takes the body of `node` apart, unless it was encoded so; `nil` if it cannot have a shape.
    ///
    /// The result is valid until the next call.
    mutating func split(_ node: NodeTree.Node) -> ShapedBody? {
        if let shape = unsafe node.shape?.takeUnretainedValue() {
            return unsafe ShapedBody(hash: shape.hash, shape: shape.bytes, values: node.body)
        }
        for shape in known.shapes
        where unsafe isEqual(shape.recordName, node.recordName) && isEqual(shape.projection, node.projection) {
            values.removeAll()
            if unsafe shape.appendValues(of: node.body, to: &values) {
                return unsafe ShapedBody(hash: shape.hash, shape: shape.bytes, values: values.bytes)
            }
        }
        names.removeAll()
        values.removeAll()
        guard
            unsafe RecordShape.split(
                node.body, recordName: node.recordName, projection: node.projection, shape: &names, values: &values),
            let shape = try? unsafe RecordShape(names.bytes)
        else { return nil }
        if known.count < SplitBody.mostKnown { known.add(shape) }
        return unsafe ShapedBody(hash: shape.hash, shape: names.bytes, values: values.bytes)
    }
}

/// The values of a node's fields, and the shape with their names.
@safe
struct ShapedBody {
    let hash: UInt64
    /// The encoding of the shape.
    let shape: UnsafeRawBufferPointer
    let values: UnsafeRawBufferPointer
    /// Whether a record may name the shape, as the store has it, or for a reader, the reader.
    var isStored = false
}

extension RecordShape {
    /// The most shapes that a store keeps: beyond that names stay in the records.
    static let mostStored = 4_096

    /// Runs `body` with the store's key of the shape of `hash`.
    static func withKey<Value>(
        of hash: UInt64, _ body: (UnsafeRawBufferPointer) throws(CacheError) -> Value
    ) throws(CacheError) -> Value {
        // The namespace is the last byte of the first word.
        var words = (UInt64(Namespace.shape).bigEndian, hash.littleEndian)
        return try unsafe withUnsafeBytes(of: &words) { (bytes) throws(CacheError) in
            try unsafe body(UnsafeRawBufferPointer(rebasing: bytes[7...]))
        }
    }
}

extension NodeView {
    /// The shape of `hash`; `nil` if it is lost.
    ///
    /// Bytes that the view returned before may be gone.
    func shape(_ hash: UInt64) throws(CacheError) -> RecordShape? {
        try unsafe RecordShape.withKey(of: hash) { (key) throws(CacheError) -> RecordShape? in
            guard let stored = try unsafe get(key), let header = try? unsafe RecordHeader(stored, key: key),
                let shape = try? unsafe RecordShape(header.body), shape.hash == hash
            else { return nil }
            return shape
        }
    }
}
