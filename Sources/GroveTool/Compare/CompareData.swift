import GroveModel

/// What the workloads read and write: trees, each in as many versions as are asked for.
protocol CompareData: Sendable {
    associatedtype Tree: CacheableModel
    /// The type as which a node that holds no other is read.
    associatedtype Leaf: CacheableModel

    /// How the models are coded, as the report says it.
    var coding: String { get }

    /// Whether trees may hold each other in a circle, so that not all of them can be read.
    var mayHoldCircles: Bool { get }

    /// All trees; two versions differ in every node, and a version is always the same.
    func trees(version: Int) -> [Tree]
}

extension CompareData {
    var mayHoldCircles: Bool { false }
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
