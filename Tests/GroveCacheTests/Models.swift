import GroveCoding
import GroveModel

/// A person: a leaf node.
struct Person: Model, CacheableModel, Equatable {
    var id: String
    var name: String
    var age: Int

    var modelIdentifier: ModelIdentifier? { "Person:\(id)" }
    func map(_ transform: (any Model) -> (any Model)?) -> Person? { self }
    func forEach(_ visit: (any Model) -> Void) {}

    static let fields = FieldTable("id", "age", "name")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(age, at: 1)
        try node.encode(name, at: 2)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Person {
        let id = try node.scan(String.self, at: 0)
        let age = try node.scan(Int.self, at: 1)
        let name = try node.scan(String.self, at: 2)
        return Person(id: try node.finish(id), name: try node.finish(name), age: try node.finish(age))
    }
}

/// A message: a node with children of every kind.
struct Message: Model, CacheableModel, Equatable {
    var id: String
    var text: String
    var sender: Person
    var editor: Person?
    var readers: [Person] = []

    var modelIdentifier: ModelIdentifier? { "Message:\(id)" }

    func map(_ transform: (any Model) -> (any Model)?) -> Message? {
        guard let sender = transform(sender) as? Person else { return nil }
        return Message(
            id: id, text: text, sender: sender, editor: editor.flatMap { transform($0) as? Person },
            readers: readers.compactMap { transform($0) as? Person })
    }

    func forEach(_ visit: (any Model) -> Void) {
        if let editor { visit(editor) }
        visit(sender)
        for reader in readers { visit(reader) }
    }

    static let fields = FieldTable("id", "text", "editor", "sender", "readers")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(text, at: 1)
        try node.encode(editor, at: 2)
        try node.encode(sender, at: 3)
        try node.encode(readers, at: 4)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Message {
        let id = try node.scan(String.self, at: 0)
        let text = try node.scan(String.self, at: 1)
        let editor = try node.scan(Person?.self, at: 2)
        let sender = try node.scan(Person.self, at: 3)
        let readers = try node.scan([Person].self, at: 4)
        return Message(
            id: try node.finish(id), text: try node.finish(text), sender: try node.finish(sender),
            editor: try node.finish(editor), readers: try node.finish(readers))
    }
}

/// A node with two children of its own kind: chains, diamonds and cycles.
final class Fork: Model, CacheableModel {
    let id: String
    let left: Fork?
    let right: Fork?

    init(_ id: String, _ left: Fork? = nil, _ right: Fork? = nil) {
        self.id = id
        self.left = left
        self.right = right
    }

    var modelIdentifier: ModelIdentifier? { "Fork:\(id)" }
    func isEqual(to model: any SimpleModel) -> Bool { (model as? Fork)?.id == id }

    func map(_ transform: (any Model) -> (any Model)?) -> Self? {
        Self(id, left.flatMap { transform($0) as? Fork }, right.flatMap { transform($0) as? Fork })
    }

    func forEach(_ visit: (any Model) -> Void) {
        if let left { visit(left) }
        if let right { visit(right) }
    }

    static let fields = FieldTable("id", "left", "right")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(left, at: 1)
        try node.encode(right, at: 2)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Fork {
        let id = try node.scan(String.self, at: 0)
        let left = try node.scan(Fork?.self, at: 1)
        let right = try node.scan(Fork?.self, at: 2)
        return Fork(try node.finish(id), try node.finish(left), try node.finish(right))
    }
}

/// A projection of ``Fork`` that knows only its own identifier.
struct ForkStub: SimpleModel, CacheableModel, Equatable {
    var id: String

    var modelIdentifier: ModelIdentifier? { "Fork:\(id)" }
    static let recordName = "Fork"
    static let fields = FieldTable("id")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) { try node.encode(id, at: 0) }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> ForkStub {
        let id = try node.scan(String.self, at: 0)
        return ForkStub(id: try node.finish(id))
    }
}

/// A projection of ``Fork`` whose children are stubs: with it a graph is written one node at a time, cycles included.
struct ForkLink: SimpleModel, CacheableModel, Equatable {
    var id: String
    var left: ForkStub?
    var right: ForkStub?

    var modelIdentifier: ModelIdentifier? { "Fork:\(id)" }
    static let recordName = "Fork"
    static let fields = FieldTable("id", "left", "right")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(left, at: 1)
        try node.encode(right, at: 2)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> ForkLink {
        let id = try node.scan(String.self, at: 0)
        let left = try node.scan(ForkStub?.self, at: 1)
        let right = try node.scan(ForkStub?.self, at: 2)
        return ForkLink(id: try node.finish(id), left: try node.finish(left), right: try node.finish(right))
    }
}

/// A projection of ``Fork`` that knows one of the two children.
struct ForkHalf: SimpleModel, CacheableModel, Equatable {
    var id: String
    var left: ForkStub?

    var modelIdentifier: ModelIdentifier? { "Fork:\(id)" }
    static let recordName = "Fork"
    static let fields = FieldTable("id", "left")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(left, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> ForkHalf {
        let id = try node.scan(String.self, at: 0)
        let left = try node.scan(ForkStub?.self, at: 1)
        return ForkHalf(id: try node.finish(id), left: try node.finish(left))
    }
}

/// A projection of ``Fork`` that leaves the children out that it has none of, as a record of another version might.
struct ForkSparse: SimpleModel, CacheableModel, Equatable {
    var id: String
    var left: ForkStub?
    var right: ForkStub?

    var modelIdentifier: ModelIdentifier? { "Fork:\(id)" }
    static let recordName = "Fork"
    static let fields = FieldTable.dynamic

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        node.writeMapHead(count: 1 + (left == nil ? 0 : 1) + (right == nil ? 0 : 1))
        node.write("id")
        node.write(id)
        if let left {
            node.write("left")
            try left.encodeValue(to: &node)
        }
        if let right {
            node.write("right")
            try right.encodeValue(to: &node)
        }
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> ForkSparse {
        try node.skip()
        return ForkSparse(id: "")
    }
}
