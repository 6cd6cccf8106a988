import GroveCoding
import GroveModel

/// The names that a reader has met; kept from read to read.
struct LearntNames: ~Copyable {
    /// The names of records' fields.
    var shapes = ShapeTable()
    private var splitBody = SplitBody()
    /// The names of types' records and projections.
    private(set) var types: [TypeNames] = []

    struct TypeNames {
        let type: ObjectIdentifier
        let acceptsAnyRecordName: Bool
        /// Whether the type reads its record's map by itself.
        let isDynamic: Bool
        let record: ByteBuffer
        let projection: ByteBuffer
        /// Whether the two are the same, as they are of a type that declares neither.
        let isNamedAlike: Bool
    }

    deinit {
        for type in types {
            type.record.deallocate()
            type.projection.deallocate()
        }
    }

    /// Forgets the shapes if they are more than a store has.
    mutating func limitShapes() {
        if shapes.count > RecordShape.mostStored { shapes.removeAll() }
    }

    /// The index of the names of `type` in ``types``.
    mutating func index(of type: any CacheableModel.Type) -> Int {
        let object = ObjectIdentifier(type)
        var index = 0
        while index < types.count {
            if types[index].type == object { return index }
            index += 1
        }
        var record = ByteBuffer(capacity: 32)
        for byte in type.recordName.utf8 { record.append(byte) }
        var projection = ByteBuffer(capacity: 32)
        for byte in type.projectionName.utf8 { projection.append(byte) }
        types.append(
            TypeNames(
                type: object, acceptsAnyRecordName: type.acceptsAnyRecordName, isDynamic: type.fields.isDynamic,
                record: record, projection: projection,
                isNamedAlike: unsafe !type.acceptsAnyRecordName && isEqual(record.bytes, projection.bytes)))
        return types.count - 1
    }

    /// `node` without its names.
    ///
    /// If it came with a shape, this reader knows that shape from now on.
    mutating func shaped(_ node: NodeTree.Node) -> ShapedBody? {
        var shaped = splitBody.split(node)
        if let shape = unsafe node.shape?.takeUnretainedValue() {
            shapes.add(shape)
            let known = unsafe shapes.find(shape.hash)?.takeUnretainedValue()
            shaped?.isStored = known.map { unsafe $0 === shape || isEqual($0.bytes, shape.bytes) } ?? false
        }
        return shaped
    }
}
