import GroveModel

/// The outermost identified objects of a user's document, as dynamic values.
struct DocumentData: CompareData {
    typealias Tree = DocumentNode
    typealias Leaf = DocumentNode

    private let roots: [DocumentNode]
    var count: Int { roots.count }
    var coding: String { "specialised" }
    var mayHoldCircles: Bool { true }

    init(_ document: Document) {
        var last: [ModelIdentifier: Int] = [:]
        var nodes: [DocumentNode] = []
        document.root.content.forEachOutermostNode { node in
            if let identifier = node.modelIdentifier { last[identifier] = nodes.count }
            nodes.append(node)
        }
        roots = last.values.sorted().map { nodes[$0] }
    }

    func trees(version: Int, in range: Range<Int>) -> [DocumentNode] { roots[range].map { $0.version(version) } }

    /// The same, coded through `Codable`.
    var codable: any CompareData {
        let types = DocumentTypes(of: trees(version: 0))
        func make<Root: DocumentShape>(_ root: Root.Type) -> any CompareData {
            CodableDocumentData<Root>(data: self, types: types)
        }
        return make(types.root)
    }
}

/// The outermost identified objects of a user's document, coded through `Codable`: each of its nodes of a type that has
/// the names that the dynamic node has.
struct CodableDocumentData<Root: DocumentShape>: CompareData {
    typealias Tree = CodableDocumentTree<Root>
    typealias Leaf = CodableDocumentTree<Root>

    let data: DocumentData
    let types: DocumentTypes
    var coding: String { "codable" }
    var mayHoldCircles: Bool { true }

    var count: Int { data.count }

    func trees(version: Int, in range: Range<Int>) -> [CodableDocumentTree<Root>] {
        data.trees(version: version, in: range).map { CodableDocumentTree(node: types.typed($0)) }
    }
}

extension DocumentValue {
    /// Calls `visit` with each node that stands in no other.
    fileprivate func forEachOutermostNode(_ visit: (DocumentNode) -> Void) {
        switch self {
        case .plain: break
        case .node(let node): visit(node)
        case .array(let elements): for element in elements { element.forEachOutermostNode(visit) }
        case .object(let members): for member in members { member.value.forEachOutermostNode(visit) }
        }
    }

    fileprivate func version(_ version: Int) -> DocumentValue {
        switch self {
        case .plain: self
        case .node(let node): .node(node.version(version))
        case .array(let elements): .array(elements.map { $0.version(version) })
        case .object(let members):
            .object(members.map { DocumentMember($0.key, $0.value.version(version)) }.inRecordOrder)
        }
    }
}

extension DocumentNode {
    /// The node with a field that makes it differ from other versions.
    fileprivate func version(_ version: Int) -> DocumentNode {
        let marker = DocumentMember("grove.version", .plain(JSON(version)))
        switch content.version(version) {
        case .object(let members):
            return DocumentNode(identity: identity, content: .object((members + [marker]).inRecordOrder))
        case .plain(.object(let members)):
            let members = members.map { DocumentMember($0.key, .plain($0.value)) } + [marker]
            return DocumentNode(identity: identity, content: .object(members.inRecordOrder))
        case let other: return DocumentNode(identity: identity, content: other)
        }
    }
}

extension [DocumentMember] {
    /// The members in the order in which a record holds them, which decides between occurrences of one identifier
    /// whatever the coding: a `Codable` type has no order of its own.
    fileprivate var inRecordOrder: [DocumentMember] {
        sorted { left, right in
            let (first, second) = (left.key.utf8, right.key.utf8)
            return first.count != second.count ? first.count < second.count : first.lexicographicallyPrecedes(second)
        }
    }
}
