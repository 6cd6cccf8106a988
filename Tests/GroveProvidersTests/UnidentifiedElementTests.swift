import Grove
import GroveCache
import GroveMemory
import TestSupport
import Testing

/// Elements that have no identifier, and children that have one.
@MainActor
@Suite("A list of elements without identifiers")
struct UnidentifiedElementTests {
    typealias Cards = CollectionDataProvider<Card>

    /// A person in place, with a note.
    struct Card: Model, Equatable, CacheableModel {
        var note: String
        var person: Person

        var modelIdentifier: ModelIdentifier? { nil }
        func map(_ transform: (any Model) -> (any Model)?) -> Card? {
            (transform(person) as? Person).map { Card(note: note, person: $0) }
        }
        func forEach(_ visit: (any Model) -> Void) { visit(person) }

        static let fields = FieldTable("note", "person")

        func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
            try node.encode(note, at: 0)
            try node.encode(person, at: 1)
        }

        static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Card {
            let note = try node.scan(String.self, at: 0)
            let person = try node.scan(Person.self, at: 1)
            return Card(note: try node.finish(note), person: try node.finish(person))
        }
    }

    /// Why an edit cannot be stored as that edit.
    enum Refusal: CaseIterable {
        case forgotten, knownToBeForgotten, suspended, beforeInMemory, wholeListSuspended
    }

    let cache: MemoryCache
    let manager: DataModelManager
    let list: Cards

    init() throws {
        cache = try MemoryCache()
        manager = DataModelManager(cacheDelegate: cache)
        list = Cards(dataModelManager: manager)
    }

    private func rest() async throws {
        for _ in 0..<4 {
            await manager.flush()
            // It tells of refusals.
            try? await cache.flush()
        }
    }

    @Test(
        "What an edit brings that the cache refuses is stored afterwards, the children too", arguments: Refusal.allCases
    )
    func refused(_ refusal: Refusal) async throws {
        let other = Card(note: "b", person: Person(id: "2", name: "Bob"))
        list.setData([Card(note: "a", person: Person(id: "1", name: "Ann")), other], cacheKey: "cards")
        try await rest()
        let newer = Card(note: "c", person: Person(id: "1", name: "Anna"))
        switch refusal {
        case .forgotten:
            try await cache.removeCollection("cards")
            list.append([newer])
        case .knownToBeForgotten:
            try await cache.removeCollection("cards")
            try await rest()
            list.append([newer])
        case .beforeInMemory:
            list.append([Card(note: "memory", person: Person(id: "3", name: "Cid"))], shouldCache: false)
            list.append([newer])
        case .suspended:
            try await cache.suspend()
            list.append([newer])
        case .wholeListSuspended:
            try await cache.suspend()
            list.setData([newer, other], cacheKey: "cards")
        }
        await manager.flush()
        if case .unsaved = list.state { try await cache.resume() }
        try await rest()
        #expect(list.data.allSatisfy { $0.person.id != "1" || $0.person.name == "Anna" })
        #expect(try cache.model("Person:1", as: Person.self)?.name == "Anna")
        #expect(try cache.collection("cards", of: Card.self) == list.data)
    }

    @Test("What others wrote meanwhile of the children of other elements stays", arguments: [false, true])
    func others(isDeleted: Bool) async throws {
        list.setData(["1", "2"].map { Card(note: $0, person: Person(id: $0, name: "Ann")) }, cacheKey: "cards")
        try await rest()
        try await cache.suspend()
        list.append([Card(note: "3", person: Person(id: "3", name: "Cid"))])
        await manager.flush()
        try resume(andDelete: isDeleted)
        try await rest()
        #expect(try cache.model("Person:2", as: Person.self)?.name == (isDeleted ? nil : "Bob"))
        #expect(try cache.model("Person:3", as: Person.self)?.name == "Cid")
        #expect(list.data.map(\.note) == (isDeleted ? ["1", "3"] : ["1", "2", "3"]))
        #expect(try cache.collection("cards", of: Card.self, missing: .skip) == list.data)
    }

    /// In one turn, so that nothing is saved again between.
    private func resume(andDelete isDeleted: Bool) throws {
        try cache.resume()
        if isDeleted { try cache.delete("Person:2") } else { try cache.write(Person(id: "2", name: "Bob")) }
    }
}
