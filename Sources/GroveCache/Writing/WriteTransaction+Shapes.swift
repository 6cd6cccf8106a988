import GroveCoding
import GroveModel

/// Shapes: names that are stored once for all records that have them.
///
/// Each transaction looks once for each shape that it needs. So the next write of a node stores its lost shape again,
/// even if the node's own record says the same already.
extension WriteTransaction {
    /// `node` without its names; its shape is stored, unless there is no room for it.
    mutating func shaped(_ node: NodeTree.Node) throws(CacheError) -> ShapedBody? {
        guard var shaped = shapes.split(node) else { return nil }
        if let isStored = shapes.isStored(shaped.hash) {
            shaped.isStored = isStored
        } else {
            shaped.isStored = try store(shaped)
            shapes.note(shaped.hash, isStored: shaped.isStored)
        }
        return shaped
    }

    /// Stores the shape of `shaped`, if it is not stored; false if there is no room for it.
    private mutating func store(_ shaped: ShapedBody) throws(CacheError) -> Bool {
        try unsafe RecordShape.withKey(of: shaped.hash) { (key) throws(CacheError) -> Bool in
            if let existing = try unsafe transaction.get(key) {
                do throws(RecordHeader.Failure) {
                    // Other names of one hash stay: those of the node are then in its record.
                    return try unsafe isEqual(RecordHeader(existing, key: key).body, shaped.shape)
                } catch {
                    guard case .corrupted = error else { return false }
                }
            } else {
                guard stored.shapes < RecordShape.mostStored else { return false }
                stored.shapes += 1
            }
            let body = unsafe shaped.shape
            try unsafe store(key) { (out) throws(CacheError) in
                try unsafe RecordBuilder.build(into: &out, key: key, body: body)
            }
            return true
        }
    }

    /// The stored record of the node under `key`, which is to become `shaped`.
    ///
    /// Its shape, if it has one, is that of `shaped`, is among ``KnownShapes/met``, or is lost.
    mutating func findNode(
        _ key: UnsafeRawBufferPointer, becoming shaped: ShapedBody?
    ) throws(CacheError) -> UnsafeRawBufferPointer? {
        let stored = try unsafe transaction.get(key)
        guard let hash = unsafe stored.flatMap({ unsafe RecordHeader.shapeHash(of: $0) }),
            hash != shaped?.hash, unsafe shapes.met.find(hash) == nil
        else { return unsafe stored }
        guard let shape = try transaction.shape(hash) else { return try unsafe transaction.get(key) }
        shapes.met.add(shape)
        return try unsafe transaction.get(key)
    }
}

/// The shapes that one transaction has to do with.
struct KnownShapes: ~Copyable {
    /// The shapes of stored records that were met.
    var met = ShapeTable()
    /// The shapes that were looked for in the store, by their hashes, and whether it has them.
    private var stored: [UInt64: Bool] = [:]
    /// The one of them that was needed last: nodes of one type are written one after the other.
    private var last: (hash: UInt64, isStored: Bool) = (0, false)
    private var splitBody = SplitBody()

    /// `node` as its shape and its values; `nil` if it has none.
    mutating func split(_ node: NodeTree.Node) -> ShapedBody? { splitBody.split(node) }

    /// Whether the store has the shape; `nil` if it was not looked for.
    mutating func isStored(_ hash: UInt64) -> Bool? {
        if hash == last.hash { return last.isStored }
        guard let isStored = stored[hash] else { return nil }
        last = (hash, isStored)
        return isStored
    }

    /// Notes whether the store has the shape.
    mutating func note(_ hash: UInt64, isStored: Bool) {
        last = (hash, isStored)
        stored[hash] = isStored
    }
}
