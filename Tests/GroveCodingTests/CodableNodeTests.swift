#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import GroveCoding
import GroveModel
import Testing

@Suite("The Codable path") struct CodableNodeTests {
    @Test("A Codable model stores the bytes that a hand-written one stores", arguments: 1...30 as ClosedRange<UInt64>)
    func sameBytes(seed: UInt64) throws {
        let hand = HandMessage.sample(seed)
        let written = try Encoded(hand)
        let collected = try Encoded(CodableNode(PlainMessage(hand)))
        #expect(written.bytes == collected.bytes)
        #expect(written.tree.entries.count == 8 - (hand.alpha == nil ? 1 : 0))
        #expect(written.recordNames == collected.recordNames)
        let (left, right) = (written.bodies, collected.bodies)
        #expect(Set(left.keys) == Set(right.keys))
        for (identifier, body) in left { #expect(hex(body) == hex(right[identifier] ?? []), "\(identifier)") }
    }

    @Test("A Codable model reads back equal, from either's records", arguments: 1...30 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) throws {
        let hand = HandMessage.sample(seed)
        let plain = PlainMessage(hand)
        #expect(try Encoded(CodableNode(plain)).decode(as: CodableNode<PlainMessage>.self).base == plain)
        #expect(try Encoded(hand).decode(as: CodableNode<PlainMessage>.self).base == plain)
        #expect(try Encoded(CodableNode(plain)).decode(as: HandMessage.self) == hand)
    }

    @Test("A deleted child reads nil, drops out of containers, and takes a holder that needs it along")
    func deletion() throws {
        var hand = HandMessage.sample()
        hand.alpha = HandPerson(id: 2, name: "two")
        let encoded = try Encoded(CodableNode(PlainMessage(hand)))
        func read(_ deleted: Set<ModelIdentifier>) throws -> PlainMessage {
            try encoded.decode(as: CodableNode<PlainMessage>.self, deleting: deleted).base
        }
        let without = try read(["Person:2", "Person:3", "Person:4", "Person:6"])
        #expect(without.alpha == nil)
        #expect(without.replies.map(\.id) == [1])
        #expect(Set(without.byName.keys) == ["one", ""])
        #expect(without.frame == PlainFrame(owner: nil, width: 1.5))
        #expect(failure { try read(["Person:1"]) } == "deleted")
    }

    @Test("A missing child is a miss, though the initialiser looks away")
    func missing() throws {
        struct Careless: SimpleModel, Codable, Equatable {
            var child: PlainPerson?
            var modelIdentifier: ModelIdentifier? { "Careless" }

            init(child: PlainPerson?) { self.child = child }

            init(from decoder: any Decoder) throws {
                child = try? decoder.container(keyedBy: CodingKeys.self).decode(PlainPerson.self, forKey: .child)
            }
        }
        let encoded = try Encoded(CodableNode(Careless(child: PlainPerson(id: 1, name: "one"))))
        #expect(try encoded.decode(as: CodableNode<Careless>.self).base.child?.id == 1)
        #expect(
            failure { try encoded.decode(as: CodableNode<Careless>.self, missing: ["Person:1"]) }
                == "absent: \"Person:1\"")
        #expect(try encoded.decode(as: CodableNode<Careless>.self, deleting: ["Person:1"]).base.child == nil)
    }

    @Test("An element that is no container of the kind that was tried is still there for another try")
    func triedElements() throws {
        struct Mixed: SimpleModel, Codable, Equatable {
            var texts: [String]
            var modelIdentifier: ModelIdentifier? { "Mixed" }

            init(texts: [String]) { self.texts = texts }

            init(from decoder: any Decoder) throws {
                var list = try decoder.container(keyedBy: CodingKeys.self).nestedUnkeyedContainer(forKey: .texts)
                texts = []
                while !list.isAtEnd {
                    #expect(throws: (any Error).self) { try list.nestedContainer(keyedBy: CodingKeys.self) }
                    #expect(throws: (any Error).self) { try list.nestedUnkeyedContainer() }
                    texts.append(try list.decode(String.self))
                }
            }
        }
        let mixed = Mixed(texts: ["one", "two", "three"])
        #expect(try Encoded(CodableNode(mixed)).decode(as: CodableNode<Mixed>.self).base == mixed)
    }

    @Test("An initialiser may try one type after another")
    func alternatives() throws {
        struct Either: SimpleModel, Codable, Equatable {
            var person: PlainPerson
            var modelIdentifier: ModelIdentifier? { "Either" }

            init(person: PlainPerson) { self.person = person }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                if let frame = try? container.decode(PlainMessage.self, forKey: .person) {
                    person = frame.zeta
                } else if (try? container.decode(Int.self, forKey: .person)) != nil {
                    person = PlainPerson(id: 0, name: "")
                } else {
                    person = try container.decode(PlainPerson.self, forKey: .person)
                }
            }
        }
        let either = Either(person: PlainPerson(id: 1, name: "one"))
        #expect(try Encoded(CodableNode(either)).decode(as: CodableNode<Either>.self).base == either)
    }

    @Test("An absent optional reads nil only where its own projection left it out")
    func absence() throws {
        struct Wide: SimpleModel, Codable, Equatable {
            var id: String
            var added: Int?
            var child: PlainPerson?
            var twice: Int??
            var modelIdentifier: ModelIdentifier? { nil }
        }
        var body = ByteBuffer(capacity: 16)
        defer { body.deallocate() }
        body.appendHead(CBORMajor.map, 1)
        body.appendText("id")
        body.appendText("x")
        let bytes = unsafe Array(body.bytes)
        #expect(try decode(CodableNode<Wide>.self, bytes).base == Wide(id: "x", added: nil, child: nil, twice: nil))
        #expect(failure { try decode(CodableNode<Wide>.self, bytes, isOwnProjection: false) } == "incomplete")
        #expect(failure { try decode(CodableNode<PlainPerson>.self, [0xA0]) } == "incomplete")
        #expect(failure { try decode(CodableNode<PlainPerson>.self, bytes) } == "otherShape")
    }

    @Test("Names that stand twice, or out of order, are damage")
    func duplicateKeys() {
        #expect(
            failure { try decode(CodableNode<PlainPerson>.self, bytes("a3 626964 01 626964 02 646e616d65 6161")) }
                == "corrupted")
        #expect(
            failure { try decode(CodableNode<PlainPerson>.self, bytes("a2 646e616d65 6161 626964 01")) } == "corrupted")
    }

    // MARK: Enums

    enum Item: SimpleModel, Codable, Equatable {
        case person(PlainPerson)
        case note(text: String, count: Int?)
        case separator
        case pair(PlainPerson, PlainPerson)

        var modelIdentifier: ModelIdentifier? {
            switch self {
            case .person(let person): person.modelIdentifier
            case .note, .separator, .pair: nil
            }
        }
    }

    struct Feed: SimpleModel, Codable, Equatable {
        static var recordName: String { "Feed" }
        static var projectionName: String { "Feed" }
        var items: [Item]
        var modelIdentifier: ModelIdentifier? { "Feed" }
    }

    @Test("An enum with one identified payload is the payload's record, its case kept in the reference")
    func nodeEnum() throws {
        let one = PlainPerson(id: 1, name: "one")
        let feed = Feed(items: [.person(one), .note(text: "hello", count: nil), .separator, .pair(one, one)])
        let encoded = try Encoded(CodableNode(feed))
        #expect(encoded.recordNames == ["Feed": "Feed", "Person:1": "Person"])
        let reference = "d9e74e 82 68506572736f6e3a31 66706572736f6e"
        let inPlace =
            "a1 646e6f7465 a2 6474657874 6568656c6c6f 65636f756e74 f6" + "a1 69736570617261746f72 a0"
            + "a1 6470616972 a2 625f30 d9e74e 68506572736f6e3a31 625f31 d9e74e 68506572736f6e3a31"
        #expect(hex(encoded.bodies["Feed"] ?? []) == hex(bytes("a1 656974656d73 84 \(reference) \(inPlace)")))
        #expect(try encoded.decode(as: CodableNode<Feed>.self).base == feed)
        #expect(try encoded.decode(as: CodableNode<Feed>.self, deleting: ["Person:1"]).base.items.count == 2)
        #expect(
            failure { try encoded.decode(as: CodableNode<Feed>.self, missing: ["Person:1"]) } == "absent: \"Person:1\"")

        let root = try Encoded(CodableNode(Item.person(one)))
        #expect(hex(root.bytes) == hex(bytes(reference)))
        #expect(try root.decode(as: CodableNode<Item>.self).base == .person(one))
    }

    @Test("An unknown case is a miss")
    func unknownCase() {
        #expect(failure { try decode(CodableNode<Item>.self, bytes("a1 656f74686572 a0")) } == "otherShape")
    }

    @Test("A case that could not be read back is refused")
    func refusedCases() {
        enum Labelled: SimpleModel, Codable, Equatable {
            case person(it: PlainPerson)
            var modelIdentifier: ModelIdentifier? {
                switch self {
                case .person(let person): person.modelIdentifier
                }
            }
        }
        enum Nested: SimpleModel, Codable, Equatable {
            case item(Item)
            var modelIdentifier: ModelIdentifier? {
                switch self {
                case .item(let item): item.modelIdentifier
                }
            }
        }
        let one = PlainPerson(id: 1, name: "one")
        #expect(refusal { try Encoded(CodableNode(Labelled.person(it: one))) } == .unencodable)
        #expect(refusal { try Encoded(CodableNode(Nested.item(.person(one)))) } == .unencodable)
    }

    // MARK: Odd coders

    @Test("A value that encodes nothing, or contradicts itself, is refused")
    func nothing() {
        struct Mute: SimpleModel, Codable, Equatable {
            var kind: Int
            var modelIdentifier: ModelIdentifier? { "Mute" }
            func encode(to encoder: any Encoder) throws {
                switch kind {
                case 0: break
                case 1: _ = encoder.singleValueContainer()
                case 2:
                    _ = encoder.unkeyedContainer()
                    _ = encoder.container(keyedBy: CodingKeys.self)
                case 3:
                    var container = encoder.singleValueContainer()
                    try container.encode(1)
                    try container.encode(2)
                case 4:
                    var container = encoder.container(keyedBy: CodingKeys.self)
                    _ = container.superEncoder()
                default: throw CancellationError()
                }
            }
        }
        struct Holder: SimpleModel, Codable, Equatable {
            var mute: Mute
            var modelIdentifier: ModelIdentifier? { "Holder" }
        }
        for kind in 0...5 {
            #expect(refusal { try Encoded(CodableNode(Mute(kind: kind))) } == .unencodable, "\(kind)")
            #expect(refusal { try Encoded(CodableNode(Holder(mute: Mute(kind: kind)))) } == .unencodable, "\(kind)")
        }
    }

    @Test("A model without fields is an empty map")
    func empty() throws {
        struct Empty: SimpleModel, Codable, Equatable { var modelIdentifier: ModelIdentifier? { "Empty" } }
        #expect(try Encoded(CodableNode(Empty())).bodies["Empty"] == [0xA0])
    }

    @Test("Classes, nested containers and super coders round-trip")
    func containers() throws {
        let value = Circle(name: "round", radius: 2.5)
        let read = try Encoded(CodableNode(value)).decode(as: CodableNode<Circle>.self).base
        #expect(read.name == "round" && read.radius == 2.5)

        struct Grid: SimpleModel, Codable, Equatable {
            var rows: [[Int]]
            var person: PlainPerson
            var modelIdentifier: ModelIdentifier? { "Grid" }
            enum Keys: String, CodingKey { case rows, inner }
            enum Inner: String, CodingKey { case person }

            init(rows: [[Int]], person: PlainPerson) { (self.rows, self.person) = (rows, person) }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                var inner = container.nestedContainer(keyedBy: Inner.self, forKey: .inner)
                var list = container.nestedUnkeyedContainer(forKey: .rows)
                for row in rows {
                    var nested = list.nestedUnkeyedContainer()
                    for number in row { try nested.encode(number) }
                }
                try list.encodeNil()
                try list.encode(person)
                try inner.encode(person, forKey: .person)
            }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Keys.self)
                var list = try container.nestedUnkeyedContainer(forKey: .rows)
                rows = []
                while try !list.decodeNil() {
                    var nested = try list.nestedUnkeyedContainer()
                    var row: [Int] = []
                    while !nested.isAtEnd { row.append(try nested.decode(Int.self)) }
                    rows.append(row)
                }
                let second = try list.decode(PlainPerson.self)
                person = try container.nestedContainer(keyedBy: Inner.self, forKey: .inner).decode(
                    PlainPerson.self, forKey: .person)
                guard list.isAtEnd, second == person else { throw CancellationError() }
            }
        }
        let grid = Grid(rows: [[1, 2], [], [3]], person: PlainPerson(id: 1, name: "one"))
        #expect(try Encoded(CodableNode(grid)).decode(as: CodableNode<Grid>.self).base == grid)
    }

    @Test("decodeIfPresent reads the elements of an array one after the other, a null and the end as nil")
    func optionalElements() throws {
        struct Numbers: SimpleModel, Codable, Equatable {
            var list: [Int?]
            var modelIdentifier: ModelIdentifier? { "Numbers" }
            enum Keys: String, CodingKey { case list }

            init(list: [Int?]) { self.list = list }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                var elements = container.nestedUnkeyedContainer(forKey: .list)
                for number in list {
                    if let number { try elements.encode(number) } else { try elements.encodeNil() }
                }
            }

            init(from decoder: any Decoder) throws {
                var elements = try decoder.container(keyedBy: Keys.self).nestedUnkeyedContainer(forKey: .list)
                list = []
                while !elements.isAtEnd { list.append(try elements.decodeIfPresent(Int.self)) }
                guard try elements.decodeIfPresent(Int.self) == nil else { throw CancellationError() }
            }
        }
        let numbers = Numbers(list: [1, nil, nil, -4])
        #expect(try Encoded(CodableNode(numbers)).decode(as: CodableNode<Numbers>.self).base == numbers)
    }

    @Test("An integer of 128 bits is refused in an array, by itself and under a key")
    func wideIntegers() throws {
        struct Wide: SimpleModel, Codable, Equatable {
            var list: [Int128] = []
            var single: Int128?
            var modelIdentifier: ModelIdentifier? { "Wide" }
        }
        #expect(throws: (any Error).self) { try Encoded(CodableNode(Wide(list: [1]))) }
        #expect(throws: (any Error).self) { try Encoded(CodableNode(Wide(single: 1))) }
    }

    @Test("A value whose own coding writes null is not taken for nil")
    func ownNulls() throws {
        struct Maybe: Codable, Equatable {
            var value: Int?
            init(_ value: Int?) { self.value = value }
            init(from decoder: any Decoder) throws {
                value = try decoder.singleValueContainer().decode(Int?.self)
            }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(value)
            }
        }
        struct Holder: SimpleModel, Codable, Equatable {
            var maybe: Maybe?
            var list: [Maybe?]
            var twice: Maybe??
            var modelIdentifier: ModelIdentifier? { "Holder" }
        }
        for maybe in [nil, Maybe(nil), Maybe(3)] {
            for twice in [.none, .some(nil), .some(Maybe(nil)), .some(Maybe(1))] as [Maybe??] {
                let holder = Holder(maybe: maybe, list: [maybe, nil, Maybe(nil)], twice: twice)
                #expect(try Encoded(CodableNode(holder)).decode(as: CodableNode<Holder>.self).base == holder)
            }
        }
    }

    @Test("The later of two versions in the order of the record wins, not in that of the declaration")
    func conflicts() throws {
        struct Pair: SimpleModel, Codable, Equatable {
            var zz: PlainPerson
            var a: PlainPerson
            var modelIdentifier: ModelIdentifier? { "Pair" }
        }
        let pair = Pair(zz: PlainPerson(id: 1, name: "later"), a: PlainPerson(id: 1, name: "earlier"))
        let read = try Encoded(CodableNode(pair)).decode(as: CodableNode<Pair>.self).base
        #expect(read.a.name == "later" && read.zz.name == "later")
    }

    @Test("A decoder that outlives its model is refused")
    func escapedDecoder() throws {
        let box = DecoderBox()
        DecoderBox.$current.withValue(box) {
            _ = try? decode(CodableNode<Escaping>.self, bytes("a1 626964 01"))
        }
        let container = try #require(box.container)
        #expect(throws: NodeReadFailure.self) { try container.decode(Int.self, forKey: .id) }
        #expect(!container.contains(.id))
        #expect(container.allKeys.isEmpty)
    }

    // MARK: Depth

    indirect enum Chain: Codable, Sendable {
        case end
        case link(Chain)

        var length: Int {
            var (count, chain) = (0, self)
            while case .link(let next) = chain { (count, chain) = (count + 1, next) }
            return count
        }

        static func make(_ length: Int) -> Chain {
            var chain = Chain.end
            for _ in 0..<length { chain = .link(chain) }
            return chain
        }
    }

    struct ChainHolder: SimpleModel, Codable {
        var chain: Chain
        var modelIdentifier: ModelIdentifier? { "Chain" }
        func isEqual(to model: any SimpleModel) -> Bool { false }
    }

    @Test("Nesting works, or fails typed, on a stack of 512 KB", arguments: [10, 500, 1_000, 2_000, 5_000])
    func depth(length: Int) {
        let outcome = onSmallStack { () -> String in
            do throws(CacheError) {
                let encoded = try Encoded(CodableNode(ChainHolder(chain: .make(length))))
                do throws(NodeReadFailure) {
                    return "\(try encoded.decode(as: CodableNode<ChainHolder>.self).base.chain.length)"
                } catch {
                    return "read: \(error)"
                }
            } catch {
                return error.code.description
            }
        }
        #expect(outcome == (length <= 1_000 ? "\(length)" : "tooDeep"))
    }

    @Test("A thousand identified levels work on a stack of 512 KB, and more fail typed", arguments: [999, 1_001])
    func identifiedDepth(length: Int) {
        let outcome = onSmallStack { () -> String in
            var person = Link(id: 0, next: [])
            for id in 1..<length { person = Link(id: id, next: [person]) }
            do throws(CacheError) {
                let encoded = try Encoded(CodableNode(person))
                do throws(NodeReadFailure) {
                    var (link, count) = (try encoded.decode(as: CodableNode<Link>.self).base, 1)
                    while let next = link.next.first { (link, count) = (next, count + 1) }
                    return "\(count)"
                } catch {
                    return "read: \(error)"
                }
            } catch {
                return error.code.description
            }
        }
        #expect(outcome == (length <= 1_000 ? "\(length)" : "tooDeep"))
    }

    @Test("Containers nested in a loop without end are refused typed")
    func endlessContainers() {
        struct Endless: SimpleModel, Codable, Equatable {
            var modelIdentifier: ModelIdentifier? { "Endless" }
            func encode(to encoder: any Encoder) throws {
                var container = encoder.unkeyedContainer()
                for _ in 0..<20_000 { container = container.nestedUnkeyedContainer() }
                try container.encode(1)
            }
            init() {}
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                while true { container = try container.nestedUnkeyedContainer() }
            }
        }
        let outcome = onSmallStack { () -> String in
            "\(refusal { try Encoded(CodableNode(Endless())) }?.description ?? "none") "
                + failure { try decode(CodableNode<Endless>.self, Array(repeating: 0x81, count: 20_000) + [0x01]) }
        }
        #expect(outcome == "tooDeep tooDeep")
    }
}

struct Link: SimpleModel, Codable {
    var id: Int
    var next: [Link]
    var modelIdentifier: ModelIdentifier? { "Link:\(id)" }
    func isEqual(to model: any SimpleModel) -> Bool { false }
}

class Shape: Codable {
    let name: String
    init(name: String) { self.name = name }
}

// SAFETY: every property is a constant.
final class Circle: Shape, SimpleModel, @unchecked Sendable {
    let radius: Double
    private enum Keys: String, CodingKey { case radius }

    init(name: String, radius: Double) {
        self.radius = radius
        super.init(name: name)
    }

    required init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        radius = try container.decode(Double.self, forKey: .radius)
        try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(radius, forKey: .radius)
        try super.encode(to: container.superEncoder())
    }

    var modelIdentifier: ModelIdentifier? { "Circle:\(name)" }
    func isEqual(to model: any SimpleModel) -> Bool { false }
}

enum EscapingKey: String, CodingKey { case id }

// SAFETY: used by one test on one thread.
final class DecoderBox: @unchecked Sendable {
    var container: KeyedDecodingContainer<EscapingKey>?
    @TaskLocal static var current: DecoderBox?
}

struct Escaping: SimpleModel, Codable, Equatable {
    var modelIdentifier: ModelIdentifier? { nil }
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: EscapingKey.self)
        _ = try container.decode(Int.self, forKey: .id)
        DecoderBox.current?.container = container
    }
    func encode(to encoder: any Encoder) throws {}
}

@Suite("Containers under one key") struct RepeatedContainerTests {
    /// Does with a container what a case says, under one key.
    struct Repeating: SimpleModel, Codable, Equatable {
        var way: String
        var modelIdentifier: ModelIdentifier? { nil }

        enum Outer: String, CodingKey { case inner }
        enum Other: String, CodingKey { case inner }
        enum First: String, CodingKey { case a, c }
        enum Second: String, CodingKey { case b, c }

        init(_ way: String) { self.way = way }
        init(from decoder: any Decoder) throws { way = "" }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Outer.self)
            switch way {
            case "keyed":
                var first = container.nestedContainer(keyedBy: First.self, forKey: .inner)
                try first.encode(1, forKey: .a)
                try first.encode(1, forKey: .c)
                var other = encoder.container(keyedBy: Other.self)
                var second = other.nestedContainer(keyedBy: Second.self, forKey: .inner)
                try second.encode(2, forKey: .b)
                try second.encode(2, forKey: .c)
            case "unkeyed":
                var first = container.nestedUnkeyedContainer(forKey: .inner)
                try first.encode(1)
                var second = container.nestedUnkeyedContainer(forKey: .inner)
                try second.encode(2)
            case "super":
                var first = container.superEncoder(forKey: .inner).container(keyedBy: First.self)
                try first.encode(1, forKey: .a)
                var second = container.superEncoder(forKey: .inner).container(keyedBy: Second.self)
                try second.encode(2, forKey: .b)
            case "other kind":
                _ = container.nestedContainer(keyedBy: First.self, forKey: .inner)
                _ = container.nestedUnkeyedContainer(forKey: .inner)
            case "container after value":
                try container.encode(1, forKey: .inner)
                _ = container.nestedContainer(keyedBy: First.self, forKey: .inner)
            case "container after postponed value":
                try container.encode([1], forKey: .inner)
                _ = container.nestedUnkeyedContainer(forKey: .inner)
            case "value after container":
                var first = container.nestedContainer(keyedBy: First.self, forKey: .inner)
                try first.encode(1, forKey: .a)
                try container.encode(1, forKey: .inner)
            case "postponed value after container":
                var first = container.nestedUnkeyedContainer(forKey: .inner)
                try first.encode(1)
                try container.encode([1], forKey: .inner)
            default:
                try container.encode(1, forKey: .inner)
                try container.encode(2, forKey: .inner)
            }
        }
    }

    /// In every round but the first, the names are known from the one before.
    private func rounds(_ way: String) throws -> [String] {
        let tree = NodeTree()
        var encoder = NodeEncoder(into: tree)
        return try (0..<3).map { _ in
            encoder.beginRoot()
            try encoder.encodeCodable(Repeating(way))
            return unsafe Diagnostic.text(Array(encoder.out.bytes))
        }
    }

    @Test("Containers of one kind under one key are one, as they are to JSONEncoder") func joined() throws {
        #expect(try Set(rounds("keyed")) == ["{\"inner\": {\"a\": 1, \"b\": 2, \"c\": 2}}"])
        #expect(try Set(rounds("unkeyed")) == ["{\"inner\": [1, 2]}"])
        #expect(try Set(rounds("super")) == ["{\"inner\": {\"a\": 1, \"b\": 2}}"])
        #expect(try Set(rounds("values")) == ["{\"inner\": 2}"])
    }

    @Test(
        "A container and something else under one key are refused, before anything is lost",
        arguments: [
            "other kind", "container after value", "container after postponed value", "value after container",
            "postponed value after container",
        ])
    func refused(way: String) throws {
        let tree = NodeTree()
        var encoder = NodeEncoder(into: tree)
        for round in 0..<3 {
            encoder.beginRoot()
            #expect(throws: CacheError.self, "round \(round)") { try encoder.encodeCodable(Repeating(way)) }
        }
    }

    class Animal: Codable {
        var name = "Rex"
        enum Keys: String, CodingKey { case attributes }
        enum Inner: String, CodingKey { case name }
        init() {}
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            name = try container.nestedContainer(keyedBy: Inner.self, forKey: .attributes).decode(
                String.self, forKey: .name)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            var inner = container.nestedContainer(keyedBy: Inner.self, forKey: .attributes)
            try inner.encode(name, forKey: .name)
        }
    }

    final class Dog: Animal, SimpleModel, @unchecked Sendable {
        var tricks = ["sit"]
        var modelIdentifier: ModelIdentifier? { "Dog" }
        enum DogKeys: String, CodingKey { case attributes }
        enum DogInner: String, CodingKey { case tricks }
        override init() { super.init() }
        required init(from decoder: any Decoder) throws {
            try super.init(from: decoder)
            let container = try decoder.container(keyedBy: DogKeys.self)
            tricks = try container.nestedContainer(keyedBy: DogInner.self, forKey: .attributes).decode(
                [String].self, forKey: .tricks)
        }
        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: DogKeys.self)
            var inner = container.nestedContainer(keyedBy: DogInner.self, forKey: .attributes)
            try inner.encode(tricks, forKey: .tricks)
        }
        func isEqual(to model: any SimpleModel) -> Bool { (model as? Dog)?.tricks == tricks }
    }

    @Test("A class and its superclass that share a nested container both come back") func classes() throws {
        let dog = Dog()
        dog.name = "Bello"
        dog.tricks = ["roll", "sit"]
        let read = try Encoded(CodableNode(dog)).decode(as: CodableNode<Dog>.self).base
        #expect(read.name == "Bello")
        #expect(read.tricks == ["roll", "sit"])
    }

    enum Level: String, Codable, SimpleModel {
        case low
        case high
        var modelIdentifier: ModelIdentifier? { "Level" }
    }

    struct Numbers: Codable, SimpleModel, Equatable {
        var values: [Int]
        var modelIdentifier: ModelIdentifier? { "Numbers" }
        init(_ values: [Int]) { self.values = values }
        init(from decoder: any Decoder) throws { values = try decoder.singleValueContainer().decode([Int].self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(values)
        }
    }

    @Test("An identified model that writes something other than fields is refused") func bodies() throws {
        #expect(refusal { try Encoded(CodableNode(Level.high)) } == .unencodable)
        #expect(refusal { try Encoded(CodableNode(Numbers([1]))) } == .unencodable)
        struct Held: SimpleModel, Codable, Equatable {
            var level: Level
            var modelIdentifier: ModelIdentifier? { "Held" }
        }
        #expect(refusal { try Encoded(CodableNode(Held(level: .low))) } == .unencodable)
        #expect(refusal { try byHand { $0.writeNull() } } == .unencodable)
        #expect(refusal { try byHand { $0.writeMapHead(count: 0) } } == nil)
    }

    private func byHand(_ write: (inout NodeEncoder) -> Void) throws {
        let tree = NodeTree()
        var encoder = NodeEncoder(into: tree)
        try encoder.encodeNode(identifier: "a", recordName: "A", projectionName: "A") { encoder in write(&encoder) }
    }
}

@Suite("Both codings of containers in containers") struct TwinValueTests {
    struct HandBox<Value: NodeCodable & Equatable & Sendable>: CacheableModel, Equatable {
        var v: Value
        var modelIdentifier: ModelIdentifier? { "Box" }
        static var recordName: String { "Box" }
        static var projectionName: String { "Box" }
        static var fields: FieldTable { TwinValueTests.fields }
        func encodeFields(to node: inout NodeEncoder) throws(CacheError) { try node.encode(v, at: 0) }
        static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> HandBox {
            let v = try node.scan(Value.self, at: 0)
            return HandBox(v: try node.finish(v))
        }
    }

    struct PlainBox<Value: Codable & Equatable & Sendable>: SimpleModel, Codable, Equatable {
        var v: Value
        var modelIdentifier: ModelIdentifier? { "Box" }
        static var recordName: String { "Box" }
        static var projectionName: String { "Box" }
    }

    private static let fields = FieldTable("v")

    private func agree<Hand: NodeCodable & Equatable & Sendable, Plain: Codable & Equatable & Sendable>(
        _ hand: Hand, _ plain: Plain, _ line: SourceLocation = #_sourceLocation
    ) throws {
        let byHand = try Encoded(HandBox(v: hand))
        let byCodable = try Encoded(CodableNode(PlainBox(v: plain)))
        #expect(byHand.bodies["Box"] == byCodable.bodies["Box"], sourceLocation: line)
        #expect(try byCodable.decode(as: HandBox<Hand>.self).v == hand, sourceLocation: line)
        #expect(try byHand.decode(as: CodableNode<PlainBox<Plain>>.self).base.v == plain, sourceLocation: line)
    }

    /// Of values that are their own twins, as elements that are `Codable` and nothing else.
    struct Only<Value: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
        var value: Value
        init(_ value: Value) { self.value = value }
        init(from decoder: any Decoder) throws {
            value = try decoder.singleValueContainer().decode(Value.self)
        }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(value)
        }
    }

    @Test("Keys, elements and optionals of every kind have one encoding") func containers() throws {
        let dates = [0.1, 1e9, -7, 0.25].map { Date(timeIntervalSinceReferenceDate: $0) }
        let byDate = Dictionary(uniqueKeysWithValues: dates.enumerated().map { ($1, $0) })
        try agree(byDate, byDate)
        try agree(byDate, Dictionary(uniqueKeysWithValues: byDate.map { (Only($0), Only($1)) }))
        try agree(Set(dates), Set(dates.map { Only($0) }))
        let byUUID = Dictionary(uniqueKeysWithValues: (0..<9).map { (UUID(), Badge(name: "n\($0 as Int)", level: $0)) })
        try agree(byUUID, byUUID.mapValues { PlainBadge(name: $0.name, level: $0.level) })
        let people = Dictionary(uniqueKeysWithValues: (0..<9).map { (UUID(), HandPerson(id: $0, name: "n")) })
        try agree(people, people.mapValues { PlainPerson(id: $0.id, name: $0.name) })
        let decimals: [Decimal?] = [
            nil, 0, 1, Decimal(string: "-0.00"), .greatestFiniteMagnitude, .leastFiniteMagnitude,
        ]
        try agree(decimals, decimals)
        try agree(decimals, decimals.map { $0.map { Only($0) } })
        let hand = HandPerson(id: 1, name: "one")
        let plain = PlainPerson(id: 1, name: "one")
        let pairs: [(HandPerson??, PlainPerson??)] = [
            (.none, .none), (.some(.none), .some(.none)), (.some(.some(hand)), .some(.some(plain))),
        ]
        for (hand, plain) in pairs {
            try agree(hand, plain)
            try agree([hand], [plain])
            try agree(["k": [hand]], ["k": [plain]])
        }
        try agree([[hand], []], [[plain], []])
        try agree([1: [2: [hand]]], [1: [2: [plain]]])
    }

    @Test("So have the extremes of numbers") func numbers() throws {
        struct PlainNumbers: SimpleModel, Codable {
            var a: Double
            var b: Float
            var c: UInt64
            var d: Int64
            var e: Decimal
            var f: Double?
            var modelIdentifier: ModelIdentifier? { "Box" }
            func isEqual(to model: any SimpleModel) -> Bool { false }
        }
        let doubles: [Double] = [
            .nan, -.nan, .signalingNaN, -0.0, 0, .infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 65504,
            65505,
        ]
        let decimals: [Decimal] = [
            .greatestFiniteMagnitude, -Decimal.greatestFiniteMagnitude, .leastNonzeroMagnitude,
        ]
        for (index, double) in doubles.enumerated() {
            let float = Float(double)
            let unsigned = UInt64.max - UInt64(index)
            let signed = Int64.min + Int64(index)
            let decimal = decimals[index % 3]
            let plain = PlainNumbers(a: double, b: float, c: unsigned, d: signed, e: decimal, f: double)
            let encoded = try Encoded(CodableNode(plain))
            let values: [any NodeCodable] = [double, float, unsigned, signed, decimal, double]
            var expected: [UInt8] = [0xA6]
            for (name, value) in zip("abcdef".utf8, values) { expected += try [0x61, name] + Encoded(value).bytes }
            #expect(encoded.bodies["Box"] == expected)
            let read = try encoded.decode(as: CodableNode<PlainNumbers>.self).base
            #expect(read.a.bitPattern == double.bitPattern && read.f?.bitPattern == double.bitPattern)
            #expect(read.b.bitPattern == float.bitPattern)
            #expect(read.c == unsigned && read.d == signed && read.e == decimal)
        }
        let notANumber = Decimal.nan
        #expect(
            refusal { try Encoded(notANumber) } == refusal { try Encoded(CodableNode(PlainBox(v: notANumber))) })
    }
}
