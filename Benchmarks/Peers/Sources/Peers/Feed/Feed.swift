import GroveModel

/// The generated feed of `grove compare`, seed 1: one person for ten messages.
struct Feed: Sendable {
    static let firstID = 1_000_000

    /// The messages without what tells their versions apart.
    private let originals: [Message]
    /// The messages' identifiers, as an application holds them.
    private let identifiers: [ModelIdentifier]
    var count: Int { originals.count }

    init(messages: Int) {
        var random = SplitMix(state: 1)
        let people = (0..<max(messages / 10, 1)).map { Feed.person($0, &random) }
        originals = (0..<messages).map { index in
            Message(
                id: Feed.firstID + index, text: Feed.words(7, &random), sent: 1_700_000_000.25 + Double(index * 60),
                topic: Feed.words(1, &random), unread: random.next() & 1 == 0,
                sender: people[random.next(below: people.count)])
        }
        identifiers = originals.map { ModelIdentifier("Message:\($0.id)") }
    }

    func identifier(of id: Int) -> ModelIdentifier { identifiers[id - Feed.firstID] }

    /// The messages of `range`; two versions differ in every node.
    func messages(version: Int, in range: Range<Int>) -> [Message] {
        originals[range].map { message in
            let sender = message.sender
            return Message(
                id: message.id, text: message.text + " (\(version))", sent: message.sent + Double(version),
                topic: message.topic, unread: message.unread,
                sender: Person(
                    id: sender.id, name: sender.name, email: sender.email, about: sender.about, online: sender.online,
                    followers: sender.followers + version % 1_000))
        }
    }

    /// All positions, 500 to a call.
    var batches: [Range<Int>] { stride(from: 0, to: count, by: 500).map { $0..<min($0 + 500, count) } }

    /// Identities of messages, in random order.
    func order(_ length: Int, seed: UInt64) -> [Int] {
        var random = SplitMix(state: seed)
        return (0..<length).map { _ in Feed.firstID + random.next(below: count) }
    }

    private static func person(_ index: Int, _ random: inout SplitMix) -> Person {
        let name = words(2, &random)
        return Person(
            id: 1_000 + index, name: name, email: "person\(index)@example.com", about: words(5, &random),
            online: random.next() & 1 == 0, followers: random.next(below: 50_000) * 1_000)
    }

    private static func words(_ count: Int, _ random: inout SplitMix) -> String {
        (0..<count).map { _ in Feed.vocabulary[random.next(below: 20)] }.joined(separator: " ")
    }

    private static let vocabulary = [
        "lantern", "harbour", "meadow", "quarter", "violet", "thunder", "pebble", "saffron", "orchard", "compass",
        "whisper", "granite", "feather", "horizon", "kettle", "marble", "juniper", "cobalt", "timber", "willow",
    ]
}
