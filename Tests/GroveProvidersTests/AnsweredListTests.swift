import Grove
import GroveMemory
import TestSupport
import Testing

/// A list of an answer, and what became of its elements since it was asked for.
@Suite("Lists of answers")
struct AnsweredListTests {
    private func names(_ cache: MemoryCache) throws -> [String]? {
        try cache.collection("people", of: Person.self)?.map(\.id)
    }

    @Test("What was deleted and put in again since an answer was asked for is under it")
    func putInAgain() async throws {
        let cache = try MemoryCache()
        try await cache.writeCollection([Person(id: "1")], as: "people")
        let asked = cache.place()
        try await cache.delete("Person:1")
        try await cache.append([Person(id: "1")], toCollection: "people")
        try await cache.writeCollection([Person(id: "2")], as: "people", asOf: asked)
        #expect(try names(cache) == ["2", "1"])
    }

    @Test("What was deleted and put in again is there once if the answer has it too")
    func putInAgainAndAnswered() async throws {
        let cache = try MemoryCache()
        try await cache.writeCollection([Person(id: "3")], as: "people")
        let asked = cache.place()
        try await cache.delete("Person:1")
        try await cache.append([Person(id: "1")], toCollection: "people")
        try await cache.writeCollection([Person(id: "1")], as: "people", asOf: asked)
        #expect(try names(cache) == ["1"])
    }

    @Test("An edit that changes nothing wins over an answer that was asked for before it")
    func editedAsItIs() async throws {
        let cache = try MemoryCache()
        try await cache.writeCollection([Person(id: "1"), Person(id: "2")], as: "people")
        let asked = cache.place()
        try await cache.upsert([Person(id: "2")], inCollection: "people")
        try await cache.remove([ModelIdentifier("Person:3")], fromCollection: "people")
        try await cache.writeCollection([Person(id: "3"), Person(id: "1")], as: "people", asOf: asked)
        #expect(try names(cache) == ["1", "2"])
    }

    @MainActor
    @Test("An element of another's page that was deleted meanwhile is shown once it is written again")
    func deletedInPage() async throws {
        let cache = try MemoryCache()
        try await cache.writeCollection([Person(id: "1")], as: "people")
        let manager = DataModelManager(cacheDelegate: cache)
        let shown = CollectionDataProvider<Person>(dataModelManager: manager)
        _ = try await shown.fetchDataFromCache(withCacheKey: "people")
        let follower = cache.followed(by: { _ in })
        let asked = follower.place()
        try await cache.delete("Person:2")
        follower.edit(
            .insert([Person(id: "2")], .last), forKey: "people", ticket: EditTicket(rawValue: 1), asOf: asked,
            fillsOnly: true, madeAt: nil,
            settled: { _ in })
        try await cache.flush()
        await manager.flush()
        #expect(shown.data.map(\.id) == ["1"])
        try await cache.write(Person(id: "2"))
        #expect(try names(cache) == ["1", "2"])
        await manager.flush()
        #expect(shown.data.map(\.id) == ["1", "2"])
    }

    @MainActor
    @Test("An element that comes to a list and was changed in another is shown as it was changed")
    func heldByAnother() async throws {
        for round in 0..<20 {
            let cache = try MemoryCache()
            let manager = DataModelManager(cacheDelegate: cache)
            try await cache.writeCollection([Person(id: "1", name: "old"), Person(id: "2")], as: "holds")
            try await cache.writeCollection([Person(id: "3")], as: "gets")
            let lists = (0..<2).map { _ in CollectionDataProvider<Person>(dataModelManager: manager) }
            _ = try await lists[round % 2].fetchDataFromCache(withCacheKey: "holds")
            _ = try await lists[1 - round % 2].fetchDataFromCache(withCacheKey: "gets")
            _ = try await cache.write { tx in
                try tx.writeCollection([Person(id: "1", name: "new"), Person(id: "4")], as: "holds")
                try tx.writeCollection([Person(id: "3"), Person(id: "1", name: "new")], as: "gets")
            }
            for _ in 0..<3 { await manager.flush() }
            for list in lists { #expect(list.data.first { $0.id == "1" }?.name == "new", "round \(round)") }
        }
    }
}
