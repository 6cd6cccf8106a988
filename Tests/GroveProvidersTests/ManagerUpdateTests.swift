import Grove
import GroveCache
import GroveMemory
import TestSupport
import Testing

extension Person: KeyedModel {
    static func modelIdentifier(for id: String) -> ModelIdentifier { "Person:\(id)" }
}

extension Message: KeyedModel {
    static func modelIdentifier(for id: String) -> ModelIdentifier { "Message:\(id)" }
}

@MainActor
@Suite("Updates by a manager")
struct ManagerUpdateTests {
    typealias People = CollectionDataProvider<Person>

    private struct Stop: Error {}

    let cache: MemoryCache
    let manager: DataModelManager
    let other: DataModelManager
    let ann = Person(id: "1", name: "Ann")

    init() throws {
        cache = try MemoryCache()
        (manager, other) = (DataModelManager(cacheDelegate: cache), DataModelManager(cacheDelegate: cache))
    }

    private func rest() async throws {
        for _ in 0..<3 {
            await manager.flush()
            await other.flush()
            try await cache.flush()
        }
    }

    @Test("What is shown changes at once, and every screen and the cache with it")
    func shown() async throws {
        let (mine, list) = (DataProvider<Person>(dataModelManager: manager), People(dataModelManager: manager))
        let theirs = DataProvider<Message>(dataModelManager: other)
        mine.setData(ann)
        list.setData([Person(id: "0"), ann], cacheKey: "people")
        theirs.setData(Message(id: "34", text: "Hello", sender: ann))
        try await rest()
        let updated = try await manager.update(Person.self, id: "1") { $0.isOnline = true }
        let online = Person(id: "1", name: "Ann", isOnline: true)
        #expect(updated == online)
        #expect(try cache.model("Person:1", as: Person.self) == online)
        try await rest()
        #expect(mine.data == online)
        #expect(list.data == [Person(id: "0"), online])
        #expect(theirs.data?.sender == online)
        // By one that shows nothing.
        try await DataModelManager(cacheDelegate: cache).update(Message.self, id: "34") { $0.text += "!" }
        try await rest()
        #expect(theirs.data == Message(id: "34", text: "Hello!", sender: online))
    }

    @Test("What others changed since it was shown stays, and no update is lost")
    func others() async throws {
        let mine = DataProvider<Person>(dataModelManager: manager)
        mine.setData(ann)
        try await rest()
        // Committed, and not shown yet.
        try await cache.update("Person:1", as: Person.self) { $0.name = "Anna" }
        try await manager.update(Person.self, id: "1") { $0.isOnline = true }
        try await rest()
        #expect(mine.data == Person(id: "1", name: "Anna", isOnline: true))
        try await cache.write(Person(id: "count", name: ""))
        await withTaskGroup { group in
            for manager in [manager, other, manager, other] {
                group.addTask {
                    for _ in 0..<25 {
                        await #expect(throws: Never.self) {
                            try await manager.update(Person.self, id: "count") { $0.name += "x" }
                        }
                    }
                }
            }
        }
        #expect(try cache.model("Person:count", as: Person.self)?.name.count == 100)
    }

    @Test("What is missing is an error, or nothing; what is shown and forgotten is stored as it is shown")
    func missing() async throws {
        let error = await #expect(throws: CacheError.self) {
            try await manager.update(Person.self, id: "9") { $0.name = "" }
        }
        #expect(error?.miss == CacheMiss(.absent, "Person:9"))
        #expect(try await manager.update(Person.self, id: "9", ifMissing: .ignore) { $0.name = "" } == nil)
        let mine = DataProvider<Person>(dataModelManager: manager)
        mine.setData(ann)
        try await rest()
        try await cache.evict("Person:1")
        try await manager.update(Person.self, id: "1") { $0.isOnline = true }
        try await rest()
        #expect(try cache.model("Person:1", as: Person.self) == Person(id: "1", name: "Ann", isOnline: true))
        await #expect(throws: Stop.self) {
            try await manager.update(Person.self, id: "1") {
                $0.name = "nobody"
                throw Stop()
            }
        }
        #expect(mine.data?.name == "Ann")
    }

    @Test("What others have deleted stays deleted, also before that shows")
    func deleted() async throws {
        let mine = DataProvider<Person>(dataModelManager: manager)
        mine.setData(ann)
        try await rest()
        func delete() throws { try cache.delete("Person:1") }
        try delete()
        let error = await #expect(throws: CacheError.self) {
            try await manager.update(Person.self, id: "1") { $0.name = "back" }
        }
        #expect(error?.miss == CacheMiss(.deleted, "Person:1"))
        try await rest()
        #expect(mine.data == nil)
        #expect(try cache.model("Person:1", as: Person.self) == nil)
    }

    @Test("What the cache refuses is shown no more")
    func refused() async throws {
        let mine = DataProvider<Person>(dataModelManager: manager)
        mine.setData(ann)
        try await rest()
        try await cache.suspend()
        let error = await #expect(throws: CacheError.self) {
            try await manager.update(Person.self, id: "1") { $0.name = "Anna" }
        }
        #expect(error?.code == .suspended)
        await manager.flush()
        #expect(mine.data?.name == "Ann")
        try await cache.resume()
        try await rest()
        #expect(mine.data?.name == "Ann")
    }

    @Test("A cache that is only a delegate is read, and what is shown or cached stored as a whole")
    func delegate() async throws {
        let cache = WholeListCache()
        let manager = DataModelManager(cacheDelegate: cache)
        cache.setModel(ann, forKey: "Person:1", context: nil)
        #expect(try await manager.update(Person.self, id: "1") { $0.isOnline = true }?.isOnline == true)
        await manager.flush()
        #expect(cache.calls == ["setModel Person:1", "setModel Person:1"])
        #expect(try await manager.update(Person.self, id: "1") { _ in }?.isOnline == true)
        let mine = DataProvider<Person>(dataModelManager: manager)
        mine.setData(Person(id: "2"))
        try await manager.update(Person.self, id: "2") { $0.name = "Bob" }
        await manager.flush()
        #expect(mine.data?.name == "Bob")
        let error = await #expect(throws: CacheError.self) { try await manager.update(Person.self, id: "9") { _ in } }
        #expect(error?.code == .missing)
    }

    // MARK: Undo

    @Test("Lists and trees on screen show a restored model again, in every manager")
    func restored() async throws {
        let lists = [manager, other].map { People(dataModelManager: $0) }
        let tree = DataProvider<Thread>(dataModelManager: manager)
        let single = DataProvider<Person>(dataModelManager: manager)
        let all = (0..<5).map { Person(id: "\($0)", name: "n\($0)") }
        lists[0].setData(all, cacheKey: "people")
        tree.setData(Thread(id: "1", readers: all))
        single.setData(all[1])
        try await rest()
        _ = try await lists[1].fetchDataFromCache(withCacheKey: "people")
        for byManager in [false, true] {
            if byManager { manager.deleteModel(all[1]) } else { try await cache.delete("Person:1") }
            try await rest()
            for list in lists { #expect(list.data == [all[0]] + all[2...]) }
            #expect(tree.data?.readers == [all[0]] + all[2...])
            try await cache.restore(all[1])
            try await rest()
            for list in lists { #expect(list.data == all, "\(byManager)") }
            #expect(tree.data?.readers == all, "\(byManager)")
            try expectEqual(cache.collection("people", of: Person.self), all)
        }
    }

    // MARK: Static edits

    @Test("Static edits for tasks return when they are shown, and throw why they were not made")
    func staticEdits() async throws {
        let list = People(dataModelManager: manager)
        list.setData((0..<3).map { Person(id: "\($0)") }, cacheKey: "people")
        try await People.append([Person(id: "3")], cacheKey: "people", dataModelManager: manager)
        try await People.insert(
            [Person(id: "new")], at: { _ in 0 }, cacheKey: "people", dataModelManager: manager)
        try await People.update(
            Person(id: "0", name: "Zoe"), at: { _ in 1 }, cacheKey: "people", dataModelManager: manager)
        try await People.removeAtIndex({ $0.count - 2 }, cacheKey: "people", dataModelManager: manager)
        #expect(list.data.map(\.id) == ["new", "0", "1", "3"] && list.data[1].name == "Zoe")
        await #expect(throws: CacheMiss.self) {
            try await People.removeAtIndex({ _ in 0 }, cacheKey: "none", dataModelManager: manager)
        }
        await #expect(throws: CacheError.self) {
            try await People.removeAtIndex({ _ in 9 }, cacheKey: "people", dataModelManager: manager)
        }
    }
}

/// A tree with a list in it.
private struct Thread: Model, Equatable, CacheableModel {
    var id: String
    var readers: [Person]

    var modelIdentifier: ModelIdentifier? { "Thread:\(id)" }
    func map(_ transform: (any Model) -> (any Model)?) -> Thread? {
        Thread(id: id, readers: readers.compactMap { transform($0) as? Person })
    }
    func forEach(_ visit: (any Model) -> Void) { for reader in readers { visit(reader) } }

    static let fields = FieldTable("id", "readers")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(readers, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> Thread {
        let id = try node.scan(String.self, at: 0)
        let readers = try node.scan([Person].self, at: 1)
        return Thread(id: try node.finish(id), readers: try node.finish(readers))
    }
}
