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

    @Suite("Identifiers by the macro") struct IdentityTests {
        /// Expects one identifier, both as text and as the bytes that a cache writes.
        private func expect<M: CacheableModel>(_ model: M, _ identifier: ModelIdentifier?) throws {
            #expect(model.modelIdentifier == identifier)
            guard let identifier else { return }
            let cache = try MemoryCache()
            try cache.write(model)
            #expect(try cache.bodies().keys.map { ModelIdentifier($0) } == [identifier])
        }

        @Test("Each type that has one text of its own")
        func types() throws {
            let uuid = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
            let url = try #require(URL(string: "b?c=%20", relativeTo: URL(string: "https://example.org/a/")))
            try expect(Keyed.ByString(id: "é\u{0}"), "Keyed.ByString:é\u{0}")
            try expect(Keyed.BySubstring(text: "abc"), "Keyed.BySubstring:bc")
            try expect(Keyed.ByCharacter(text: "👩‍👧"), "Keyed.ByCharacter:👩‍👧")
            try expect(Keyed.ByInteger(id: .min), "Keyed.ByInteger:-128")
            try expect(Keyed.ByBool(id: true), "Keyed.ByBool:true")
            try expect(Keyed.ByUUID(id: uuid), "Keyed.ByUUID:\(uuid.uuidString)")
            try expect(Keyed.ByURL(id: url), "Keyed.ByURL:https://example.org/a/b?c=%20")
            try expect(Keyed.ByIdentifier(id: "x:1"), "Keyed.ByIdentifier:x:1")
        }

        @Test("What stands for one of them is its raw value")
        func rawValues() throws {
            let uuid = UUID()
            try expect(Keyed.ByTag(id: Tag(rawValue: 7)), "Keyed.ByTag:7")
            try expect(Keyed.ByTextTag(id: Tag(rawValue: "a")), "Keyed.ByTextTag:a")
            try expect(Keyed.ByUUIDTag(id: Tag(rawValue: uuid)), "Keyed.ByUUIDTag:\(uuid.uuidString)")
            try expect(Keyed.ByMood(id: .cross), "Keyed.ByMood:cross")
            try expect(Keyed.ByRank(id: .high), "Keyed.ByRank:300")
            try expect(Keyed.ByPath(id: Path("a/b")), "Keyed.ByPath:a/b")
        }

        @Test("Optionals, of optionals too, are what they hold or no identifier")
        func optionals() throws {
            try expect(Keyed.ByMaybe(id: 3), "Keyed.ByMaybe:3")
            try expect(Keyed.ByMaybe(id: .some(nil)), nil)
            try expect(Keyed.ByMaybe(id: nil), nil)
            try expect(Keyed.ByMaybeTag(id: Tag(rawValue: "t")), "Keyed.ByMaybeTag:t")
            try expect(Keyed.ByMaybeTag(id: nil), nil)
        }

        @Test("What identifies the models of a type names them in calls")
        func typed() throws {
            #expect(Keyed.ByString.modelIdentifier(for: "é") == "Keyed.ByString:é")
            #expect(Keyed.ByInteger.modelIdentifier(for: -3) == "Keyed.ByInteger:-3")
            #expect(Keyed.ByInteger.identifierPrefix == "Keyed.ByInteger:")
            #expect(Keyed.ByUUID.identifierPrefix == "Keyed.ByUUID:")
            // An optional or computed identity names none.
            #expect(!(Keyed.ByMaybe.self is any KeyedModel.Type))
            let cache = try MemoryCache()
            try cache.write(contentsOf: [Keyed.ByInteger(id: 1), Keyed.ByInteger(id: 2)])
            try cache.write(Keyed.ByString(id: "1"))
            #expect(try cache.model(Keyed.ByInteger.self, id: 2)?.id == 2)
            #expect(try cache.identifiers(of: Keyed.ByInteger.self) == ["Keyed.ByInteger:1", "Keyed.ByInteger:2"])
        }

        @Test("An empty text is the empty identifier, which a cache refuses, alone and as a child")
        func empty() throws {
            func expectRefused(_ write: (MemoryCache) throws -> Void) throws {
                let cache = try MemoryCache()
                let error = #expect(throws: CacheError.self) { try write(cache) }
                #expect(error?.code == .emptyIdentifier)
                #expect(try cache.bodies().isEmpty)
            }
            #expect(Keyed.ByString(id: "").modelIdentifier == "")
            #expect(Keyed.ByMaybeTag(id: Tag(rawValue: "")).modelIdentifier == "")
            try expectRefused { try $0.write(Keyed.ByString(id: "")) }
            try expectRefused { try $0.write(Keyed.BySubstring(text: "a")) }
            try expectRefused { try $0.write(Keyed.ByMaybeTag(id: Tag(rawValue: ""))) }
            try expectRefused { try $0.write(Fork("root", Fork(""))) }
            try expectRefused { try $0.write(Shop.Shelf(id: "s", items: [], next: Shop.Shelf(id: "", items: []))) }
            try expectRefused { try $0.writeCollection([Item.fork(it: Fork(""))], as: "key") }
        }
    }

    struct Tag<RawValue: Codable & Hashable & Sendable>: RawRepresentable, Codable, Hashable, Sendable {
        let rawValue: RawValue
    }

    /// Its text gives it back.
    struct Path: LosslessStringConvertible, Codable, Hashable {
        let description: String
        init(_ description: String) { self.description = description }
    }

    private enum Keyed {
        @Cacheable struct ByString { let id: String }
        @Cacheable struct BySubstring {
            let text: String
            var id: Substring { text.dropFirst() }
        }
        @Cacheable struct ByCharacter {
            let text: String
            var id: Character { text.first ?? " " }
        }
        @Cacheable struct ByInteger { let id: Int8 }
        @Cacheable struct ByBool { let id: Bool }
        @Cacheable struct ByUUID { let id: UUID }
        @Cacheable struct ByURL { let id: URL }
        @Cacheable struct ByIdentifier { let id: ModelIdentifier }
        @Cacheable struct ByTag { let id: Tag<Int> }
        @Cacheable struct ByTextTag { let id: Tag<String> }
        @Cacheable struct ByUUIDTag { let id: Tag<UUID> }
        @Cacheable struct ByMood { let id: Mood }
        @Cacheable struct ByRank { let id: Rank }
        @Cacheable struct ByPath { let id: Path }
        @Cacheable struct ByMaybe { let id: Int?? }
        @Cacheable struct ByMaybeTag { let id: Tag<String>? }
    }
#endif
