import GroveCache
import GroveMemory
import GroveModel

/// A document in a cache, to be read as types that were written for it.
///
/// A record says itself what it holds, whoever wrote it: so the document's dynamic nodes are stored, under the names of
/// the types, and the types read them.
struct TypedDocument {
    private let cache: MemoryCache
    private let roots: [ModelIdentifier]
    /// Where the document comes from, for messages.
    private let file: String

    /// Stores the trees of `document`.
    ///
    /// - Parameter types: the types of its nodes.
    /// - Throws: ``ToolError`` where the rules make a node that none of them is.
    init(_ document: DocumentData, of file: String, as types: [any CacheableModel.Type]) throws(ToolError) {
        let projections = Dictionary(types.map { ($0.recordName, $0.projectionName) }) { first, _ in first }
        let nodes = try document.nodes.map { node throws(ToolError) in
            try node.mapNodes { node throws(ToolError) in
                guard let identity = node.identity else { return node }
                guard let projection = projections[identity.recordName] else {
                    throw .input(
                        "the identity rules give \(identity.identifier) of \(file) the type \(identity.recordName); "
                            + "these models have types for \(projections.keys.sorted().joined(separator: " and "))")
                }
                let typed = DocumentNode.Identity(
                    identifier: identity.identifier, recordName: identity.recordName, projectionName: projection)
                return DocumentNode(identity: typed, content: node.content)
            }
        }
        roots = nodes.compactMap(\.modelIdentifier)
        self.file = file
        cache = try ToolError.wrapping("storing \(file)") { () throws(CacheError) in
            let cache = try MemoryCache()
            try cache.write(contentsOf: nodes)
            return cache
        }
    }

    /// The trees, read as `Tree`.
    ///
    /// - Throws: ``ToolError`` that names a node which has not what its type wants, or has what no type holds.
    func trees<Tree: CacheableModel>() throws(ToolError) -> [Tree] {
        var trees: [Tree] = []
        for root in roots {
            let read = try ToolError.wrapping("reading \(file)") { () throws(CacheError) in
                try cache.read(root, as: Tree.self)
            }
            switch read {
            case .hit(let tree): trees.append(tree)
            case .miss(let miss): throw .input(explanation(of: miss))
            }
        }
        if let lost = try ToolError.wrapping("storing \(file)", { () throws(CacheError) in try lost(by: trees) }) {
            throw .input(lost)
        }
        return trees
    }

    /// What is in the document and not in `trees`, because a type reads past fields that it does not know, or is a node
    /// in one of them alone.
    private func lost(by trees: [some CacheableModel]) throws(CacheError) -> String? {
        let typed = try MemoryCache()
        defer { typed.close() }
        try typed.write(contentsOf: trees)
        let (left, right) = (try cache.nodeNames(), try typed.nodeNames())
        if let name = left.symmetricDifference(right).min() {
            let which = left.contains(name) ? "the identity rules" : "these models"
            return "\(name) of \(file) is a node by \(which) alone; check the identity rules"
        }
        for root in roots {
            let (own, other) = (try cache.json(root), try typed.json(root))
            guard let place = own.firstDifference(from: other) else { continue }
            return "\(file) has something at \(place) of \(root) that these models have no place for"
        }
        return nil
    }

    private func explanation(of miss: CacheMiss) -> String {
        let node = "\(miss.identifier) of \(file)"
        return switch miss.reason {
        case .incomplete: "\(node) lacks a field that its type wants"
        case .otherShape: "\(node) has null, or a value of another kind, in a field of which its type wants a value"
        case .otherType: "\(node) stands where a value of another type is wanted; check the identity rules"
        default: "\(node) cannot be read as its type: \(miss.reason)"
        }
    }
}

extension NormalizedCache {
    /// The identifiers of all nodes.
    fileprivate func nodeNames() throws(CacheError) -> Set<String> {
        var names: Set<String> = []
        try forEachStoredRecord(.node) { record in
            names.insert(record.name)
            return true
        }
        return names
    }

    /// The tree of `identifier` as a document, without the members that are null, for which nobody needs a field.
    fileprivate func json(_ identifier: ModelIdentifier) throws(CacheError) -> JSON {
        try readTree(identifier).value?.expanded().withoutNullMembers ?? .null
    }
}

extension JSON {
    fileprivate var withoutNullMembers: JSON {
        switch self {
        case .array(let elements): .array(elements.map(\.withoutNullMembers))
        case .object(let members):
            .object(
                members.compactMap { member in
                    if case .null = member.value { return nil }
                    return JSONMember(member.key, member.value.withoutNullMembers)
                })
        default: self
        }
    }
}
