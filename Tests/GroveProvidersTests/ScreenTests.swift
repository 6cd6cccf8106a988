import Foundation
import Grove
import GroveCache
import GroveLMDB
import GroveMemory
import GroveSQLite
import Synchronization
import TestSupport
import Testing

/// What a screen shows, says and stores, beyond the order of answers.
@MainActor
@Suite("Screens do not lie")
struct ScreenTests {
    typealias People = CollectionDataProvider<Person>

    let cache: MemoryCache
    let manager: DataModelManager
    let ann = Person(id: "1", name: "Ann")
    let clock = FetchOrderTests.Clock()

    init() throws {
        cache = try MemoryCache(directory: nil, options: MemoryOptions(), now: { [clock] in clock.now })
        manager = DataModelManager(cacheDelegate: cache, now: { [clock] in clock.now })
    }

    private func rest() async throws {
        for _ in 0..<4 {
            await manager.flush()
            try? await cache.flush()
        }
    }

    private var isStored: Bool { (try? cache.model("Person:1", as: Person.self)) != nil }

    private func miss(_ state: ProviderState) -> String? {
        guard case .missing(let miss) = state else { return nil }
        return "\(miss)"
    }

    // MARK: Ages

    @Test("An edit makes nothing young: neither the model, nor its children, nor a list")
    func editsConfirmNothing() async throws {
        let provider = DataProvider<Message>(dataModelManager: manager)
        let old = Message(id: "34", text: "old", sender: ann)
        _ = try await provider.load(withCacheKey: "Message:34") { old }
        try await rest()
        clock.advance(100)
        provider.setData(Message(id: "34", text: "edited", sender: ann))
        try await rest()
        let asked = Count()
        for screen in [provider, DataProvider<Message>(dataModelManager: manager)] {
            _ = try await screen.load(withCacheKey: "Message:34", maxAge: 60) {
                asked.add()
                return old
            }
            clock.advance(100)
        }
        #expect(asked.value == 2)
        try await cache.write(ann)
        #expect(try cache.model("Person:1", as: Person.self, maxAge: 60) == nil)
        try await cache.write(ann, confirmed: true)
        #expect(try cache.model("Person:1", as: Person.self, maxAge: 60) == ann)
        clock.advance(30)
        try await cache.write(Person(id: "1", name: "edited"))
        #expect(try cache.model("Person:1", as: Person.self, maxAge: 60) != nil, "the age is that of before")
        clock.advance(40)
        #expect(try cache.model("Person:1", as: Person.self, maxAge: 60) == nil)
    }

    // MARK: Refused writes

    @Test("What the cache refused while it was suspended is said, and stored when it is resumed")
    func suspended() async throws {
        let (provider, list) = (DataProvider<Person>(dataModelManager: manager), People(dataModelManager: manager))
        list.setData([Person(id: "7")], cacheKey: "people")
        try await rest()
        try await cache.suspend()
        provider.setData(ann)
        list.append([Person(id: "8")])
        await manager.flush()
        for state in [provider.state, list.state] {
            guard case .unsaved(let error) = state, error.code == .suspended else {
                return #expect(Bool(false), "the state is \(state)")
            }
        }
        try await cache.resume()
        try await rest()
        try await rest()
        #expect(try cache.model("Person:1", as: Person.self) == ann)
        #expect(try cache.collection("people", of: Person.self)?.map(\.id) == ["7", "8"])
        for state in [provider.state, list.state] {
            if case .unsaved = state { #expect(Bool(false), "it is stored by now") }
        }
    }

    // MARK: Interest

    @Test("What the cache had no room for is stored once another write of the manager finds room")
    func noRoom() async throws {
        let directory = try TemporaryDirectory()
        let cache = try LMDBCache(directory: directory.path + "/cache", options: LMDBOptions(mapSize: 2 << 20))
        let manager = DataModelManager(cacheDelegate: cache)
        let (large, other) = (
            DataProvider<Person>(dataModelManager: manager), DataProvider<Person>(dataModelManager: manager)
        )
        func rest() async {
            for _ in 0..<3 {
                await manager.flush()
                try? await cache.flush()
            }
        }
        let name = String(repeating: "x", count: 1_200_000)
        other.setData(Person(id: "2", name: name))
        await rest()
        large.setData(Person(id: "1", name: name))
        await rest()
        guard case .unsaved(let error) = large.state, error.code == .full else {
            return #expect(Bool(false), "\(large.state)")
        }
        for round in 0..<4 {
            other.setData(Person(id: "2", name: "\(round)"))
            await rest()
        }
        #expect(try cache.model("Person:1", as: Person.self)?.name == name)
        if case .unsaved = large.state { Issue.record("It is stored.") }
    }

    @Test("What was set while the cache was suspended is there offline, after a relaunch")
    func suspendedAndRelaunched() async throws {
        struct NoNetwork: Error {}
        let directory = try TemporaryDirectory()
        do {
            let cache = try LMDBCache(directory: directory.path + "/cache")
            let manager = DataModelManager(cacheDelegate: cache)
            let (provider, list) = (DataProvider<Person>(dataModelManager: manager), People(dataModelManager: manager))
            list.setData([Person(id: "7")], cacheKey: "people")
            await manager.flush()
            try await cache.suspend()
            provider.setData(ann)
            list.append([Person(id: "8")])
            await manager.flush()
            try await cache.resume()
            for _ in 0..<8 {
                await manager.flush()
                try? await cache.flush()
            }
            cache.close()
        }
        let cache = try LMDBCache(directory: directory.path + "/cache")
        defer { cache.close() }
        let manager = DataModelManager(cacheDelegate: cache)
        let (provider, list) = (DataProvider<Person>(dataModelManager: manager), People(dataModelManager: manager))
        _ = try? await provider.load(withCacheKey: "Person:1") { throw NoNetwork() }
        _ = try? await list.load(withCacheKey: "people") { throw NoNetwork() }
        #expect(provider.data == ann && list.data.map(\.id) == ["7", "8"])
    }

    @Test("What is over the budget is said, and what fits again is stored")
    func overBudget() async throws {
        let cache = try MemoryCache(budget: CacheBudget(bytes: 100_000))
        let manager = DataModelManager(cacheDelegate: cache)
        let provider = DataProvider<Person>(dataModelManager: manager)
        func set(_ person: Person) async throws -> ProviderState {
            provider.setData(person)
            for _ in 0..<4 {
                await manager.flush()
                try? await cache.flush()
            }
            return provider.state
        }
        _ = try await set(ann)
        let large = Person(id: "1", name: String(repeating: "x", count: 200_000))
        guard case .unsaved(let error) = try await set(large) else {
            return #expect(Bool(false), "\(provider.state)")
        }
        #expect(error.code == .overBudget)
        #expect(provider.data == large)
        let small = Person(id: "1", name: "small")
        let state = try await set(small)
        guard case .fresh = state else { return #expect(Bool(false), "\(state)") }
        #expect(try cache.model("Person:1", as: Person.self) == small)
    }

    @Test("A list says that an element of it is over the budget, until that is stored or is in it no more")
    func elementOverBudget() async throws {
        let cache = try MemoryCache(budget: CacheBudget(bytes: 100_000))
        let manager = DataModelManager(cacheDelegate: cache)
        let (provider, list) = (DataProvider<Person>(dataModelManager: manager), People(dataModelManager: manager))
        let large = Person(id: "1", name: String(repeating: "x", count: 200_000))
        func rest() async {
            for _ in 0..<4 {
                await manager.flush()
                try? await cache.flush()
            }
        }
        func isUnsaved() -> Bool {
            guard case .unsaved(let error) = list.state else { return false }
            return error.code == .overBudget
        }
        for isStored in [true, false] {
            list.setData([ann, Person(id: "2")], cacheKey: "people")
            provider.setData(ann)
            await rest()
            #expect(!isUnsaved())
            provider.setData(large)
            await rest()
            #expect(isUnsaved(), "\(list.state)")
            if isStored { provider.setData(ann) } else { list.remove("Person:1") }
            await rest()
            #expect(!isUnsaved(), "\(isStored)")
        }
        // What was refused before it came into the list.
        provider.setData(large)
        await rest()
        list.insert([large], at: .last, shouldCache: false)
        await rest()
        #expect(isUnsaved(), "\(list.state)")
        list.remove("Person:1")
        await rest()
        #expect(!isUnsaved())
    }

    @Test("What was refused is stored under its cache key too, and in each of its projections")
    func refusedNames() async throws {
        let message = Message(id: "34", text: "old", sender: ann)
        try await cache.write(message)
        let alias = DataProvider<Person>(dataModelManager: manager)
        let (whole, part) = (
            DataProvider<Message>(dataModelManager: manager), DataProvider<MessageText>(dataModelManager: manager)
        )
        try await cache.suspend()
        _ = try await alias.load(withCacheKey: "me") { Person(id: "7", name: "Me") }
        whole.setData(Message(id: "34", text: "old", sender: Person(id: "2", name: "Bob")))
        part.setData(MessageText(id: "34", text: "new"))
        await manager.flush()
        try await cache.resume()
        for _ in 0..<3 { try await rest() }
        #expect(try cache.model(forKey: "me", as: Person.self)?.name == "Me")
        #expect(try cache.model("Message:34", as: Message.self)?.sender.id == "2")
        #expect(try cache.model("Message:34", as: MessageText.self)?.text == "new")
    }

    @Test(
        "The sender of a message that was refused is saved, if only the message went from the screen",
        arguments: [false, true])
    func refusedSender(isDeleted: Bool) async throws {
        try await cache.write(Message(id: "1", text: "a", sender: Person(id: "2", name: "old")))
        let screen = DataProvider<Message>(dataModelManager: manager)
        let sender = DataProvider<Person>(dataModelManager: manager)
        _ = try await sender.fetchDataFromCache(withCacheKey: "Person:2")
        try await cache.suspend()
        let message = Message(id: "1", text: "b", sender: Person(id: "2", name: "new"))
        screen.setData(message)
        await manager.flush()
        if isDeleted {
            manager.deleteModel(message)
        } else {
            screen.setData(Message(id: "3", text: "c", sender: Person(id: "4", name: "Cy")))
        }
        await manager.flush()
        try await cache.resume()
        for _ in 0..<3 { try await rest() }
        #expect(sender.data?.name == "new")
        #expect(try cache.model("Person:2", as: Person.self)?.name == "new")
    }

    @Test("What the network does not have is deleted, also if the cache was suspended when it said so")
    func refusedDeletion() async throws {
        let shown = DataProvider<Person>(dataModelManager: manager)
        shown.setData(ann)
        try await rest()
        try await cache.suspend()
        _ = try await shown.load(withCacheKey: "Person:1", ifNil: .deletes) { nil }
        try await rest()
        #expect(shown.data == nil)
        try await cache.resume()
        for _ in 0..<3 { try await rest() }
        #expect(try cache.model("Person:1", as: Person.self) == nil)
        #expect(shown.data == nil)
    }

    @Test("An edit that was refused is not undone by a deletion of before it that is told late")
    func deletedBefore() async throws {
        let shown = DataProvider<Person>(dataModelManager: manager)
        for step in 0..<20 {
            shown.setData(ann)
            try await rest()
            try deleteAndSuspend("Person:1")
            shown.setData(Person(id: "1", name: "\(step)"))
            try await rest()
            #expect(shown.data?.name == "\(step)")
            try await cache.resume()
            for _ in 0..<2 { try await rest() }
            #expect(try cache.model("Person:1", as: Person.self)?.name == "\(step)")
        }
    }

    /// Without a turn of the main actor between the two.
    private func deleteAndSuspend(_ key: ModelIdentifier) throws {
        try cache.delete(key)
        try cache.suspend()
    }

    @Test("What was edited while the cache was suspended is stored, also if something else was deleted meanwhile")
    func editedBesideADeletion() async throws {
        let other = DataModelManager(cacheDelegate: cache)
        let message = Message(id: "34", text: "old", sender: ann)
        try await cache.write(message)
        try await cache.delete(Person.self, id: "3")
        let (shown, deleted) = (
            DataProvider<Person>(dataModelManager: manager), DataProvider<Person>(dataModelManager: manager)
        )
        try await cache.suspend()
        shown.setData(Person(id: "1", name: "Anna"))
        deleted.setData(Person(id: "3", name: "Cid"))
        other.deleteModel(Person(id: "2"))
        for each in [manager, other] { await each.flush() }
        try await cache.resume()
        for _ in 0..<3 {
            try await rest()
            await other.flush()
        }
        #expect(try cache.model("Person:1", as: Person.self)?.name == "Anna")
        #expect(try cache.model("Person:3", as: Person.self)?.name == "Cid")
        #expect(try cache.model("Message:34", as: Message.self)?.sender.name == "Anna", "What holds it is whole.")
    }

    @Test("A deletion that is refused twice is one deletion: what was edited beside it and is saved again is whole")
    func refusedTwice() async throws {
        let follower = cache.followed(by: { _ in })
        let places = Mutex<[StoredPlace]>([])
        @Sendable func settled(_ outcome: SaveOutcome) {
            if case .refused(_, let place) = outcome { places.withLock { $0.append(place) } }
        }
        try await cache.write(Message(id: "34", text: "old", sender: ann))
        try await cache.write(Person(id: "3", name: "Cid"))
        try await cache.suspend()
        let anna = Person(id: "1", name: "Anna")
        follower.save(anna, forKey: "Person:1", asOf: nil, settled: settled)
        follower.delete("Person:2", forKey: nil, asOf: nil, settled: settled)
        try #require(places.withLock(\.count) == 2)
        follower.delete("Person:2", forKey: nil, asOf: places.withLock { $0[1] }, settled: settled)
        try await cache.resume()
        follower.save(anna, forKey: "Person:1", asOf: places.withLock { $0[0] }, settled: settled)
        // It tells of what was refused.
        try? await cache.flush()
        #expect(try cache.model("Message:34", as: Message.self)?.sender.name == "Anna")
    }

    @Test("A new model that was set while the cache was suspended is stored, also if another was deleted meanwhile")
    func newBesideADeletion() async throws {
        let other = DataModelManager(cacheDelegate: cache)
        let shown = DataProvider<Person>(dataModelManager: manager)
        try await cache.suspend()
        shown.setData(ann)
        other.deleteModel(Person(id: "2"))
        for each in [manager, other] { await each.flush() }
        try await cache.resume()
        try await rest()
        #expect(try cache.model("Person:1", as: Person.self) == ann)
        #expect(shown.data == ann)
    }

    @Test(
        "Of two answers for a list the one that was asked for last counts, on screen and in the cache",
        arguments: [[0, 1], [1, 0]])
    func answersOfLists(order: [Int]) async throws {
        let server = Server<[Person]>()
        let list = People(dataModelManager: manager)
        var loads: [Task<Void, Never>] = []
        for number in 0..<2 {
            loads.append(
                Task { _ = try? await list.load(withCacheKey: "people", reload: true) { try await server.ask() } })
            await server.receives(number + 1)
        }
        for number in order {
            await server.answer(number, number == 0 ? [ann] : [ann, Person(id: "2")])
            try await rest()
        }
        for load in loads { await load.value }
        for _ in 0..<2 { try await rest() }
        #expect(list.data.map(\.id) == ["1", "2"])
        #expect(try cache.collection("people", of: Person.self)?.map(\.id) == ["1", "2"])
    }

    @Test("An answer for a list that was refused, and loses to another manager's list, is shown no more")
    func refusedAnswerLoses() async throws {
        let other = DataModelManager(cacheDelegate: cache)
        let server = Server<[Person]>()
        let (mine, others) = (People(dataModelManager: manager), People(dataModelManager: other))
        let load = Task { try? await mine.load(withCacheKey: "people") { try await server.ask() } }
        await server.receives(1)
        try await cache.suspend()
        others.setData([Person(id: "2")], cacheKey: "people")
        await server.answer(0, [ann])
        _ = await load.value
        for each in [manager, other] { await each.flush() }
        try await cache.resume()
        for _ in 0..<3 {
            try await rest()
            await other.flush()
        }
        #expect(try cache.collection("people", of: Person.self)?.map(\.id) == ["2"])
        #expect(others.data.map(\.id) == ["2"])
        #expect(mine.data.map(\.id) == ["2"])
    }

    @Test("A list that lacks a model is whole once this manager deletes that")
    func lackedAndDeleted() async throws {
        try await cache.writeCollection([ann, Person(id: "2")], as: "people")
        try await cache.evict("Person:2")
        let list = People(dataModelManager: manager)
        _ = try? await list.load(withCacheKey: "people") { throw CancellationError() }
        try await rest()
        #expect(list.count == 0)
        manager.deleteModel(Person(id: "2"))
        try await rest()
        #expect(list.data == [ann])
    }

    @Test("A screen whose model was deleted, and that asks for another, shows that when it comes, and not the former")
    func askedForAfterADeletion() async throws {
        let shown = DataProvider<Person>(dataModelManager: manager)
        shown.setData(ann)
        try await rest()
        try await cache.delete(Person.self, id: "1")
        try await rest()
        #expect(shown.data == nil)
        _ = try await shown.fetchDataFromCache(withCacheKey: "Person:2") as Person?
        try await cache.write(ann)
        try await rest()
        #expect(shown.data == nil, "It has asked for another since.")
        try await cache.write(Person(id: "2", name: "Bob"))
        try await rest()
        #expect(shown.data?.name == "Bob")
    }

    @Test("A screen that began with a miss shows what another screen, a sync or a load brings")
    func interest() async throws {
        let (model, list, alias) = (
            DataProvider<Message>(dataModelManager: manager), People(dataModelManager: manager),
            DataProvider<Person>(dataModelManager: manager)
        )
        _ = try await model.fetchDataFromCache(withCacheKey: "Message:34")
        _ = try await list.fetchDataFromCache(withCacheKey: "people")
        _ = try await alias.fetchDataFromCache(withCacheKey: "me")
        #expect(miss(model.state) == #"absent: "Message:34""# && model.data == nil)
        try await cache.write(Message(id: "34", sender: ann))
        try await cache.writeCollection([ann], as: "people")
        try await cache.write(ann, forKey: "me")
        try await rest()
        #expect(model.data?.sender == ann && list.data == [ann] && alias.data == ann)
        guard case .cached = model.state, case .cached = list.state else {
            return #expect(Bool(false), "\(model.state), \(list.state)")
        }
        // A sibling's load.
        let (late, sibling) = (People(dataModelManager: manager), People(dataModelManager: manager))
        _ = try await late.fetchDataFromCache(withCacheKey: "others")
        _ = try await sibling.load(withCacheKey: "others") { [ann] in [ann] }
        #expect(late.data == [ann])
    }

    @Test("A part that was missing brings the whole when it comes")
    func missingPart() async throws {
        try await cache.write(Message(id: "34", sender: ann))
        try await cache.writeCollection([ann, Person(id: "2")], as: "people")
        try await cache.evict("Person:1")
        let (model, list) = (DataProvider<Message>(dataModelManager: manager), People(dataModelManager: manager))
        _ = try await model.fetchDataFromCache(withCacheKey: "Message:34")
        _ = try await list.fetchDataFromCache(withCacheKey: "people")
        #expect(model.data == nil && list.count == 0)
        try await cache.write(Person(id: "1", name: "back"))
        try await rest()
        #expect(model.data?.sender.name == "back" && list.data.map(\.name) == ["back", ""])
    }

    @Test("Over a cache that is only a delegate, a load registers interest, and a fetch does not")
    func interestOverDelegate() async throws {
        struct NoNetwork: Error {}
        let manager = DataModelManager(cacheDelegate: try HeldCache())
        let (loaded, fetched) = (
            DataProvider<Person>(dataModelManager: manager), DataProvider<Person>(dataModelManager: manager)
        )
        _ = try? await loaded.load(withCacheKey: "Person:1") { throw NoNetwork() }
        _ = try await fetched.fetchDataFromCache(withCacheKey: "Person:1")
        manager.updateModel(ann)
        await manager.flush()
        #expect(loaded.data == ann && fetched.data == nil)
    }

    @Test("What was asked for before another wish is not shown after it")
    func interestEnds() async throws {
        let (model, list) = (DataProvider<Person>(dataModelManager: manager), People(dataModelManager: manager))
        _ = try await model.fetchDataFromCache(withCacheKey: "Person:1")
        _ = try await list.fetchDataFromCache(withCacheKey: "people")
        _ = try await model.fetchDataFromCache(withCacheKey: "Person:2")
        list.setData([], cacheKey: "others")
        try await cache.write(ann)
        try await cache.writeCollection([ann], as: "people")
        try await rest()
        #expect(model.data == nil && list.count == 0 && list.cacheKey == "others")
    }

    // MARK: Answers

    @Test("A fetch that is overtaken gives its completion what is shown")
    func overtaken() async throws {
        let held = try HeldCache()
        let manager = DataModelManager(cacheDelegate: held)
        try await held.inner.write(Person(id: "2", name: "cached"))
        let provider = DataProvider<Person>(dataModelManager: manager)
        held.hold()
        var given: [Person?] = []
        provider.fetchDataFromCache(withCacheKey: "Person:2") { person, _ in given.append(person) }
        provider.setData(ann)
        manager.deleteModel(ann)
        await waitUntil { held.waiting >= 1 }
        held.release()
        await waitUntil { !given.isEmpty }
        #expect(provider.data == nil && given == [nil])
    }

    @Test("What is loaded under a key that is no identifier is found under it offline")
    func keys() async throws {
        struct NoNetwork: Error {}
        let provider = DataProvider<Person>(dataModelManager: manager)
        _ = try await provider.load(withCacheKey: "me") { [ann] in ann }
        try await rest()
        let offline = DataProvider<Person>(
            dataModelManager: DataModelManager(cacheDelegate: cache, now: { [clock] in clock.now }))
        _ = try? await offline.load(withCacheKey: "me") { throw NoNetwork() }
        #expect(offline.data == ann)
        let young = DataProvider<Person>(
            dataModelManager: DataModelManager(cacheDelegate: cache, now: { [clock] in clock.now }))
        _ = try await young.load(withCacheKey: "me", maxAge: 60) { throw NoNetwork() }
        #expect(young.data == ann)
        guard case .fresh = young.state else { return #expect(Bool(false), "the state is \(young.state)") }
    }

    @Test("If the network has no such model, nothing changes, or it is deleted, as the caller says")
    func nothingThere() async throws {
        let provider = DataProvider<Person>(dataModelManager: manager)
        provider.setData(ann)
        _ = try await provider.load(withCacheKey: "Person:1") { nil }
        #expect(provider.data == ann)
        _ = try await provider.load(withCacheKey: "Person:1", ifNil: .deletes) { nil }
        try await rest()
        #expect(provider.data == nil && miss(provider.state) == #"deleted: "Person:1""#)
        #expect(try cache.model("Person:1", as: Person.self) == nil)
        // Unless it was changed since.
        provider.setData(ann)
        let server = Server<Person?>()
        let load = Task {
            try await provider.load(withCacheKey: "Person:1", ifNil: .deletes) { try await server.ask() }
        }
        await server.receives(1)
        provider.setData(Person(id: "1", name: "edited"))
        await server.answer(0, nil)
        _ = try await load.value
        try await rest()
        #expect(provider.data?.name == "edited")
        #expect(try cache.model("Person:1", as: Person.self)?.name == "edited")
    }

    @Test("What the server says is deleted goes, unless it was changed since, and not after a wipe")
    func deletedAsOf() async throws {
        let provider = DataProvider<Person>(dataModelManager: manager)
        let asked = manager.place()
        provider.setData(ann)
        try manager.delete(Person.self, id: "1", asOf: asked)
        try await rest()
        #expect(provider.data == ann && isStored)
        let stored = cache.place()
        try manager.delete(Person.self, id: "1", asOf: manager.place(), updateCache: false)
        try await rest()
        #expect(provider.data == nil && isStored)
        // As of a place of the cache, the cache decides, and its verdict shows.
        provider.setData(Person(id: "1", name: "edited"))
        try await rest()
        try manager.delete(Person.self, id: "1", asOf: stored)
        try await rest()
        #expect(provider.data?.name == "edited")
        try manager.delete(Person.self, id: "1", asOf: cache.place())
        try await rest()
        #expect(provider.data == nil && !isStored)
        _ = try await manager.wipe()
        #expect(throws: CacheError.self) { try manager.delete(Person.self, id: "1", asOf: asked) }
    }

    @Test("A model that was changed since the place of its deletion stays, in its lists too")
    func staysInItsLists() throws {
        let people = [ann, Person(id: "2", name: "Bo")]
        try cache.writeCollection(people, as: "people")
        let asked = cache.place()
        try cache.write(Person(id: "1", name: "edited"))
        try cache.write { tx in
            try tx.delete(Person.self, ids: ["1", "2"], removingFrom: .collections, asOf: asked)
        }
        #expect(try cache.collection("people", of: Person.self)?.map(\.name) == ["edited"])
    }

    @Test("What a provider has written, of a model or a list, is there for the next read of the cache")
    func readsSeeWrites() async throws {
        let provider = DataProvider<Person>(dataModelManager: manager)
        let (list, sibling) = (People(dataModelManager: manager), People(dataModelManager: manager))
        func people() throws -> [String]? { try cache.collection("people", of: Person.self)?.map(\.name) }
        for round in 0..<200 {
            provider.setData(Person(id: "1", name: "\(round)"))
            #expect(try cache.model("Person:1", as: Person.self)?.name == "\(round)")
            list.setData([Person(id: "2", name: "\(round)")], cacheKey: "people")
            #expect(try people() == ["\(round)"])
            list.append([Person(id: "3", name: "appended")])
            #expect(try people() == ["\(round)", "appended"])
            list.update(Person(id: "3", name: "updated"), at: 1)
            #expect(try people() == ["\(round)", "updated"])
        }
        for round in 0..<100 {
            _ = try await provider.load(withCacheKey: "Person:1") { Person(id: "1", name: "loaded \(round)") }
            #expect(try cache.model("Person:1", as: Person.self)?.name == "loaded \(round)")
            _ = try await sibling.load(withCacheKey: "people") { [Person(id: "2", name: "loaded \(round)")] }
            #expect(try people() == ["loaded \(round)"])
            _ = try await sibling.loadMore { _ in [Person(id: "4", name: "page \(round)")] }
            #expect(try people() == ["loaded \(round)", "page \(round)"])
        }
    }

    // MARK: Borrowed

    @Test("What was borrowed and is asked for once more goes if the cache does not have it")
    func borrowedTwice() async throws {
        try await cache.writeCollection([ann], as: "people")
        let list = People(dataModelManager: manager)
        _ = try await list.fetchDataFromCache(withCacheKey: "people") as [Person]?
        let one = DataProvider<Person>(dataModelManager: manager)
        var answers = 0
        try deleteUnseen("Person:1")
        for _ in 0..<2 {
            one.fetchDataFromCache(withCacheKey: "Person:1") { _, _ in answers += 1 }
            #expect(one.data == ann, "the list shows it still")
        }
        try await rest()
        #expect(one.data == nil && list.count == 0 && answers == 2)
    }

    /// The manager learns of it, and the main actor has no turn.
    private func deleteUnseen(_ key: ModelIdentifier) throws {
        try cache.delete(key)
        while manager.consistencyManager.held.contains(key) { sched_yield() }
    }

    // MARK: Refused lists

    @Test("A list that the cache refuses takes no models along that were stored before it")
    func refusedListOfAnswer() async throws {
        for attempt in 0..<40 {
            let list = People(dataModelManager: manager)
            let (server, person) = (Server<[Person]>(), Person(id: "\(attempt)", name: "loaded"))
            let load = Task { try await list.load(withCacheKey: "people") { try await server.ask() } }
            await server.receives(1)
            server.answer(0, .success([person]))
            // The model is stored, and then the list, when it is shown: most often after this.
            try await waitUntil { try person == cache.model("Person:\(attempt)", as: Person.self) }
            try await cache.suspend()
            _ = try? await load.value
            await manager.flush()
            list.setData([], cacheKey: nil)
            try await cache.resume()
            try await rest()
            #expect(try cache.model("Person:\(attempt)", as: Person.self) == person)
        }
    }
}
