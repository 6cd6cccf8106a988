import GroveCoding
import GroveModel
import TestSupport
import Testing

/// What is remembered of a type's names must never show: whatever was coded before, and in whatever order.
@Suite("Names that are remembered per type") struct KeyNameTests {
    enum Key: String, CodingKey, CaseIterable { case id, name, a, b, unknown, aLongerNameThanAWordHolds, missing }

    /// Asks for its keys in an order that its value says.
    struct Ordered: SimpleModel, Codable, Equatable {
        var values: [String: Int]
        var order: [Key]
        var modelIdentifier: ModelIdentifier? { nil }
        @TaskLocal static var readOrder: [Key] = []

        static func == (left: Ordered, right: Ordered) -> Bool { left.values == right.values }

        init(_ values: [Key: Int], order: [Key]) {
            self.values = Dictionary(uniqueKeysWithValues: values.map { ($0.key.rawValue, $0.value) })
            self.order = order
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            for key in order { try container.encode(values[key.rawValue] ?? 0, forKey: key) }
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            (values, order) = ([:], [])
            for key in Ordered.readOrder where container.contains(key) {
                values[key.rawValue] = try container.decode(Int.self, forKey: key)
            }
        }
    }

    @Test("Keys asked for in every order, some of them, and again", arguments: 1...20 as ClosedRange<UInt64>)
    func orders(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let keys = Key.allCases.shuffled(using: &random).prefix(Int.random(in: 1...7, using: &random))
            var values: [Key: Int] = [:]
            for key in keys { values[key] = Int.random(in: -1_000_000...1_000_000, using: &random) }
            // Some stand twice: the later one counts, and here both are the same.
            let model = Ordered(values, order: Array(keys) + keys.shuffled(using: &random).prefix(2))
            let encoded = try Encoded(CodableNode(model))
            #expect(hex(encoded.bytes) == hex(expected(values)))
            let asked = Key.allCases.shuffled(using: &random)
            try Ordered.$readOrder.withValue(asked + asked.reversed()) {
                let read = try encoded.decode(as: CodableNode<Ordered>.self).base
                #expect(read == model)
            }
        }
    }

    /// The map of `values`, sorted here.
    private func expected(_ values: [Key: Int]) -> [UInt8] {
        var body = ByteBuffer(capacity: 64)
        defer { body.deallocate() }
        body.appendHead(CBORMajor.map, UInt64(values.count))
        for name in FieldTable.sorted(values.keys.map(\.rawValue)) {
            body.appendText(name)
            body.appendInteger(Int64(values[Key(rawValue: name) ?? .id] ?? 0))
        }
        return unsafe Array(body.bytes)
    }

    @Test("A name that is written twice keeps its later value, in a table and out of it")
    func twice() throws {
        struct Twice: SimpleModel, Codable, Equatable {
            var modelIdentifier: ModelIdentifier? { nil }
            init() {}
            init(from decoder: any Decoder) throws {}
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try container.encode(1, forKey: .a)
                try container.encode("other", forKey: .b)
                try container.encode("later", forKey: .a)
            }
        }
        for _ in 0..<3 {
            #expect(
                try hex(Encoded(CodableNode(Twice())).bytes) == hex(bytes("a2 6161 656c61746572 6162 656f74686572")))
        }
    }

    @Test("Unknown and missing fields, before, between and after those of the type")
    func otherRecords() throws {
        struct Pair: SimpleModel, Codable, Equatable {
            var bb: Int
            var dd: Int?
            var modelIdentifier: ModelIdentifier? { nil }
        }
        let whole = bytes("a2 626262 01 626464 02")
        for _ in 0..<3 {
            for prefix in ["", "6161 00"] {
                for middle in ["", "626363 8100", "626363 a1626262 09 626364 f6"] {
                    for suffix in ["", "626464 02", "626464 f6", "626464 02 65616161616100 65616161616201"] {
                        let fields = [prefix, "626262 01", middle, suffix].joined()
                        let count =
                            counts[prefix, default: 0] + 1 + counts[middle, default: 0] + counts[suffix, default: 0]
                        let read = try decode(CodableNode<Pair>.self, bytes("a\(count)" + fields)).base
                        #expect(read == Pair(bb: 1, dd: suffix.hasPrefix("626464 02") ? 2 : nil))
                    }
                }
            }
            #expect(try decode(CodableNode<Pair>.self, whole).base == Pair(bb: 1, dd: 2))
            #expect(failure { try decode(CodableNode<Pair>.self, bytes("a1 626464 02")) } == "incomplete")
            #expect(failure { try decode(CodableNode<Pair>.self, bytes("a2 626464 02 626262 01")) } == "corrupted")
            #expect(failure { try decode(CodableNode<Pair>.self, bytes("a2 626262 01 626262 01")) } == "corrupted")
            #expect(
                failure { try decode(CodableNode<Pair>.self, bytes("a3 626262 01 6161 00 626464 02")) } == "corrupted")
            #expect(
                failure { try decode(CodableNode<Pair>.self, bytes("a3 626262 01 626364 00 626363 02")) }
                    == "corrupted")
            #expect(failure { try decode(CodableNode<Pair>.self, bytes("a3 626262 01 626464 02")) } == "corrupted")
            #expect(failure { try decode(CodableNode<Pair>.self, bytes("a2 626262 01 626464")) } == "corrupted")
            #expect(failure { try decode(CodableNode<Pair>.self, bytes("a1 01 01")) } == "otherShape")
        }
    }

    private let counts = [
        "6161 00": 1, "626363 8100": 1, "626363 a1626262 09 626364 f6": 2, "626464 02": 1, "626464 f6": 1,
        "626464 02 65616161616100 65616161616201": 3,
    ]

    // What is remembered is a type's, so that each use has one of its own.
    enum Lengths {}
    enum Many {}
    enum Dictionaries {}

    /// Has whatever keys its record has.
    struct Open<Use>: SimpleModel, Codable, Equatable {
        var values: [String: Int]
        var modelIdentifier: ModelIdentifier? { nil }

        init(_ values: [String: Int]) { self.values = values }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: FieldName.self)
            values = [:]
            for key in container.allKeys { values[key.stringValue] = try container.decode(Int.self, forKey: key) }
            for name in values.keys.prefix(4) { #expect(!container.contains(FieldName(stringValue: name + "y"))) }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: FieldName.self)
            for (name, value) in values { try container.encode(value, forKey: FieldName(stringValue: name)) }
        }
    }

    @Test("Names of every length, whose beginnings are the same")
    func lengths() throws {
        for length in [0, 1, 2, 3, 4, 6, 7, 8, 9, 15, 16, 22, 23, 24, 25, 100, 255, 256, 257, 300] {
            let values = [
                name(length, "z"): length, name(length + 1, "z"): 1, name(length, "y"): 2, name(length, "é"): 3,
            ]
            for _ in 0..<2 {
                let encoded = try Encoded(CodableNode(Open<Lengths>(values)))
                #expect(try encoded.bytes == Encoded(values).bytes)
                #expect(try encoded.decode(as: CodableNode<Open<Lengths>>.self).base == Open<Lengths>(values))
            }
        }
    }

    @Test("A field among very many is not looked for through all of them", .timeLimit(.minutes(5)))
    func manyKeys() throws {
        let values = Dictionary(uniqueKeysWithValues: (0..<30_000).map { ("key \($0)", $0) })
        let encoded = try Encoded(CodableNode(Open<Many>(values)))
        for _ in 0..<2 { #expect(try encoded.decode(as: CodableNode<Open<Many>>.self).base == Open<Many>(values)) }
    }

    @Test("Keys without end are a dictionary's: nothing is remembered of them, and they read back")
    func dictionaries() throws {
        for round in 0..<40 {
            let values = Dictionary(uniqueKeysWithValues: (0..<30).map { ("key \(round * 17 + $0)", $0) })
            let encoded = try Encoded(CodableNode(Open<Dictionaries>(values)))
            #expect(try encoded.bytes == Encoded(values).bytes)
            #expect(try encoded.decode(as: CodableNode<Open<Dictionaries>>.self).base == Open<Dictionaries>(values))
        }
    }

    @Test("A name that its key computes anew each time is asked for each time")
    func computedNames() throws {
        struct Model: SimpleModel, Codable, Equatable {
            var value: Int
            var modelIdentifier: ModelIdentifier? { nil }
            init(value: Int) { self.value = value }
            init(from decoder: any Decoder) throws {
                value = try decoder.container(keyedBy: Shifting.self).decode(Int.self, forKey: Shifting())
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Shifting.self)
                try container.encode(value, forKey: Shifting())
            }
        }
        for round in 0..<40 {
            try Shifting.$suffix.withValue("\(round % 3)") {
                let encoded = try Encoded(CodableNode(Model(value: round)))
                let expected = try Encoded(["name\(round % 3)": round])
                let read = try encoded.decode(as: CodableNode<Model>.self).base
                #expect(encoded.bytes == expected.bytes)
                #expect(read.value == round)
                Shifting.$suffix.withValue("x") {
                    #expect(failure { try encoded.decode(as: CodableNode<Model>.self) } == "incomplete")
                }
            }
        }
    }

    /// Two types whose keys are of one type, and one value that is read by two types of keys.
    struct Left: Codable, Equatable { var a = 1, b = 2 }
    struct Inner<Content: Codable & Equatable & Sendable>: SimpleModel, Codable, Equatable {
        var id: Int
        var content: Content
        var modelIdentifier: ModelIdentifier? { nil }
        enum Other: String, CodingKey { case content, extra, id }

        init(id: Int, content: Content) { (self.id, self.content) = (id, content) }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            var other = encoder.container(keyedBy: Other.self)
            try other.encode(content, forKey: .content)
            try container.encode(id, forKey: .id)
            var nested = other.nestedContainer(keyedBy: Key.self, forKey: .extra)
            try nested.encode("deep", forKey: .name)
            try Left().encode(to: nested.superEncoder(forKey: .a))
            try Left().encode(to: nested.superEncoder())
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            let other = try decoder.container(keyedBy: Other.self)
            let again = try decoder.container(keyedBy: Key.self)
            content = try other.decode(Content.self, forKey: .content)
            id = try container.decode(Int.self, forKey: .id)
            let nested = try other.nestedContainer(keyedBy: Key.self, forKey: .extra)
            guard try nested.decode(String.self, forKey: .name) == "deep",
                try Left(from: nested.superDecoder(forKey: .a)) == Left(),
                try Left(from: nested.superDecoder()) == Left(),
                try again.decode(Int.self, forKey: .id) == other.decode(Int.self, forKey: .id),
                !container.contains(.name), container.allKeys == [.id]
            else { throw CancellationError() }
        }
    }

    @Test("Types that share a type of keys, and a value that is read by two")
    func interleaved() throws {
        for round in 0..<4 {
            let one = Inner(id: round, content: Inner(id: 2, content: Left()))
            let two = Inner(id: round, content: ["x": Inner(id: 3, content: "text")])
            #expect(try Encoded(CodableNode(one)).decode(as: CodableNode<Inner<Inner<Left>>>.self).base == one)
            #expect(
                try Encoded(CodableNode(two)).decode(as: CodableNode<Inner<[String: Inner<String>]>>.self).base == two)
        }
    }

    @Test("A decoder and an encoder that are kept are refused, though others of the type run in the same call")
    func keptCoders() throws {
        let keepers = [Keeper(id: 1), Keeper(id: 2), Keeper(id: 3), Keeper(id: 1), Keeper(id: 4)]
        let holder = Inner(id: 0, content: keepers)
        try Kept.$current.withValue(Kept()) {
            let encoded = try Encoded(CodableNode(holder))
            let read = try encoded.decode(as: CodableNode<Inner<[Keeper]>>.self).base
            #expect(read == holder)
        }
    }

    @Test("Names that are canonically equivalent are two names")
    func equivalentNames() throws {
        struct Kelvin: SimpleModel, Codable, Equatable {
            var k: Int
            var kelvin: Int
            var modelIdentifier: ModelIdentifier? { nil }
            enum CodingKeys: String, CodingKey {
                case k = "K"
                case kelvin = "\u{212A}"
            }
        }
        for _ in 0..<3 {
            let encoded = try Encoded(CodableNode(Kelvin(k: 1, kelvin: 2)))
            #expect(hex(encoded.bytes) == hex(bytes("a2 614b 01 63e284aa 02")))
            #expect(try encoded.decode(as: CodableNode<Kelvin>.self).base == Kelvin(k: 1, kelvin: 2))
        }
    }

    @Test("Many threads meet new types and new names at once")
    func threads() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for round in 0..<50 {
                        var random = SeededGenerator(seed: UInt64(task * 1_000 + round))
                        let message = PlainMessage(HandMessage.sample(UInt64(round % 9 + 1)))
                        #expect(
                            try Encoded(CodableNode(message)).decode(as: CodableNode<PlainMessage>.self).base == message
                        )
                        let keys = Key.allCases.shuffled(using: &random).prefix(3)
                        let model = Ordered(
                            Dictionary(uniqueKeysWithValues: keys.map { ($0, round) }), order: Array(keys))
                        try Ordered.$readOrder.withValue(Key.allCases.shuffled(using: &random)) {
                            let read = try Encoded(CodableNode(model)).decode(as: CodableNode<Ordered>.self).base
                            #expect(read == model)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

private func name(_ length: Int, _ last: String) -> String { String(repeating: "n", count: length) + last }

/// A name that is known at run time only.
private struct FieldName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

private struct Shifting: CodingKey {
    @TaskLocal static var suffix = ""
    var stringValue: String { "name" + Shifting.suffix }
    var intValue: Int? { nil }
    init() {}
    init?(stringValue: String) {}
    init?(intValue: Int) { nil }
}

// SAFETY: used by one test on one thread.
private final class Kept: @unchecked Sendable {
    var decoder: (any Decoder)?
    var reading: KeyedDecodingContainer<KeyNameTests.Key>?
    var encoder: (any Encoder)?
    var writing: KeyedEncodingContainer<KeyNameTests.Key>?
    @TaskLocal static var current: Kept?
}

/// The first one keeps its coders; the others try to use them.
private struct Keeper: SimpleModel, Codable, Equatable {
    var id: Int
    var modelIdentifier: ModelIdentifier? { nil }

    init(id: Int) { self.id = id }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: KeyNameTests.Key.self)
        id = try container.decode(Int.self, forKey: .id)
        guard let kept = Kept.current else { return }
        if id == 1 {
            (kept.decoder, kept.reading) = (decoder, container)
            return
        }
        #expect(throws: (any Error).self) { try #require(kept.reading).decode(Int.self, forKey: .id) }
        #expect(throws: (any Error).self) { try #require(kept.decoder).container(keyedBy: KeyNameTests.Key.self) }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: KeyNameTests.Key.self)
        try container.encode(id, forKey: .id)
        guard let kept = Kept.current else { return }
        if id == 1 {
            (kept.encoder, kept.writing) = (encoder, container)
            return
        }
        #expect(throws: (any Error).self) { try kept.writing?.encode(9, forKey: .id) }
        _ = kept.encoder?.container(keyedBy: KeyNameTests.Key.self)
        _ = kept.encoder?.unkeyedContainer()
    }
}
