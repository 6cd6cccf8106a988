import GroveCoding
import GroveModel

/// A node with two children, for chains, diamonds and cycles; a class, so that a value may have more paths than memory.
final class Twin: CacheableModel {
    let id: String
    let left: Twin?
    let right: Twin?

    init(_ id: String, left: Twin? = nil, right: Twin? = nil) {
        self.id = id
        self.left = left
        self.right = right
    }

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    /// Compares nodes, not trees: a tree of diamonds has too many paths to compare.
    func isEqual(to model: any SimpleModel) -> Bool {
        guard let other = model as? Twin else { return false }
        return id == other.id && left?.id == other.left?.id && right?.id == other.right?.id
    }

    static let fields = FieldTable("id", "left", "right")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(left, at: 1)
        try node.encode(right, at: 2)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Twin {
        let id = try node.scan(String.self, at: 0)
        let left = try node.scan(Twin?.self, at: 1)
        let right = try node.scan(Twin?.self, at: 2)
        return Twin(try node.finish(id), left: try node.finish(left), right: try node.finish(right))
    }

    /// A chain of `count` levels that hold each other by `left`: `prefix` and 1 is the outermost.
    static func chain(_ count: Int, _ prefix: String = "Twin:", from first: Int = 1) -> Twin? {
        var link: Twin?
        for level in stride(from: first + count - 1, through: first, by: -1) {
            link = Twin("\(prefix)\(level)", left: link)
        }
        return link
    }

    /// `count` levels, each holding the next one twice: 2^(`count` - 1) paths through `count` nodes.
    static func tower(_ count: Int, _ prefix: String = "Twin:") -> Twin? {
        var node: Twin?
        for level in stride(from: count, through: 1, by: -1) {
            node = Twin("\(prefix)\(level)", left: node, right: node)
        }
        return node
    }

    /// How many levels hang together by `left`, this one included.
    var depth: Int {
        var depth = 1
        var node = left
        while let next = node {
            depth += 1
            node = next.left
        }
        return depth
    }
}

/// A projection of ``Twin``'s record with only the left child, and only the identifier of that child.
///
/// It writes that one twin holds another without writing the children of the other.
struct TwinLink: CacheableModel, Equatable {
    let id: String
    let left: TwinName

    static var recordName: String { "Twin" }

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    static let fields = FieldTable("id", "left")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(left, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> TwinLink {
        let id = try node.scan(String.self, at: 0)
        let left = try node.scan(TwinName.self, at: 1)
        return TwinLink(id: try node.finish(id), left: try node.finish(left))
    }
}

/// A projection of ``Twin``'s record that carries the identifier alone.
struct TwinName: CacheableModel, Equatable {
    let id: String

    static var recordName: String { "Twin" }

    var modelIdentifier: ModelIdentifier? { ModelIdentifier(id) }

    static let fields = FieldTable("id")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) { try node.encode(id, at: 0) }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> TwinName {
        let id = try node.scan(String.self, at: 0)
        return TwinName(id: try node.finish(id))
    }
}
