package import GroveCoding
import GroveModel

/// What the workloads read and write: trees, each in as many versions as are asked for.
package protocol CompareData: Sendable {
    associatedtype Tree: CacheableModel
    /// The type as which a node that holds no other is read.
    associatedtype Leaf: CacheableModel

    /// How the models are coded, as the report says it.
    var coding: String { get }

    /// Whether trees may hold each other in a circle, so that not all of them can be read.
    var mayHoldCircles: Bool { get }

    /// The number of trees.
    var count: Int { get }

    /// The trees of `range`; two versions differ in every node, and a version is always the same.
    func trees(version: Int, in range: Range<Int>) -> [Tree]
}

extension CompareData {
    var mayHoldCircles: Bool { false }

    /// All trees.
    func trees(version: Int) -> [Tree] { trees(version: version, in: 0..<count) }
}

/// A generated feed: messages, each with its sender, of six fields and some 160 bytes a node.
struct FeedData: CompareData {
    typealias Tree = FeedMessage
    typealias Leaf = FeedPerson

    /// The number of people: one for ten messages.
    let people: Int
    /// The messages without what tells their versions apart.
    private let originals: [FeedMessage]
    var coding: String { "specialised" }
    var count: Int { originals.count }

    init(messages: Int, seed: UInt64) {
        var random = SplitMix(seed: seed)
        let people = (0..<max(messages / 10, 1)).map { FeedData.person($0, &random) }
        self.people = people.count
        originals = (0..<messages).map { index in
            FeedMessage(
                id: 1_000_000 + index, text: FeedData.words(7, &random),
                sent: 1_700_000_000.25 + Double(index * 60), topic: FeedData.words(1, &random),
                unread: random.next() & 1 == 0, sender: people[Int(random.next() % UInt64(people.count))])
        }
    }

    func trees(version: Int, in range: Range<Int>) -> [FeedMessage] {
        originals[range].map { message in
            let sender = message.sender
            return FeedMessage(
                id: message.id, text: message.text + " (\(version))", sent: message.sent + Double(version),
                topic: message.topic, unread: message.unread,
                sender: FeedPerson(
                    id: sender.id, name: sender.name, email: sender.email, about: sender.about, online: sender.online,
                    followers: sender.followers + version % 1_000))
        }
    }

    private static func person(_ index: Int, _ random: inout SplitMix) -> FeedPerson {
        let name = words(2, &random)
        return FeedPerson(
            id: 1_000 + index, name: name, email: "person\(index)@example.com", about: words(5, &random),
            online: random.next() & 1 == 0, followers: Int(random.next() % 50_000) * 1_000)
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
    typealias Tree = CodableMessage
    typealias Leaf = CodablePerson

    let feed: FeedData
    var coding: String { "codable" }

    var count: Int { feed.count }

    func trees(version: Int, in range: Range<Int>) -> [CodableMessage] {
        feed.trees(version: version, in: range).map { CodableMessage($0) }
    }
}
