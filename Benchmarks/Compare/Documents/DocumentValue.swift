import GroveModel

/// A value of a document whose identified objects are nodes.
indirect enum DocumentValue: Sendable {
    /// A value that holds no nodes.
    case plain(JSON)
    case array([DocumentValue])
    case object([DocumentMember])
    case node(DocumentNode)

    /// How many nodes a full expansion prints; it stops counting past ``DocumentNode/maxPaths``.
    var paths: Int {
        switch self {
        case .plain: 0
        case .array(let elements): elements.reduce(0) { min($0 + $1.paths, DocumentNode.maxPaths + 1) }
        case .object(let members): members.reduce(0) { min($0 + $1.value.paths, DocumentNode.maxPaths + 1) }
        case .node(let node): node.paths
        }
    }

    /// The value with every node expanded in its place.
    var json: JSON {
        switch self {
        case .plain(let value): value
        case .array(let elements): .array(elements.map(\.json))
        case .object(let members): .object(members.map { JSONMember($0.key, $0.value.json) })
        case .node(let node): node.content.json
        }
    }

    /// The value with every node expanded in its place.
    ///
    /// - Throws: ``CacheError`` with code `tooManyPaths` if printing it would never end.
    func expanded() throws(CacheError) -> JSON {
        guard paths <= DocumentNode.maxPaths else {
            throw CacheError(.tooManyPaths, "The tree has more than \(DocumentNode.maxPaths) paths.")
        }
        return json
    }
}

extension DocumentValue {
    /// Calls `visit` with each node of the value, as often as it stands there.
    func forEachNode(_ visit: (DocumentNode) -> Void) {
        switch self {
        case .plain: break
        case .array(let elements): for element in elements { element.forEachNode(visit) }
        case .object(let members): for member in members { member.value.forEachNode(visit) }
        case .node(let node):
            visit(node)
            node.content.forEachNode(visit)
        }
    }

    /// The value with each node replaced by what `transform` makes of it, inner nodes first.
    func mapNodes(_ transform: (DocumentNode) -> DocumentNode) -> DocumentValue {
        switch self {
        case .plain: self
        case .node(let node): .node(node.mapNodes(transform))
        case .array(let elements): .array(elements.map { $0.mapNodes(transform) })
        case .object(let members): .object(members.map { DocumentMember($0.key, $0.value.mapNodes(transform)) })
        }
    }
}

extension DocumentNode {
    /// The tree with each node replaced by what `transform` makes of it, this one last.
    func mapNodes(_ transform: (DocumentNode) -> DocumentNode) -> DocumentNode {
        transform(DocumentNode(identity: identity, content: content.mapNodes(transform)))
    }
}

/// A member of an object of a document.
struct DocumentMember: Sendable {
    let key: String
    let value: DocumentValue

    init(_ key: String, _ value: DocumentValue) {
        self.key = key
        self.value = value
    }
}
