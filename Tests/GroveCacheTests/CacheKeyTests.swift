import GroveCache
import GroveMemory
import GroveModel
import Testing

/// Models under cache keys of their own, through the typed calls.
@Suite("Cache keys")
struct CacheKeyTests {
    let cache: MemoryCache
    let ann = Person(id: "1", name: "Ann", age: 30)
    let older = Person(id: "1", name: "Ann", age: 31)

    init() throws { cache = try MemoryCache() }

    @Test("A model is read under its key in its newest version, and under its identifier")
    func newest() async throws {
        try await cache.write(ann, forKey: "me")
        #expect(try cache.model(forKey: "me", as: Person.self) == ann)
        #expect(try cache.model("Person:1", as: Person.self) == ann)
        try await cache.write(older)
        #expect(try cache.model(forKey: "me", as: Person.self) == older)
        #expect(try await cache.read { try $0.read(forKey: "me", as: Person.self) } == .hit(older))
        // The identifier is a key too, and a key is not an identifier.
        #expect(try cache.model(forKey: "Person:1", as: Person.self) == older)
        #expect(try cache.read("me", as: Person.self) == .miss(CacheMiss(.absent, "me")))
        try await cache.delete("Person:1")
        #expect(try cache.model(forKey: "me", as: Person.self) == nil)
    }

    @Test("It is the same record as that of `setModel`")
    func sameRecord() throws {
        cache.setModel(ann, forKey: "me", context: nil)
        #expect(try cache.model(forKey: "me", as: Person.self) == ann)
        let ben = Person(id: "2", name: "Ben", age: 40)
        let written: ChangeSet = try cache.write(ben, forKey: "me")
        #expect(written.changedModelIds == ["Person:2"])
        #expect(try cache.model(forKey: "me", as: Person.self) == ben)
    }

    @Test("`Codable` models have the same calls")
    func codable() async throws {
        let note = Draft(id: 7, text: "Hello")
        try await cache.write(note, forKey: "draft", durability: .durable)
        #expect(try cache.model(forKey: "draft", as: Draft.self) == note)
        #expect(try await cache.read { try $0.read(forKey: "draft", as: Draft.self) } == .hit(note))
        #expect(try cache.read(forKey: "other", as: Draft.self) == .miss(CacheMiss(.absent, "other")))
    }

    @Test("What cannot be set under a key is refused: no identifier, no key, no coding")
    func refused() {
        func code(_ body: () throws -> Void) -> CacheError.Code? {
            (#expect(throws: CacheError.self) { try body() })?.code
        }
        #expect(code { try cache.write(ann, forKey: "") } == .emptyIdentifier)
        #expect(code { try cache.write(Bare(), forKey: "a") } == .unidentified)
        #expect(code { try cache.write(Mute(), forKey: "a") } == .notCacheable)
        #expect(code { _ = try cache.model(forKey: "", as: Person.self) } == .emptyIdentifier)
    }
}

private struct Draft: CodableModel, Equatable {
    let id: Int
    let text: String
    var modelIdentifier: ModelIdentifier? { "Draft:\(id)" }
}

private struct Bare: CodableModel, Equatable {
    var text = ""
    var modelIdentifier: ModelIdentifier? { nil }
}

private struct Mute: SimpleModel, Equatable {
    var modelIdentifier: ModelIdentifier? { "Mute:1" }
}
