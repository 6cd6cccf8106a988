package import GroveModel

/// The shapes that a reader or a transaction has met, by their hashes.
///
/// The hash is of the names, so that no wipe and no other process makes an entry wrong. Whether a store has a shape is
/// looked up in the store; a reader's table has the shapes of queued nodes too. A shape stays as long as the table, or
/// until ``removeAll()``.
@usableFromInline
package struct ShapeTable {
    @usableFromInline var hashes: [UInt64] = []
    @usableFromInline package internal(set) var shapes: [RecordShape] = []
    /// The index of each shape by its hash, once there are many.
    @usableFromInline var places: [UInt64: Int] = [:]

    @inlinable static var few: Int { 16 }

    package init() {}

    @inlinable
    package var count: Int { shapes.count }

    /// The shape of `hash`; the table keeps it.
    @inlinable @inline(__always)
    package func find(_ hash: UInt64) -> Unmanaged<RecordShape>? {
        guard hashes.count > ShapeTable.few else {
            for index in 0..<hashes.count where hashes[index] == hash {
                return unsafe Unmanaged.passUnretained(shapes[index])
            }
            return nil
        }
        return unsafe places[hash].map { unsafe Unmanaged.passUnretained(shapes[$0]) }
    }

    package mutating func add(_ shape: RecordShape) {
        guard unsafe find(shape.hash) == nil else { return }
        hashes.append(shape.hash)
        shapes.append(shape)
        guard shapes.count > ShapeTable.few else { return }
        if places.isEmpty { for index in hashes.indices { places[hashes[index]] = index } }
        places[shape.hash] = shapes.count - 1
    }

    package mutating func removeAll() { self = ShapeTable() }
}

/// A node's body taken apart into its shape and its values.
package struct SplitBody: ~Copyable {
    /// The first shapes that were made: most nodes have one of them.
    private var known = ShapeTable()
    private var names = ByteBuffer(capacity: 256)
    private var values = ByteBuffer(capacity: 256)

    private static let mostKnown = 16

    package init() {}

    deinit {
        names.deallocate()
        values.deallocate()
    }

    /// Takes the body of `node` apart, unless it was encoded so; `nil` if it cannot have a shape.
    ///
    /// The result is valid until the next call.
    package mutating func split(_ node: NodeTree.Node) -> ShapedBody? {
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
package struct ShapedBody {
    package let hash: UInt64
    /// The encoding of the shape.
    package let shape: UnsafeRawBufferPointer
    package let values: UnsafeRawBufferPointer
    /// Whether a record may name the shape, as the store has it, or for a reader, the reader.
    package var isStored = false
}

extension RecordShape {
    /// The most shapes that a store keeps: beyond that names stay in the records.
    package static let mostStored = 4_096

    /// Runs `body` with the store's key of the shape of `hash`.
    package static func withKey<Value>(
        of hash: UInt64, _ body: (UnsafeRawBufferPointer) throws(CacheError) -> Value
    ) throws(CacheError) -> Value {
        // The namespace is the last byte of the first word.
        var words = (UInt64(Namespace.shape).bigEndian, hash.littleEndian)
        return try unsafe withUnsafeBytes(of: &words) { (bytes) throws(CacheError) in
            try unsafe body(UnsafeRawBufferPointer(rebasing: bytes[7...]))
        }
    }
}
