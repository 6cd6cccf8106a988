import GroveCoding
import GroveModel

/// Shapes: names that are stored once for all records that have them.
///
/// Each transaction looks once for each shape that it needs: a shape that was lost is stored again by the next write of a node
/// that has it, also if the node's own record says the same already.
extension WriteTransaction {
    /// `node` without its names; its shape is stored, unless there is no room for it.
    mutating func shaped(_ node: NodeTree.Node) throws(CacheError) -> ShapedBody? {
        guard var shaped = splitBody.split(node) else { return nil }
        // Nodes of one type are written one after the other.
        if shaped.hash == lastShape.hash {
            shaped.isStored = lastShape.isStored
            return shaped
        }
        var (place, end) = (0, shapesStored.count)
        while place < end {
            let middle = (place + end) / 2
            if shapesStored[middle].hash < shaped.hash { place = middle + 1 } else { end = middle }
        }
        if place < shapesStored.count, shapesStored[place].hash == shaped.hash {
            shaped.isStored = shapesStored[place].isStored
        } else {
            shaped.isStored = try store(shaped)
            shapesStored.insert((shaped.hash, shaped.isStored), at: place)
        }
        lastShape = (shaped.hash, shaped.isStored)
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
            let (body, noName) = unsafe (shaped.shape, UnsafeRawBufferPointer(start: nil, count: 0))
            try unsafe store(key) { (out) throws(CacheError) in
                try unsafe RecordBuilder.build(
                    into: &out, key: key, flags: [], sequence: .zero, time: 0, deletion: .none, recordName: noName,
                    projection: noName, body: body)
            }
            return true
        }
    }

    /// What is stored under `key`, a node's that is to become `shaped`; its shape is that one, among ``shapes``, or lost.
    mutating func findNode(
        _ key: UnsafeRawBufferPointer, becoming shaped: ShapedBody?
    ) throws(CacheError) -> UnsafeRawBufferPointer? {
        let stored = try unsafe transaction.get(key)
        guard let hash = unsafe stored.flatMap({ unsafe RecordHeader.shapeHash(of: $0) }),
            hash != shaped?.hash, unsafe shapes.find(hash) == nil
        else { return unsafe stored }
        guard let shape = try transaction.shape(hash) else { return try unsafe transaction.get(key) }
        shapes.add(shape)
        return try unsafe transaction.get(key)
    }
}
