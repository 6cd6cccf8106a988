import Grove
import GroveCache
import GroveMemory
import GroveProviders
import Testing
import TestSupport

/// A refresh of a list of which more was loaded, and edits of two who have one list.
@MainActor
@Suite("Lists are edited as lists")
struct RefreshTests {
    typealias People = CollectionDataProvider<Person>

    let cache: MemoryCache
    let manager: DataModelManager
    let list: People

    init() throws {
        cache = try MemoryCache()
        manager = DataModelManager(cacheDelegate: cache)
        list = People(dataModelManager: manager)
    }

    private func people(_ ids: [String]) -> [Person] { ids.map { Person(id: $0) } }

    private func rest(_ others: DataModelManager...) async throws {
        for _ in 0..<4 {
            for manager in others + [manager] { await manager.flush() }
            try await cache.flush()
        }
    }

    /// Expects that the screen shows `ids`, and that the cache has them.
    private func expect(_ ids: [String], _ location: SourceLocation = #_sourceLocation) async throws {
        try await rest()
        #expect(list.data.map(\.id) == ids, sourceLocation: location)
        #expect(try cache.collection("people", of: Person.self)?.map(\.id) == ids, sourceLocation: location)
    }

    private func refresh(_ ids: [String], part: LoadedPart = .firstPage) async throws {
        let page = people(ids)
        _ = try await list.load(withCacheKey: "people", part: part, reload: true) { page }
    }

    @Test("Who pulls to refresh gets a request, however young what is there is")
    func reloads() async throws {
        _ = try await list.load(withCacheKey: "people", maxAge: 60) { [Person(id: "1")] }
        _ = try await list.load(withCacheKey: "people", maxAge: 60) { [Person(id: "2")] }
        #expect(list.data.map(\.id) == ["1"])
        _ = try await list.load(withCacheKey: "people", maxAge: 60, reload: true) { [Person(id: "2")] }
        #expect(list.data.map(\.id) == ["2"])
        let person = DataProvider<Person>(dataModelManager: manager)
        for (name, reload) in [("a", false), ("b", false), ("c", true)] {
            _ = try await person.load(withCacheKey: "Person:9", maxAge: 60, reload: reload) {
                Person(id: "9", name: name)
            }
            #expect(person.data?.name == (name == "c" ? "c" : "a"))
        }
    }

    @Test("A refresh of the first page keeps what follows if it reaches what was there, and drops it otherwise")
    func firstPage() async throws {
        try await refresh(["0", "1", "2"])
        let (second, third) = (people(["3", "4"]), people(["5"]))
        _ = try await list.loadMore { _ in second }
        _ = try await list.loadMore { _ in third }
        try await refresh(["new", "0", "1"])
        try await expect(["new", "0", "1", "2", "3", "4", "5"])
        // Rows that were removed or moved up.
        try await refresh(["4", "new", "1"])
        try await expect(["4", "new", "1", "2", "3", "5"])
        try await refresh(["a", "b"])
        try await expect(["a", "b"])
        try await refresh(["b"], part: .wholeList)
        try await expect(["b"])
    }

    @Test("A refresh of the first page keeps the rows that were added while it was under way")
    func editsMeanwhile() async throws {
        try await refresh(["0", "1"])
        let page = people(["2", "3"])
        _ = try await list.loadMore { _ in page }
        let server = Server<[Person]>()
        let loading = Task { [list] in
            try await list.load(withCacheKey: "people", part: .firstPage) { try await server.ask() }
        }
        await server.receives(1)
        list.append(people(["mine"]))
        list.remove(at: 1)
        list.insert(people(["head"]), at: 0)
        await server.answer(0, people(["new", "0", "1"]))
        _ = try await loading.value
        // The rows are not what the server says, so that the list is no answer of its.
        guard case .cached = list.state else { return #expect(Bool(false), "the state is \(list.state)") }
        try await expect(["head", "new", "0", "2", "3", "mine"])
        try await refresh(["new"], part: .wholeList)
        guard case .fresh = list.state else { return #expect(Bool(false), "the state is \(list.state)") }
    }

    @Test("The cache's edits by identifier reach the screen, and an element put in by its identifier is not written")
    func byIdentifierInTheCache() async throws {
        list.setData(people(["1", "2", "3"]), cacheKey: "people")
        try await rest()
        try await cache.move("Person:3", to: .first, inCollection: "people")
        try await cache.remove("Person:2", fromCollection: "people")
        try await cache.upsert([Person(id: "1", name: "new"), Person(id: "4")], inCollection: "people")
        try await expect(["3", "1", "4"])
        #expect(list.data[1].name == "new")
        try await cache.write(Person(id: "9", name: "newest"))
        try await cache.insert(references: ["Person:9"], at: .after("Person:3"), inCollection: "people")
        try await cache.insert(people(["5"]), at: .before("Person:4"), inCollection: "people")
        try await cache.remove("Person:2", fromCollection: "people")
        try await cache.move("Person:2", to: .last, inCollection: "people")
        try await expect(["3", "9", "1", "5", "4"])
        #expect(list.data[1].name == "newest")
        #expect(try cache.index(of: "Person:5", inCollection: "people") == 3)
        #expect(try cache.contains("Person:2", inCollection: "people") == false)
        let error = await #expect(throws: CacheError.self) {
            try await cache.remove("Person:1", fromCollection: "nowhere")
        }
        #expect(error?.code == .outOfRange)
    }

    @Test(
        "A provider's edits by identifier and row find their element, however the list has changed",
        arguments: [false, true])
    func byIdentifierOnTheScreen(isPaused: Bool) async throws {
        list.setData(people(["1", "2", "3", "4"]), cacheKey: "people")
        try await rest()
        list.isPaused = isPaused
        let row = list.rows[1].id
        try await cache.insert(people(["0"]), at: .first, inCollection: "people")
        try await rest()
        #expect(list.update(Person(id: "3", name: "new")))
        #expect(!list.update(Person(id: "8")))
        #expect(list.move("Person:4", to: .before("Person:1")))
        #expect(list.remove(row: row))
        list.upsert([Person(id: "1", name: "one"), Person(id: "5")])
        #expect(list.remove("Person:3"))
        #expect(!list.contains("Person:3"))
        list.isPaused = false
        try await expect(["0", "4", "1", "5"])
        #expect(list.data[2].name == "one")
        #expect(list.index(of: "Person:5") == 3)
    }
}
