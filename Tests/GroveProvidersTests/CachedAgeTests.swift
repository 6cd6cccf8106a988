import Grove
import GroveCache
import GroveMemory
import GroveSQLite
import TestSupport
import Testing

/// Loads that need no network, because the cache knows how old its content is.
@MainActor
@Suite("Ages of what is cached")
final class CachedAgeTests {
    typealias People = CollectionDataProvider<Person>

    let clock = FetchOrderTests.Clock()
    let asked = Count()
    let directory: TemporaryDirectory

    struct NoNetwork: Error {}

    init() throws { directory = try TemporaryDirectory() }

    private func open() throws -> (SQLiteCache, DataModelManager) {
        let cache = try SQLiteCache(
            directory: directory.path, options: SQLiteOptions(), now: { [clock] in clock.now })
        return (cache, DataModelManager(cacheDelegate: cache, now: { [clock] in clock.now }))
    }

    /// What a load shows, and how often the network was asked by then.
    private func load(
        _ provider: DataProvider<Person>, _ id: String, _ maxAge: Double
    ) async throws -> (name: String?, asked: Int) {
        let person = try await provider.load(withCacheKey: "Person:\(id)", maxAge: maxAge) { [asked] in
            asked.add()
            return Person(id: id, name: "network")
        }
        return (person?.name, asked.value)
    }

    private func load(_ list: People, _ maxAge: Double) async throws -> (count: Int, asked: Int) {
        let people = try await list.load(withCacheKey: "people", maxAge: maxAge) { [asked] in
            asked.add()
            return [Person(id: "1", name: "network"), Person(id: "2", name: "network")]
        }
        return (people.count, asked.value)
    }

    @Test("What the cache was told lately needs no network, also after it was opened anew")
    func models() async throws {
        do {
            let (cache, manager) = try open()
            #expect(try await load(DataProvider(dataModelManager: manager), "1", 60) == ("network", 1))
            await manager.flush()
            cache.close()
        }
        clock.advance(50)
        let (cache, manager) = try open()
        let provider = DataProvider<Person>(dataModelManager: manager)
        #expect(try await load(provider, "1", 60) == ("network", 1))
        #expect(provider.data == Person(id: "1", name: "network"))
        clock.advance(11)
        #expect(try await load(provider, "1", 60) == ("network", 2))
        await manager.flush()
        try await cache.flush()
        clock.advance(50)
        #expect(try await load(DataProvider(dataModelManager: manager), "1", 60) == ("network", 2))
        #expect(try await load(provider, "1", 40) == ("network", 3))
    }

    @Test("What is loaded is as old as its request, in memory as in the cache")
    func slowAnswers() async throws {
        let (_, manager) = try open()
        let (model, list) = (DataProvider<Person>(dataModelManager: manager), People(dataModelManager: manager))
        let (server, lists) = (Server<Person?>(), Server<[Person]>())
        let first = Task { try await model.load(withCacheKey: "Person:1") { try await server.ask() } }
        let second = Task { try await list.load(withCacheKey: "people") { try await lists.ask() } }
        await server.receives(1)
        await lists.receives(1)
        clock.advance(100)
        await server.answer(0, Person(id: "1", name: "slow"))
        await lists.answer(0, [Person(id: "1", name: "slow")])
        _ = try await (first.value, second.value)
        clock.advance(50)
        #expect(try await load(model, "1", 60).asked == 1)
        #expect(try await load(list, 60).asked == 2)
    }

    @Test("What an answer lost to an edit is not confirmed by it, and the rest is, in memory as in the cache")
    func lostParts() async throws {
        let (cache, manager) = try open()
        let (model, list) = (DataProvider<Message>(dataModelManager: manager), People(dataModelManager: manager))
        let (server, lists) = (Server<Message?>(), Server<[Person]>())
        let ann = Person(id: "1", name: "network")
        try await cache.write(ann)
        let first = Task { try await model.load(withCacheKey: "Message:34") { try await server.ask() } }
        let second = Task { try await list.load(withCacheKey: "people") { try await lists.ask() } }
        await server.receives(1)
        await lists.receives(1)
        manager.updateModels([Message(id: "34", text: "edited", sender: ann), Person(id: "2", name: "edited")])
        await server.answer(0, Message(id: "34", text: "network", sender: ann))
        await lists.answer(0, [ann, Person(id: "2", name: "network")])
        _ = try await (first.value, second.value)
        await manager.flush()
        #expect(model.data?.text == "edited" && list.data.map(\.name) == ["network", "edited"])
        #expect(try cache.read("Message:34", as: Message.self, maxAge: 60).miss?.reason == .expired)
        #expect(try cache.read("Person:2", as: Person.self, maxAge: 60).miss?.reason == .expired)
        #expect(try cache.model("Person:1", as: Person.self, maxAge: 60) == ann)
        for manager in [manager, DataModelManager(cacheDelegate: cache, now: { [clock] in clock.now })] {
            let before = asked.value
            let screens =
                manager === model.dataModelManager
                ? (model, list)
                : (
                    DataProvider<Message>(dataModelManager: manager), People(dataModelManager: manager)
                )
            _ = try? await screens.0.load(withCacheKey: "Message:34", maxAge: 60) { [asked] in
                asked.add()
                throw NoNetwork()
            }
            #expect(asked.value == before + 1)
            _ = try? await screens.1.load(withCacheKey: "people", maxAge: 60) { [asked] in
                asked.add()
                throw NoNetwork()
            }
            #expect(asked.value == before + 2)
        }
    }

    @Test("An edit, of this screen or of the cache, does not confirm the children that it holds")
    func children() async throws {
        let (cache, manager) = try open()
        let ann = Person(id: "1", name: "Ann")
        func young(_ maxAge: Double) throws -> Person? { try cache.model("Person:1", as: Person.self, maxAge: maxAge) }
        let provider = DataProvider<Message>(dataModelManager: manager)
        provider.setData(Message(id: "34", sender: ann))
        try await cache.flush()
        #expect(try young(60) == nil, "Nothing ever confirmed it.")
        try await cache.write(ann, confirmed: true)
        #expect(try young(60) == ann)
        clock.advance(100)
        provider.setData(Message(id: "34", text: "edited", sender: ann))
        try await cache.write(Message(id: "35", sender: ann))
        try await cache.write(contentsOf: [Message(id: "36", sender: ann)])
        try await cache.writeCollection([Message(id: "37", sender: ann)], as: "inbox")
        try await cache.append([Message(id: "38", sender: ann)], toCollection: "inbox")
        try await cache.flush()
        #expect(try young(60) == nil && young(200) == ann, "It has the age that it had.")
        #expect(try cache.read("Message:38", as: Message.self, maxAge: 60).miss?.reason == .expired)
        #expect(try await load(DataProvider(dataModelManager: manager), "1", 60).asked == 1)
    }

    @Test("An edit of a list confirms nothing of it")
    func editedList() async throws {
        let (_, manager) = try open()
        let list = People(dataModelManager: manager)
        #expect(try await load(list, 60).asked == 1)
        #expect(try await load(list, 60).asked == 1)
        list.append([Person(id: "3", name: "mine")])
        #expect(try await load(list, 60).asked == 2)
    }

    @Test("The same answer again confirms what the cache has, and another age of its parts does not")
    func confirmation() async throws {
        let (cache, manager) = try open()
        let message = Message(id: "34", text: "Hello", sender: Person(id: "1", name: "network"))
        try await cache.write(message)
        clock.advance(100)
        #expect(try await load(DataProvider(dataModelManager: manager), "1", 60) == ("network", 1))
        await manager.flush()
        try await cache.flush()
        clock.advance(50)
        #expect(try await load(DataProvider(dataModelManager: manager), "1", 60) == ("network", 1))
        let screen = DataProvider<Message>(dataModelManager: manager)
        let loaded = try await screen.load(withCacheKey: "Message:34", maxAge: 60) {
            Message(id: "34", text: "Bye", sender: Person(id: "1", name: "network"))
        }
        #expect(loaded?.text == "Bye")
    }

    @Test("What is written just after ages were saved is as young after it was opened anew")
    func sameSecond() throws {
        do {
            let (cache, _) = try open()
            for id in ["1", "2", "3"] {
                try cache.write(Person(id: id), confirmed: true)
                clock.advance(0.25)
            }
            cache.close()
        }
        let (cache, _) = try open()
        for id in ["1", "2", "3"] {
            #expect(try cache.model(ModelIdentifier("Person:\(id)"), as: Person.self, maxAge: 10) != nil)
        }
    }

    @Test("A collection that was confirmed lately, with all in it, needs no network")
    func collections() async throws {
        do {
            let (cache, manager) = try open()
            #expect(try await load(People(dataModelManager: manager), 60) == (2, 1))
            await manager.flush()
            cache.close()
        }
        clock.advance(50)
        let (cache, manager) = try open()
        let list = People(dataModelManager: manager)
        #expect(try await load(list, 60) == (2, 1))
        #expect(list.data.map(\.id) == ["1", "2"])
        clock.advance(5)
        #expect(try await load(list, 60) == (2, 1))
        try await cache.evict("Person:2")
        #expect(try await load(list, 60) == (2, 2), "An element that is not there any more is asked for.")
        await manager.flush()
        clock.advance(61)
        #expect(try await load(list, 60) == (2, 3))
    }

    @Test("What the owner asks for meanwhile counts, and a wipe ends the load")
    func meanwhile() async throws {
        let (cache, manager) = try open()
        for id in ["1", "2"] { try await cache.write(Person(id: id, name: "cached"), confirmed: true) }
        let provider = DataProvider<Person>(dataModelManager: manager)
        let first = await begun { try await self.load(provider, "1", 60) }
        provider.setData(Person(id: "2", name: "own"))
        _ = try await first.value
        await manager.flush()
        #expect(provider.data == Person(id: "2", name: "own"))
        #expect(asked.value == 0)
        let cancelled = Task { try await self.load(provider, "1", 60) }
        cancelled.cancel()
        await #expect(throws: (any Error).self) { try await cancelled.value }
    }
}
