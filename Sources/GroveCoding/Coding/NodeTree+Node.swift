import GroveModel

/// What a tree is made of.
extension NodeTree {
    /// One distinct node.
    package struct Entry {
        package let hash: UInt64
        let identifierStart: Int
        let bodyStart: Int
        package let bodyCount: Int
        package internal(set) var order: Int
        private let shortCount: Int32
        private let typeNumber: Int32
        private let previousNumber: Int32
        package let holdsReferences: Bool

        init(
            identifier: Range<Int>, body: Range<Int>, hash: UInt64, type: Int, order: Int, holdsReferences: Bool,
            previous: Int
        ) {
            self.hash = hash
            identifierStart = identifier.lowerBound
            shortCount = Int32(identifier.count)
            bodyStart = body.lowerBound
            bodyCount = body.count
            typeNumber = Int32(type)
            self.order = order
            self.holdsReferences = holdsReferences
            previousNumber = Int32(previous)
        }

        package var identifierCount: Int { Int(shortCount) }
        package var type: Int { Int(typeNumber) }
        /// The entry of the same identifier that was added before, or -1.
        package var previous: Int { Int(previousNumber) }
    }

    /// A record name and a projection, as several entries share them.
    package struct TypeNames: Equatable {
        package var record: [UInt8]
        package var projection: [UInt8]

        package init(record: String, projection: String) {
            self.record = Array(record.utf8)
            self.projection = Array(projection.utf8)
        }
    }

    /// One distinct node where it lies: all of it is valid as long as the tree is.
    @safe
    package struct Node {
        /// The node's key in a store: ``NodeTree/keyPrefix`` and its identifier.
        package let key: UnsafeRawBufferPointer
        package let body: UnsafeRawBufferPointer
        package let recordName: UnsafeRawBufferPointer
        package let projection: UnsafeRawBufferPointer
        package let type: Int
        package let holdsReferences: Bool
    }

    /// Why one tree cannot hold a node as two types that do not share a record.
    static func twoRecordNames(
        _ former: TypeNames, _ latter: TypeNames, _ identifier: UnsafeRawBufferPointer
    ) -> CacheError {
        let (former, latter) = (
            String(decoding: former.record, as: UTF8.self), String(decoding: latter.record, as: UTF8.self)
        )
        return unsafe CacheError(
            .unencodable,
            "The tree holds one identifier as \(former) and as \(latter), and a record has one type; give them different "
                + "identifiers, or one `recordName`.",
            identifier: ModelIdentifier(String(decoding: identifier, as: UTF8.self)))
    }
}
