#if Macros
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif
    import GroveCache
    import GroveMacros
    import GroveMemory
    import Testing

    /// Containers inside containers, of children and of leaves, with keys of every kind.
    @Cacheable
    private struct Nest {
        let id: Int
        var maybes: [Person?]
        var maybeAll: [Person]?
        var deep: [[String: [Person?]]?]
        var byUUID: [UUID: Person]
        var byMood: [Mood: Person]
        var byNumber: [Int: [Int: Person]]
        var times: [Date: Int]?
        var dates: Set<Date>
        var prices: [Decimal?]
        var link: URL?
        var data: Data?
        var sets: [Set<Int>?]
        var ownerTwice: Person??
        var badges: [String: [Badge?]]?
        var items: [Item?]

        static func sample(_ seed: Int) -> Nest {
            let ann = Person(id: 1, name: "Ann \(seed)")
            let ben = Person(id: 2, name: "Ben")
            let owners: [Person??] = [.none, .some(.none), .some(.some(ann))]
            let date = Date(timeIntervalSince1970: 1_700_000_000)
            return Nest(
                id: seed, maybes: [ann, nil, ben], maybeAll: seed % 2 == 0 ? nil : [],
                deep: [nil, ["a": [nil, ben], "bb": []], [:]],
                byUUID: [UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9)): ann], byMood: [.cross: ben],
                byNumber: [1: [2: ann, -3: ben], -1: [:]], times: [date: 1], dates: [date, .distantPast],
                prices: [nil, Decimal(5) / 4], link: seed % 2 == 0 ? nil : URL(string: "https://example.org"),
                data: seed % 3 == 0 ? nil : Data([1, 2]), sets: [nil, [], [3, -1, 70_000]],
                ownerTwice: owners[seed % 3], badges: ["x": [nil, Badge(name: "b", level: nil)]],
                items: [.person(ben), nil, .note(text: "n", count: nil), .people([ann])])
        }
    }

    /// `Letter` with no coding but `Codable`.
    private struct PlainLetter: CodableModel, Equatable {
        struct Person: CodableModel, Equatable {
            static let recordName = "Correspondent"
            static let projectionName = "Correspondent"
            let id: Int
            let name: String
            var modelIdentifier: ModelIdentifier? { "Correspondent:\(id)" }
        }

        struct File: Codable, Equatable {
            let name: String
            let size: Int
        }

        static let recordName = "Letter"
        static let projectionName = "Letter"
        let id: Int
        let text: String
        let sender: Person
        let copies: [Person]
        let attachment: File?
        var isRead: Bool
        var modelIdentifier: ModelIdentifier? { "Letter:\(id)" }
    }

    @Suite("What the macro agrees with") struct AgreementTests {
        @Test("Containers inside containers come back, also after a child in them was written anew", arguments: 0..<6)
        func nesting(seed: Int) throws {
            let cache = try MemoryCache()
            var nest = Nest.sample(seed)
            try cache.write(nest)
            #expect(try cache.model("Nest:\(seed)", as: Nest.self) == nest)
            let ben = Person(id: 2, name: "Ben, renamed")
            try cache.write(ben)
            nest = try #require(nest.map { $0.modelIdentifier == "Person:2" ? ben : $0 })
            #expect(nest.maybes == [Person(id: 1, name: "Ann \(seed)"), nil, ben])
            #expect(nest.deep == [nil, ["a": [nil, ben], "bb": []], [:]])
            #expect(try cache.model("Nest:\(seed)", as: Nest.self) == nest)
            try cache.delete("Person:2")
            let read = try #require(try cache.model("Nest:\(seed)", as: Nest.self))
            #expect(read.byMood == [:])
            #expect(read.byNumber == [1: [2: Person(id: 1, name: "Ann \(seed)")], -1: [:]])
            #expect(read == nest.map { $0.modelIdentifier == "Person:2" ? nil : $0 })
        }

        @Test("NRM-10: the macro, Codable and a conformance by hand store the same body bytes", arguments: 0..<4)
        func threeWays(seed: Int) throws {
            func person(_ id: Int) -> Correspondent {
                Correspondent(id: id, name: String(repeating: "é", count: seed * 30))
            }
            func plain(_ id: Int) -> PlainLetter.Person { PlainLetter.Person(id: id, name: person(id).name) }
            let file = seed % 2 == 0 ? nil : Enclosure(name: "a.pdf", size: 1 << (seed * 12))
            let macro = Letter(
                id: seed, text: "t\u{0}\(seed)", sender: person(1), copies: [person(2), person(1), person(2)],
                attachment: file, isRead: seed > 1)
            let hand = LetterByHand(
                id: seed, text: "t\u{0}\(seed)", sender: person(1), copies: [person(2), person(1), person(2)],
                attachment: file, isRead: seed > 1)
            let codable = PlainLetter(
                id: seed, text: "t\u{0}\(seed)", sender: plain(1), copies: [plain(2), plain(1), plain(2)],
                attachment: file.map { PlainLetter.File(name: $0.name, size: $0.size) }, isRead: seed > 1)
            let caches = try (0..<3).map { _ in try MemoryCache() }
            try caches[0].write(macro)
            try caches[1].write(hand)
            try caches[2].write(codable)
            let bodies = try caches.map { try $0.bodies() }
            #expect(bodies[0].keys.sorted() == ["Correspondent:1", "Correspondent:2", "Letter:\(seed)"])
            #expect(bodies[1] == bodies[0])
            #expect(bodies[2] == bodies[0])
            for cache in caches {
                // Writing the models of the other two kinds changes nothing.
                #expect(try cache.write(macro).isEmpty)
                #expect(try cache.write(hand).isEmpty)
                #expect(try cache.write(codable).isEmpty)
                #expect(try cache.model("Letter:\(seed)", as: Letter.self) == macro)
                #expect(try cache.model("Letter:\(seed)", as: LetterByHand.self) == hand)
                #expect(try cache.model("Letter:\(seed)", as: PlainLetter.self) == codable)
            }
        }
    }
#endif
