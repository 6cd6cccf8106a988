import GroveCoding
import GroveModel

/// An identified object of a document, or the document itself: a model whose fields are known only at run time.
struct DocumentNode: CacheableModel {
    /// What a node is stored as; `nil` for the document itself, and for a node that was read.
    struct Identity: Sendable {
        let identifier: ModelIdentifier
        let recordName: String
        /// Occurrences with the same fields are one projection.
        let projectionName: String
        /// The type as which the node is coded through `Codable`, if it has one.
        var model: (any DocumentModel.Type)?
    }

    let identity: Identity?
    let content: DocumentValue
    /// How many nodes a full expansion of this one prints, itself included.
    let paths: Int
    /// The node's identifier and what failed, if it could not be read.
    private(set) var failure: (identifier: ModelIdentifier, reason: NodeReadFailure)?

    init(identity: Identity?, content: DocumentValue) {
        self.identity = identity
        self.content = content
        paths = min(content.paths + 1, DocumentNode.maxPaths + 1)
    }

    /// A node that cannot be read, as `failure` says; `nil` if that says nothing of the node.
    init?(_ identifier: ModelIdentifier, unreadable failure: NodeReadFailure) {
        switch failure {
        case .corrupted, .miss: break
        case .failed(let error) where error.code == .corrupted || error.code == .inputOutput: break
        case .failed, .deleted, .otherShape, .incomplete: return nil
        }
        self.init(
            identity: nil, content: .plain([JSON.referenceKey: .string(identifier.rawValue)]))
        self.failure = (identifier, failure)
    }

    /// What `expand` makes of the tree, if it may be `whole` as it is.
    func rebuilt(
        _ whole: Wholeness, _ expand: (DocumentNode) throws(CacheError) -> JSON
    ) throws(CacheError) -> CacheRead<RebuiltJSON> {
        let json = try expand(self)
        var failures: [(identifier: ModelIdentifier, reason: NodeReadFailure)] = []
        DocumentValue.node(self).forEachNode { if let failure = $0.failure { failures.append(failure) } }
        if whole == .whole, let first = failures.first {
            switch first.reason {
            case .miss(let miss): return .miss(miss)
            case .failed(let error): throw error
            default: throw CacheError(.corrupted, "The stored record is damaged.", identifier: first.identifier)
            }
        }
        var seen: Set<ModelIdentifier> = []
        return .hit(RebuiltJSON(json: json, unreadable: failures.map(\.identifier).filter { seen.insert($0).inserted }))
    }

    /// The most nodes that an expanded document may print: as many as a cache takes in one tree.
    static let maxPaths = NodeTree.maxPaths

    static var fields: FieldTable { .dynamic }
    static var recordName: String { "Document" }
    static var acceptsAnyRecordName: Bool { true }
    var modelIdentifier: ModelIdentifier? { identity?.identifier }

    func isEqual(to model: any SimpleModel) -> Bool {
        guard let other = model as? DocumentNode else { return false }
        return content.json.firstDifference(from: other.content.json) == nil
    }

    /// The node with every node in it expanded in its place.
    ///
    /// - Throws: ``CacheError`` with code `tooManyPaths` if printing it would never end.
    func expanded() throws(CacheError) -> JSON { try DocumentValue.node(self).expanded() }

    // MARK: Writing

    func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) {
        guard let identity else { return try encoder.encodeModel(self) }
        try encoder.encodeNode(
            identifier: identity.identifier, recordName: identity.recordName, projectionName: identity.projectionName
        ) { (encoder) throws(CacheError) in
            try content.encode(to: &encoder)
        }
    }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) { try content.encode(to: &node) }

    // MARK: Reading

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> DocumentNode {
        let count = try node.readMapHead()
        var order = EncodingOrder()
        var fields: [(key: String, value: DeferredValue)] = []
        for _ in 0..<count {
            try order.check(node)
            let key = try node.readString()
            fields.append((key, try node.setAside()))
        }
        var members: [DocumentMember] = []
        members.reserveCapacity(fields.count)
        for field in fields {
            var decoder = node.reading(field.value)
            members.append(DocumentMember(field.key, try DocumentValue(unlessDeleted: &decoder) ?? .plain(.null)))
        }
        return DocumentNode(identity: nil, content: .object(members))
    }
}
