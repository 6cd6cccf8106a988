import Grove
import GroveCache
import TestSupport
import Testing

/// Fetches of a collection by a provider that holds another one.
@MainActor
@Suite("Fetching under another key")
struct OtherKeyTests {
    typealias People = CollectionDataProvider<Person>

    let cache: HeldCache
    let manager: DataModelManager
    let list: People
    let screen = Screen()

    init() throws {
        cache = try HeldCache()
        manager = DataModelManager(cacheDelegate: cache, cacheTimeout: 3_600)
        list = People(dataModelManager: manager)
        list.delegate = screen
        list.setData([Person(id: "0"), Person(id: "1")], cacheKey: "a")
    }

    /// Waits for the answers of reads that are held.
    private func release(_ count: Int = 1) async {
        await waitUntil { cache.waiting >= count }
        cache.release()
        for _ in 0..<3 { await manager.flush() }
    }

    @Test("The provider goes on with its collection until the other one is there")
    func showsOld() async throws {
        try await cache.inner.writeCollection([Person(id: "2")], as: "b")
        cache.hold()
        var answers: [[String]?] = []
        list.fetchDataFromCache(withCacheKey: "b", completion: { data, _ in answers.append(data?.map(\.id)) })
        #expect(list.data.map(\.id) == ["0", "1"])
        #expect(list.cacheKey == "a")
        list.append([Person(id: "5")])
        manager.updateModel(Person(id: "1", name: "one"))
        await manager.flush()
        #expect(list.data.map(\.name) == ["", "one", ""])
        await release()
        #expect(list.data.map(\.id) == ["2"])
        #expect(list.cacheKey == "b")
        #expect(answers == [["2"]])
        #expect(screen.changes == [.changes([.update(index: 1)])])
        manager.updateModel(Person(id: "2", name: "two"))
        await manager.flush()
        #expect(list.data.map(\.name) == ["two"])
        #expect(try cache.inner.collection("a", of: Person.self)?.map(\.id) == ["0", "1", "5"])
    }

    @Test("Where the cache has none, the provider keeps its collection and its key, or has no key")
    func misses() async throws {
        let fresh = People(dataModelManager: manager)
        #expect(try await list.fetchDataFromCache(withCacheKey: "b") == nil)
        #expect(try await fresh.fetchDataFromCache(withCacheKey: "b") == nil)
        #expect(list.data.map(\.id) == ["0", "1"])
        #expect(list.cacheKey == "a")
        #expect(fresh.cacheKey == nil)
        list.append([Person(id: "2")])
        fresh.append([Person(id: "3")])
        await manager.flush()
        #expect(try cache.inner.collection("a", of: Person.self)?.map(\.id) == ["0", "1", "2"])
        #expect(try cache.inner.collection("b", of: Person.self) == nil)
    }

    @Test("Of several keys the last that was asked for counts, also where that is the old one")
    func lastKey() async throws {
        for key in ["b", "c"] { try await cache.inner.writeCollection([Person(id: key)], as: key) }
        cache.hold()
        list.fetchDataFromCache(withCacheKey: "c", completion: { _, _ in })
        list.fetchDataFromCache(withCacheKey: "b", completion: { _, _ in })
        await release(2)
        #expect(list.data.map(\.id) == ["b"])
        cache.hold()
        list.fetchDataFromCache(withCacheKey: "c", completion: { _, _ in })
        list.fetchDataFromCache(withCacheKey: "b", completion: { _, _ in })
        await release()
        #expect(list.cacheKey == "b")
    }

    @Test("What a sibling has, or sets meanwhile, is taken")
    func siblings() async throws {
        let sibling = People(dataModelManager: manager)
        sibling.setData([Person(id: "2")], cacheKey: "b")
        list.fetchDataFromCache(withCacheKey: "b", completion: { _, _ in })
        #expect(list.data.map(\.id) == ["2"])
        cache.hold()
        list.fetchDataFromCache(withCacheKey: "c", completion: { _, _ in })
        sibling.setData([Person(id: "3")], cacheKey: "c")
        #expect(list.data.map(\.id) == ["2"])
        await release()
        #expect(list.data.map(\.id) == ["3"])
        sibling.append([Person(id: "4")])
        #expect(list.data.map(\.id) == ["3", "4"])
    }

    @Test("A load under another key shows the old collection until it has an answer, and a wipe ends it")
    func loads() async throws {
        #expect(try await list.load(withCacheKey: "b") { [Person(id: "2")] }.map(\.id) == ["2"])
        #expect(list.cacheKey == "b")
        cache.hold()
        var error: (any Error)?
        list.fetchDataFromCache(withCacheKey: "c", completion: { error = $1 })
        try await manager.wipe()
        #expect((error as? CacheError)?.code == .cancelled)
        #expect(list.count == 0)
        await release()
        #expect(list.count == 0)
    }
}
