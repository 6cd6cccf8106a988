import Grove
import Testing

/// What reaches a cache of the application's own.
@MainActor
@Suite("Caches of the application's own")
struct OwnCacheTests {
    typealias People = CollectionDataProvider<Person>

    let cache = WholeListCache()
    let manager: DataModelManager
    let people = [Person(id: "0"), Person(id: "1")]

    init() { manager = DataModelManager(cacheDelegate: cache) }

    @Test("Every edit of a collection stores the list, also one that keeps the element's identifier")
    func edits() async {
        let (list, unkeyed) = (People(dataModelManager: manager), People(dataModelManager: manager))
        list.setData(people, cacheKey: "people")
        list.update(Person(id: "1", name: "one"), at: 1)
        list.update(Person(id: "0", name: "zero"), at: 0)
        list.update(Person(id: "0", name: "memory"), at: 0, shouldCache: false)
        unkeyed.setData(people, cacheKey: nil)
        unkeyed.update(Person(id: "0", name: "zero"), at: 0)
        await manager.flush()
        #expect(cache.list("people")?.map(\.name) == ["zero", "one"])
        #expect(cache.calls == Array(repeating: "setCollection people", count: 3))
    }

    @Test("Every write reaches a cache whose reads fail, and every read says so")
    func closed() async {
        cache.fail(CacheError(.closed, "The cache was closed."))
        let (provider, list) = (DataProvider<Person>(dataModelManager: manager), People(dataModelManager: manager))
        provider.setData(people[0])
        let fetched: (value: [Person]?, error: (any Error)?) = await answer { completion in
            list.fetchDataFromCache(withCacheKey: "people", completion: completion)
            list.append(people)
        }
        #expect(fetched.value == people)
        list.remove(at: 0)
        manager.updateModel(people[1])
        manager.deleteModel(people[1])
        manager.cacheModel(people[0], forKey: "me")
        manager.cacheCollection(people, forKey: "others")
        let edited: (value: Void, error: (any Error)?) = await answer { completion in
            People.append(people, cacheKey: "elsewhere", dataModelManager: manager, completion: { completion((), $0) })
        }
        #expect((edited.error as? CacheError)?.code == .closed)
        await manager.flush()
        #expect(
            cache.calls == [
                "setModel Person:0", "setCollection people", "setCollection people", "setModel Person:1",
                "deleteModel Person:1", "setModel me", "setCollection others",
            ])
    }
}
