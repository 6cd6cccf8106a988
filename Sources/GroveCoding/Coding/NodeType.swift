import GroveModel

/// The common properties of the nodes of one type: their names, and the shape of their fields if a table has these.
@safe
// SAFETY: nothing is changed after `init`; the memory that the names lie in is freed with the object.
package final class NodeType: @unchecked Sendable {
    package let recordName: UnsafeRawBufferPointer
    package let projection: UnsafeRawBufferPointer
    /// The shape with the names of the fields; `nil` if nodes of the type write these names themselves.
    package let shape: RecordShape?
    /// The keys of the table from which the shape was made.
    fileprivate let keys: UnsafeRawPointer
    /// The memory of the names, if these are not in the shape.
    private let memory: UnsafeMutableRawBufferPointer?

    /// The type of nodes with these names; `fields` are the fields of each such node, or ``FieldTable/dynamic``.
    package init(recordName: String, projection: String, fields: FieldTable = .dynamic) {
        unsafe keys = unsafe fields.keys
        shape = RecordShape(recordName: recordName, projection: projection, fields: fields)
        if let shape {
            unsafe (self.recordName, self.projection, memory) = unsafe (shape.recordName, shape.projection, nil)
            return
        }
        let names = Array(recordName.utf8) + Array(projection.utf8)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: names.count, alignment: 1)
        unsafe memory.copyBytes(from: names)
        let count = recordName.utf8.count
        unsafe self.recordName = unsafe UnsafeRawBufferPointer(rebasing: memory[..<count])
        unsafe self.projection = unsafe UnsafeRawBufferPointer(rebasing: memory[count...])
        unsafe self.memory = unsafe memory
    }

    deinit { unsafe memory?.deallocate() }

    /// The type of `model`, whose fields are `fields`; it is made once, as long as ``TypeMap`` has room.
    static func of(_ model: any SimpleModel.Type, _ fields: FieldTable) -> NodeType {
        let object = ObjectIdentifier(model)
        return all.find(object, object) {
            NodeType(recordName: model.recordName, projection: model.projectionName, fields: fields)
        }
    }

    private static let all = TypeMap()

    /// Whether nodes of both types have the same record name.
    func hasRecord(of other: NodeType) -> Bool {
        unsafe self === other || isEqual(recordName, other.recordName)
    }

    /// Whether nodes of both types have the same record name and the same projection.
    package func hasNames(of other: NodeType) -> Bool {
        unsafe self === other || isEqual(recordName, other.recordName) && isEqual(projection, other.projection)
    }

    /// The record name, for messages.
    package var name: String { unsafe String(decoding: recordName, as: UTF8.self) }
}

/// A type in a tree, with the properties that each node needs, so that using these counts no reference.
@safe
struct MetType {
    let type: NodeType
    /// The Swift type; `nil` if models choose their names one by one.
    let model: ObjectIdentifier?
    let recordName: UnsafeRawBufferPointer
    let projection: UnsafeRawBufferPointer
    let shape: Unmanaged<RecordShape>?
    private let keys: UnsafeRawPointer

    init(_ type: NodeType, _ model: ObjectIdentifier?) {
        self.type = type
        self.model = model
        unsafe (recordName, projection, keys) = unsafe (type.recordName, type.projection, type.keys)
        unsafe shape = type.shape.map { unsafe .passUnretained($0) }
    }

    /// Whether a node with `fields` is written by its values alone.
    ///
    /// The type may have had another table when its shape was made.
    @inline(__always)
    func isShaped(_ fields: FieldTable) -> Bool { unsafe shape != nil && keys == fields.keys }
}
