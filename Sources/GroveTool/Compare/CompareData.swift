import GroveModel

/// What the workloads read and write: trees, each in as many versions as are asked for.
protocol CompareData: Sendable {
    associatedtype Tree: CacheableModel
    /// The type as which a node that holds no other is read.
    associatedtype Leaf: CacheableModel

    /// How the models are coded, as the report says it.
    var coding: String { get }

    /// All trees; two versions differ in every node, and a version is always the same.
    func trees(version: Int) -> [Tree]
}

/// A generated feed: messages, each with its sender, of six fields and some 160 bytes a node.
struct FeedData: CompareData {
    typealias Tree = FeedMessage
    typealias Leaf = FeedPerson

    let messages: Int
    let seed: UInt64
    var coding: String { "specialised" }

    /// One person for ten messages.
    var people: Int { max(messages / 10, 1) }

    func trees(version: Int) -> [FeedMessage] {
        var random = SplitMix(seed: seed)
        let people = (0..<people).map { FeedData.person($0, version, &random) }
        return (0..<messages).map { index in
            FeedMessage(
                id: 1_000_000 + index, text: FeedData.words(7, &random) + " (\(version))",
                sent: 1_700_000_000.25 + Double(index * 60 + version), topic: FeedData.words(1, &random),
                unread: random.next() & 1 == 0, sender: people[Int(random.next() % UInt64(people.count))])
        }
    }

    private static func person(_ index: Int, _ version: Int, _ random: inout SplitMix) -> FeedPerson {
        let name = words(2, &random)
        return FeedPerson(
            id: 1_000 + index, name: name, email: "person\(index)@example.com", about: words(5, &random),
            online: random.next() & 1 == 0, followers: Int(random.next() % 50_000) * 1_000 + version % 1_000)
    }

    private static func words(_ count: Int, _ random: inout SplitMix) -> String {
        (0..<count).map { _ in vocabulary[Int(random.next() % UInt64(vocabulary.count))] }.joined(separator: " ")
    }

    private static let vocabulary = [
        "lantern", "harbour", "meadow", "quarter", "violet", "thunder", "pebble", "saffron", "orchard", "compass",
        "whisper", "granite", "feather", "horizon", "kettle", "marble", "juniper", "cobalt", "timber", "willow",
    ]
}

/// The same feed, coded through `Codable`.
struct CodableFeedData: CompareData {
    typealias Tree = CodableNode<CodableMessage>
    typealias Leaf = CodableNode<CodablePerson>

    let feed: FeedData
    var coding: String { "codable" }

    func trees(version: Int) -> [CodableNode<CodableMessage>] {
        feed.trees(version: version).map { CodableNode(CodableMessage($0)) }
    }
}

/// The outermost identified objects of a user's document.
struct DocumentData: CompareData {
    typealias Tree = DocumentNode
    typealias Leaf = DocumentNode

    private let roots: [DocumentNode]
    /// The number of trees.
    var count: Int { roots.count }
    var coding: String { "dynamic" }

    init(_ document: Document, limit: Int?) {
        var last: [ModelIdentifier: Int] = [:]
        var nodes: [DocumentNode] = []
        document.root.content.forEachOutermostNode { node in
            if let identifier = node.modelIdentifier { last[identifier] = nodes.count }
            nodes.append(node)
        }
        let distinct = last.values.sorted().map { nodes[$0] }
        roots = Array(distinct.prefix(limit ?? .max))
    }

    func trees(version: Int) -> [DocumentNode] { roots.map { $0.version(version) } }
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
        case .object(let members): .object(members.map { DocumentMember($0.key, $0.value.version(version)) })
        }
    }
}

extension DocumentNode {
    /// The node with a field that makes it differ from other versions.
    fileprivate func version(_ version: Int) -> DocumentNode {
        let marker = DocumentMember("grove.version", .plain(JSON(version)))
        switch content.version(version) {
        case .object(let members): return DocumentNode(identity: identity, content: .object(members + [marker]))
        case .plain(.object(let members)):
            let members = members.map { DocumentMember($0.key, .plain($0.value)) }
            return DocumentNode(identity: identity, content: .object(members + [marker]))
        case let other: return DocumentNode(identity: identity, content: other)
        }
    }
}
