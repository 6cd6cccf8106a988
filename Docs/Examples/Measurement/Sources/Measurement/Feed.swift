import GroveMacros

/// A sender of messages: six fields, some 160 bytes, as in `grove compare`.
@Cacheable
struct Person {
    let id: Int
    let name: String
    let email: String
    let about: String
    let online: Bool
    let followers: Int
}

/// A message: a tree of two nodes.
@Cacheable
struct Message {
    let id: Int
    let text: String
    let sent: Double
    let topic: String
    let unread: Bool
    let sender: Person
}

/// The generated feed of `grove compare`, seed 1: one person for ten messages.
struct Feed {
    let messages: Int

    /// All messages; two versions differ in every node.
    func trees(version: Int) -> [Message] {
        var random = SplitMix(state: 1)
        let people = (0..<max(messages / 10, 1)).map { person($0, version, &random) }
        return (0..<messages).map { index in
            Message(
                id: 1_000_000 + index, text: words(7, &random) + " (\(version))",
                sent: 1_700_000_000.25 + Double(index * 60 + version), topic: words(1, &random),
                unread: random.next() & 1 == 0, sender: people[Int(random.next() % UInt64(people.count))])
        }
    }

    private func person(_ index: Int, _ version: Int, _ random: inout SplitMix) -> Person {
        let name = words(2, &random)
        return Person(
            id: 1_000 + index, name: name, email: "person\(index)@example.com", about: words(5, &random),
            online: random.next() & 1 == 0, followers: Int(random.next() % 50_000) * 1_000 + version % 1_000)
    }

    private func words(_ count: Int, _ random: inout SplitMix) -> String {
        (0..<count).map { _ in Feed.vocabulary[Int(random.next() % 20)] }.joined(separator: " ")
    }

    private static let vocabulary = [
        "lantern", "harbour", "meadow", "quarter", "violet", "thunder", "pebble", "saffron", "orchard", "compass",
        "whisper", "granite", "feather", "horizon", "kettle", "marble", "juniper", "cobalt", "timber", "willow",
    ]
}

/// SplitMix64, by Sebastiano Vigna.
struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
