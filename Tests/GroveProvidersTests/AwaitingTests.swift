import Grove
import GroveCache
import Testing

/// Places in collections for models that do not exist yet.
@MainActor
@Suite("Awaited elements")
struct AwaitingTests {
    typealias People = CollectionDataProvider<Person>

    let cache: HeldCache
    let manager: DataModelManager

    init() throws {
        cache = try HeldCache()
        manager = DataModelManager(cacheDelegate: cache, cacheTimeout: 3_600)
    }

    @Test("A model takes its place when it is posted, in whatever order models come, and is listened to and stored")
    func arrives() async throws {
        let (list, sibling, screen) = (People(dataModelManager: manager), People(dataModelManager: manager), Screen())
        list.setData([Person(id: "a"), Person(id: "b")], cacheKey: "people")
        sibling.fetchDataFromCache(withCacheKey: "people", completion: { _, _ in })
        sibling.delegate = screen
        list.insert(awaiting: ["Person:1", "Person:2", "Person:3"], at: 1)
        #expect(list.count == 2)
        manager.updateModels([Person(id: "3", name: "x"), Person(id: "3", name: "three")])
        await manager.flush()
        #expect(list.data.map(\.id) == ["a", "3", "b"])
        #expect(screen.changes == [.changes([.insert(index: 1)])])
        list.remove(at: 0)
        manager.updateModel(Message(id: "m", sender: Person(id: "1")))
        manager.updateModel(Person(id: "3", name: "drei"))
        await manager.flush()
        #expect(list.data.map(\.id) == ["1", "3", "b"])
        manager.updateModel(Person(id: "2"))
        manager.updateModel(Person(id: "2", name: "two"))
        await manager.flush()
        #expect(list.data.map(\.id) == ["1", "2", "3", "b"])
        #expect(list.data.map(\.name) == ["", "two", "drei", ""])
        #expect(sibling.data == list.data)
        try await cache.inner.flush()
        #expect(try cache.inner.collection("people", of: Person.self) == list.data)
    }

    @Test("A model that somebody holds takes its place at once")
    func held() async throws {
        let (list, holder) = (People(dataModelManager: manager), DataProvider<Person>(dataModelManager: manager))
        holder.setData(Person(id: "1", name: "one"))
        list.setData([], cacheKey: "people")
        list.insert(awaiting: ["Person:1"], at: 0)
        await manager.flush()
        #expect(list.data.map(\.name) == ["one"])
        manager.updateModel(Person(id: "1", name: "uno"))
        await manager.flush()
        #expect(list.data.map(\.name) == ["uno"])
    }

    @Test("Replacing the list, a wipe and the list's end end the wait")
    func ends() async throws {
        let list = People(dataModelManager: manager)
        list.setData([], cacheKey: "people")
        list.insert(awaiting: ["Person:1"], at: 0)
        list.setData([Person(id: "a")], cacheKey: "people")
        manager.updateModel(Person(id: "1"))
        await manager.flush()
        #expect(list.data.map(\.id) == ["a"])
        list.insert(awaiting: ["Person:2"], at: 0)
        try await manager.wipe()
        manager.updateModel(Person(id: "2"))
        await manager.flush()
        #expect(list.count == 0)
        weak var weakList: People?
        do {
            let other = People(dataModelManager: manager)
            other.insert(awaiting: ["Person:3"], at: 0)
            weakList = other
        }
        #expect(weakList == nil)
        manager.updateModel(Person(id: "3"))
        await manager.flush()
    }
}
