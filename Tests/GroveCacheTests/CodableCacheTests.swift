import GroveCache
import GroveCoding
import GroveMemory
import GroveModel
import Testing

@Suite("Codable models in a cache") struct CodableCacheTests {
    struct Person: CodableModel, Equatable {
        var id: Int
        var name: String
        var friends: [Person] = []
        var modelIdentifier: ModelIdentifier? { "Person:\(id)" }
    }

    enum Item: CodableModel, Equatable {
        case person(Person)
        var modelIdentifier: ModelIdentifier? {
            switch self {
            case .person(let person): person.modelIdentifier
            }
        }
    }

    /// A person with all friends where they can be had, else by name alone.
    enum Guest: Codable, Equatable {
        case friend(Person)
        case stranger(Name)

        struct Name: CodableModel, Equatable {
            var id: Int
            var name: String
            var modelIdentifier: ModelIdentifier? { "Person:\(id)" }
            static let recordName = "Person"
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let person = try? container.decode(Person.self) {
                self = .friend(person)
            } else {
                self = .stranger(try container.decode(Name.self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .friend(let person): try container.encode(person)
            case .stranger(let name): try container.encode(name)
            }
        }
    }

    struct Party: CodableModel, Equatable {
        var id: Int
        var guests: [Guest]
        var modelIdentifier: ModelIdentifier? { "Party:\(id)" }
    }

    /// A model that is only there or not.
    struct Flag: CodableModel, Equatable {
        var modelIdentifier: ModelIdentifier? { "Flag:1" }
    }

    /// The same, by hand, without so much as a container.
    struct Mark: CodableModel, Equatable {
        var modelIdentifier: ModelIdentifier? { "Mark:1" }
        init() {}
        init(from decoder: any Decoder) {}
        func encode(to encoder: any Encoder) {}
    }

    private func tree(_ depth: Int) -> Person {
        var person = Person(id: 0, name: "leaf")
        for id in 1..<depth { person = Person(id: id, name: "n\(id)", friends: [person]) }
        return person
    }

    @Test("Trees and collections are written, read and changed through their nodes") func roundTrip() throws {
        let cache = try MemoryCache()
        let root = Person(id: 1, name: "one", friends: [Person(id: 2, name: "two"), Person(id: 3, name: "three")])
        #expect(try cache.write(root).changedModelIds.count == 3)
        #expect(try cache.write(root).isEmpty)
        try cache.write(Person(id: 2, name: "zwei"))
        #expect(try cache.model("Person:1", as: Person.self)?.friends.map(\.name) == ["zwei", "three"])
        try cache.delete("Person:3")
        #expect(try cache.model("Person:1", as: Person.self)?.friends.map(\.id) == [2])
        try cache.writeCollection([Item.person(root), .person(Person(id: 4, name: "four"))], as: "feed")
        #expect(try cache.collection("feed", of: Item.self)?.count == 2)
    }

    @Test("A model without properties is there or not") func nothing() throws {
        let cache = try MemoryCache()
        #expect(try cache.model("Flag:1", as: Flag.self) == nil)
        try cache.write(Flag())
        #expect(try cache.model("Flag:1", as: Flag.self) == Flag())
        let failure = #expect(throws: CacheError.self) { try cache.write(Mark()) }
        #expect(failure?.code == .unencodable)
        try cache.delete("Flag:1")
        #expect(try cache.model("Flag:1", as: Flag.self) == nil)
    }

    @Test("Deep trees are read from one cache", arguments: [5, 30, 100, 900]) func depth(levels: Int) throws {
        let cache = try MemoryCache()
        try cache.write(tree(levels))
        #expect(try cache.model("Person:\(levels - 1)", as: Person.self) == tree(levels))
    }

    @Test("A model that takes what it can get gets the whole of a tree that is wide and deep")
    func wideAndDeep() throws {
        let cache = try MemoryCache()
        let guests = (0..<10).map { guest -> Guest in
            var person = Person(id: guest * 100, name: "leaf")
            for id in 1..<20 { person = Person(id: guest * 100 + id, name: "n\(id)", friends: [person]) }
            return .friend(person)
        }
        let party = Party(id: 1, guests: guests)
        try cache.write(party)
        #expect(try cache.model("Party:1", as: Party.self) == party)
    }

    @Test("The example of Docs/Internals/RecordFormat.md is what the cache builds and reads")
    func documentedExample() throws {
        let body: [UInt8] = [0xA2, 0x62, 0x69, 0x64, 0x01, 0x64, 0x6E, 0x61, 0x6D, 0x65, 0x63, 0x41, 0x6E, 0x6E]
        let head: [UInt8] = [
            0x01, 0x00, 0x69, 0x01, 0x93, 0x78, 0xC4, 0x70, 0xEB, 0x52, 0x01, 0x00, 0xCA, 0x9A, 0x3B,
        ]
        let expected = head + [6] + Array("Person".utf8) + [0] + body
        let key = [0x01] + Array("Person:1".utf8)
        var out = ByteBuffer(capacity: 64)
        defer { out.deallocate() }
        try unsafe key.withUnsafeBytes { key in
            try unsafe Array("Person".utf8).withUnsafeBytes { name in
                try unsafe body.withUnsafeBytes { body in
                    try unsafe RecordBuilder.build(
                        into: &out, key: key, flags: [], sequence: 1, time: 1_000_000_000, deletion: .none,
                        recordName: name,
                        projection: name, body: body)
                }
            }
            #expect(try unsafe RecordHeader(out.bytes, key: key).sequence == 1)
        }
        #expect(unsafe Array(out.bytes) == expected)
    }
}
