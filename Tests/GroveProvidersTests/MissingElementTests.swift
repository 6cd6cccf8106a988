import Grove
import GroveCache
import GroveMemory
import GroveSQLite
import TestSupport
import Testing

/// Collections some of whose elements the cache has forgotten.
@MainActor
@Suite("Missing elements")
struct MissingElementTests {
    typealias People = CollectionDataProvider<Person>

    struct NoNetwork: Error {}

    let cache: HeldCache
    let manager: DataModelManager

    init() async throws {
        cache = try HeldCache()
        manager = DataModelManager(cacheDelegate: cache, cacheTimeout: 3_600)
        try await cache.inner.writeCollection((1...3).map { Person(id: "\($0)") }, as: "people")
        try await cache.inner.evict("Person:2")
    }

    @Test("By default the whole is a miss; with .skip the rest is shown")
    func fetches() async throws {
        let (strict, lenient) = (People(dataModelManager: manager), People(dataModelManager: manager))
        #expect(try await strict.fetchDataFromCache(withCacheKey: "people") == nil)
        #expect(strict.count == 0)
        #expect(try await lenient.fetchDataFromCache(withCacheKey: "people", missing: .skip)?.map(\.id) == ["1", "3"])
        #expect(lenient.data.map(\.id) == ["1", "3"])
        #expect(try await strict.fetchDataFromCache(withCacheKey: "people")?.map(\.id) == ["1", "3"])
        #expect(try await lenient.fetchDataFromCache(withCacheKey: "nowhere", missing: .skip) == nil)
        let read: (value: [Person]?, error: (any Error)?) = await answer { completion in
            manager.collectionFromCache("people", missing: .skip, completion: completion)
        }
        #expect(read.value?.map(\.id) == ["1", "3"])
    }

    @Test(
        "What a list has skipped is shown once it is written, if all was evicted too",
        arguments: [["2"], ["1", "2", "3"]])
    func skippedComesBack(gone: [String]) async throws {
        let cache = try MemoryCache()
        let manager = DataModelManager(cacheDelegate: cache)
        let people = (1...3).map { Person(id: "\($0)") }
        try await cache.writeCollection(people, as: "people")
        for identifier in gone { try await cache.evict("Person:\(identifier)") }
        let list = People(dataModelManager: manager)
        _ = try await list.fetchDataFromCache(withCacheKey: "people", missing: .skip)
        #expect(list.count == 3 - gone.count)
        for _ in 0..<4 { await manager.flush() }
        for person in people where gone.contains(person.id) { try await cache.write(person) }
        for _ in 0..<4 {
            try await cache.flush()
            await manager.flush()
        }
        #expect(list.data == people)
    }

    @Test("Who skips gets the rest also where a sibling that does not was first to ask")
    func together() async throws {
        cache.hold()
        let (strict, lenient) = (People(dataModelManager: manager), People(dataModelManager: manager))
        var answers: [String: Int] = [:]
        strict.fetchDataFromCache(withCacheKey: "people") { people, _ in answers["strict"] = people?.count ?? -1 }
        lenient.fetchDataFromCache(withCacheKey: "people", missing: .skip) { people, _ in
            answers["lenient"] = people?.count ?? -1
        }
        await waitUntil { cache.waiting >= 1 }
        cache.release()
        await waitUntil { answers.count >= 2 }
        #expect(answers == ["strict": -1, "lenient": 2])
        #expect(lenient.data.map(\.id) == ["1", "3"])
    }

    @Test("A load shows the rest before the network answers or fails, and a static append keeps it")
    func loads() async throws {
        let list = People(dataModelManager: manager)
        await #expect(throws: NoNetwork.self) {
            try await list.load(withCacheKey: "people", missing: .skip) { throw NoNetwork() }
        }
        #expect(list.data.map(\.id) == ["1", "3"])
        list.setData([], cacheKey: nil)
        await withCheckedContinuation { continuation in
            People.append(
                [Person(id: "4")], cacheKey: "people", dataModelManager: manager,
                completion: { _ in continuation.resume() })
        }
        await manager.flush()
        #expect(try cache.inner.collection("people", of: Person.self)?.map(\.id) == ["1", "3", "4"])
    }

    @Test("With a maximum age a missing element is a reason to ask the network, and the rest is shown meanwhile")
    func ages() async throws {
        let directory = try TemporaryDirectory()
        let cache = try SQLiteCache(directory: directory.path)
        let manager = DataModelManager(cacheDelegate: cache, cacheTimeout: 3_600)
        try await cache.writeCollection((1...3).map { Person(id: "\($0)") }, as: "people", confirmed: true)
        let (first, second) = (People(dataModelManager: manager), People(dataModelManager: manager))
        let whole = try await first.load(withCacheKey: "people", missing: .skip, maxAge: 100_000) { throw NoNetwork() }
        #expect(whole.count == 3)
        first.setData([], cacheKey: nil)
        try await cache.evict("Person:2")
        await #expect(throws: NoNetwork.self) {
            try await second.load(withCacheKey: "people", missing: .skip, maxAge: 100_000) { throw NoNetwork() }
        }
        #expect(second.data.map(\.id) == ["1", "3"])
        let answer = try await second.load(withCacheKey: "people", missing: .skip, maxAge: 9_999) { [Person(id: "2")] }
        #expect(answer.map(\.id) == ["2"])
    }
}
