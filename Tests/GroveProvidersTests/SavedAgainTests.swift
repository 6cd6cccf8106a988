import Grove
import GroveMemory
import GroveProviders
import Testing

/// What the cache has refused is saved again: each model once, however much was refused.
@MainActor
@Suite("Saves that are made again")
struct SavedAgainTests {
    private let people = (0..<300).map { Person(id: "\($0)", name: "a") }

    @Test("A long list that was set while the cache was suspended is saved by about one call for each model")
    func list() async throws {
        let cache = try MemoryCache()
        let manager = DataModelManager(cacheDelegate: cache)
        let list = CollectionDataProvider<Person>(dataModelManager: manager)
        try await cache.suspend()
        list.setData(people, cacheKey: "people")
        for _ in 0..<3 { await manager.flush() }
        let before = cache.statistics.writes
        try await cache.resume()
        for _ in 0..<5 {
            await manager.flush()
            try? await cache.flush()
        }
        #expect(try cache.collection("people", of: Person.self) == people)
        if case .unsaved = list.state { Issue.record("The list is saved.") }
        #expect(cache.statistics.writes - before < 3 * people.count, "\(cache.statistics.writes - before)")
    }

    @Test("What is refused while others are saved again is saved, too")
    func meanwhile() async throws {
        let cache = try MemoryCache()
        let manager = DataModelManager(cacheDelegate: cache)
        let screens = people.map { _ in DataProvider<Person>(dataModelManager: manager) }
        for round in 0..<5 {
            try await cache.suspend()
            for (screen, person) in zip(screens, people) { screen.setData(Person(id: person.id, name: "\(round)")) }
            await manager.flush()
            try await cache.resume()
            screens[round].setData(Person(id: people[round].id, name: "late \(round)"))
            try await cache.suspend()
            try await cache.resume()
        }
        for _ in 0..<5 {
            await manager.flush()
            try? await cache.flush()
        }
        for (index, person) in people.enumerated() {
            let name = index == 4 ? "late 4" : "4"
            #expect(try cache.model(Person.self, id: person.id)?.name == name)
        }
    }
}
