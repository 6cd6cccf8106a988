import GroveModel

/// The parts of a tree.
extension NodeTree {
    /// One distinct node.
    package struct Entry {
        package let hash: UInt64
        let identifierStart: Int
        var bodyStart = 0
        package let bodyCount: Int
        package internal(set) var order: Int
        private let shortCount: Int32
        private let typeNumber: Int32
        private var previousNumber: Int32
        /// Whether the body is the values of the type's shape, without the names.
        package let isShaped: Bool
        package let holdsReferences: Bool

        init(
            identifier: Range<Int>, bodyCount: Int, hash: UInt64, type: Int, isShaped: Bool, order: Int,
            holdsReferences: Bool, previous: Int
        ) {
            self.hash = hash
            identifierStart = identifier.lowerBound
            shortCount = Int32(identifier.count)
            self.bodyCount = bodyCount
            typeNumber = Int32(type)
            self.isShaped = isShaped
            self.order = order
            self.holdsReferences = holdsReferences
            previousNumber = Int32(previous)
        }

        package var identifierCount: Int { Int(shortCount) }
        package var type: Int { Int(typeNumber) }
        /// The entry of the same identifier that was added before, or -1.
        package internal(set) var previous: Int {
            get { Int(previousNumber) }
            set { previousNumber = Int32(newValue) }
        }
    }

    /// One distinct node in the tree's memory, valid as long as the tree exists.
    @safe
    package struct Node {
        /// The node's key in a store: ``Namespace/node`` and its identifier.
        package let key: UnsafeRawBufferPointer
        /// The map of the fields; if there is a shape, their values alone.
        package let body: UnsafeRawBufferPointer
        /// The shape with the names of the fields, if these are not in the body.
        package let shape: Unmanaged<RecordShape>?
        package let recordName: UnsafeRawBufferPointer
        package let projection: UnsafeRawBufferPointer
        package let type: Int
        package let holdsReferences: Bool
    }

    /// The error of a tree that holds a node as two types which do not share a record.
    static func twoRecordNames(
        _ former: NodeType, _ latter: NodeType, _ identifier: UnsafeRawBufferPointer
    ) -> CacheError {
        unsafe CacheError(
            .unencodable,
            "The tree holds one identifier as \(former.name) and as \(latter.name), and a record has one type; give them different "
                + "identifiers, or one `recordName`.",
            identifier: ModelIdentifier(String(decoding: identifier, as: UTF8.self)))
    }
}
