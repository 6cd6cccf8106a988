import Grove
import GroveCache
@testable import GroveProviders
import Testing
import TestSupport

@MainActor
@Suite("Data providers")
struct DataProviderTests {
    let cache: HeldCache
    let manager: DataModelManager
    let ann = Person(id: "1", name: "Ann")

    init() throws {
        cache = try HeldCache()
        manager = DataModelManager(cacheDelegate: cache, cacheTimeout: 3_600)
    }

    @Test("Setting is synchronous, is told to others and not to the provider's own delegate, and is stored")
    func sets() async throws {
        let (first, second) = (
            DataProvider<Person>(dataModelManager: manager), DataProvider<Message>(dataModelManager: manager)
        )
        let (firstScreen, secondScreen) = (Screen(), Screen())
        (first.delegate, second.delegate) = (firstScreen, secondScreen)
        second.setData(Message(id: "m", sender: ann))
        first.setData(Person(id: "1", name: "Anna"), context: "why")
        #expect(first.data?.name == "Anna")
        #expect(first.lastUpdated != nil)
        await manager.flush()
        #expect(second.data?.sender.name == "Anna")
        #expect(secondScreen.told == ["why"])
        #expect(firstScreen.told.isEmpty)
        #expect(try cache.inner.model("Message:m", as: Message.self)?.sender.name == "Anna")
    }

    @Test("nil clears the provider and deletes nothing")
    func setsNil() async throws {
        let (first, second) = (
            DataProvider<Person>(dataModelManager: manager), DataProvider<Person>(dataModelManager: manager)
        )
        first.setData(ann)
        second.setData(ann)
        first.setData(nil)
        manager.updateModel(Person(id: "1", name: "Anna"))
        await manager.flush()
        #expect(first.data == nil)
        #expect(second.data?.name == "Anna")
    }

    @Test("What is in memory only is never stored")
    func memoryOnly() async throws {
        let provider = DataProvider<Person>(dataModelManager: manager)
        provider.setData(ann, updateCache: false)
        manager.updateModel(Person(id: "1", name: "Anna"), updateCache: false)
        await manager.flush()
        try await cache.inner.flush()
        #expect(provider.data?.name == "Anna")
        #expect(try cache.inner.model("Person:1", as: Person.self) == nil)
    }

    @Test("Models of several types are updated in one step, and each is stored")
    func mixed() async throws {
        let (person, message) = (
            DataProvider<Person>(dataModelManager: manager), DataProvider<Message>(dataModelManager: manager)
        )
        let screen = Screen()
        (person.delegate, message.delegate) = (screen, screen)
        person.setData(ann)
        message.setData(Message(id: "m", sender: ann))
        await manager.flush()
        let models: [any Model] = [Message(id: "m", text: "hey", sender: ann), Person(id: "1", name: "Anna")]
        manager.updateModels(models, context: "both")
        manager.updateModels([Person(id: "2", name: "Bob"), Message(id: "n", sender: ann)], context: "others")
        manager.cacheCollection([Person(id: "2", name: "Bob")] as [any Model], forKey: "models")
        await manager.flush()
        #expect(screen.told == ["both", "both", "others", "others"])
        #expect(message.data == Message(id: "m", text: "hey", sender: ann))
        try await cache.inner.flush()
        #expect(try cache.inner.model("Message:m", as: Message.self) == message.data)
        #expect(try cache.inner.model("Person:1", as: Person.self) == ann)
        #expect(try cache.inner.model("Person:2", as: Person.self)?.name == "Bob")
        #expect(try cache.inner.model("Message:n", as: Message.self)?.sender == ann)
        #expect(try cache.inner.collection("models", of: Person.self)?.map(\.id) == ["2"])
    }

    @Test("Cached data is ignored when fresher data arrived first, and the completion has the fresher")
    func fresherWins() async throws {
        try await cache.inner.write(ann)
        cache.hold()
        let provider = DataProvider<Person>(dataModelManager: manager)
        let result: (value: Person?, error: (any Error)?) = await answer { completion in
            provider.fetchDataFromCache(withCacheKey: "Person:1", completion: completion)
            provider.setData(Person(id: "2", name: "Bob"))
            manager.cacheQueueTurn { cache.release() }
        }
        #expect(result.value?.id == "2")
        #expect(provider.data?.id == "2")
    }

    @Test("A fetched tree has everything that was posted and deleted since the fetch was issued")
    func grafts() async throws {
        try await cache.inner.write(Message(id: "m", text: "hey", sender: ann))
        cache.hold()
        let provider = DataProvider<Message>(dataModelManager: manager)
        let result: (value: Message?, error: (any Error)?) = await answer { completion in
            provider.fetchDataFromCache(withCacheKey: "Message:m", completion: completion)
            manager.cacheQueueTurn {
                manager.updateModel(Person(id: "1", name: "Anna", isOnline: true))
                cache.release()
            }
        }
        #expect(result.value?.sender.isOnline == true)
        #expect(provider.data == result.value)
        manager.updateModel(Person(id: "1", name: "Annie"))
        await manager.flush()
        #expect(provider.data?.sender.name == "Annie")
    }

    @Test("A fetched tree whose root was deleted meanwhile is a miss")
    func deletedMeanwhile() async throws {
        try await cache.inner.write(Message(id: "m", text: "hey", sender: ann))
        cache.hold()
        let provider = DataProvider<Message>(dataModelManager: manager)
        let result: (value: Message?, error: (any Error)?) = await answer { completion in
            provider.fetchDataFromCache(withCacheKey: "Message:m", completion: completion)
            manager.cacheQueueTurn {
                manager.deleteModel(ann)
                cache.release()
            }
        }
        #expect(result.value == nil)
        #expect(provider.data == nil)
    }

    @Test("An identifier can be listened to before there is a model, and takes what others hold")
    func awaits() async throws {
        let (early, late) = (
            DataProvider<Person>(dataModelManager: manager), DataProvider<Person>(dataModelManager: manager)
        )
        early.modelIdentifier = "Person:1"
        #expect(early.data == nil)
        #expect(early.modelIdentifier == "Person:1")
        manager.updateModel(Message(id: "m", sender: ann))
        await manager.flush()
        #expect(early.data == ann)
        late.modelIdentifier = "Person:1"
        await manager.flush()
        #expect(late.data == ann)
        manager.deleteModel(ann)
        await manager.flush()
        #expect(early.data == nil)
        #expect(early.modelIdentifier == "Person:1")
    }

    @Test("A provider that has data keeps it when another identifier is set, and says so")
    func identifierWithData() async throws {
        let log = MisuseLog()
        manager.logDelegate = log
        let provider = DataProvider<Person>(dataModelManager: manager)
        provider.setData(ann)
        provider.modelIdentifier = "Person:1"
        #expect(log.messages.isEmpty)
        provider.modelIdentifier = "Person:2"
        #expect(log.messages.count == 1)
        #expect(log.messages.first?.contains("Person:2") == true)
        manager.updateModel(Person(id: "2", name: "Bo"))
        await manager.flush()
        #expect(provider.data == ann)
        #expect(provider.modelIdentifier == "Person:1")
        provider.setData(nil)
        provider.modelIdentifier = "Person:2"
        manager.updateModel(Person(id: "2", name: "Cy"))
        await manager.flush()
        #expect(provider.data?.name == "Cy")
        #expect(log.messages.count == 1)
    }

    @Test("A fetch that listens to an identifier leaves the data there until the cache has an answer")
    func fetchAndListenWithData() async throws {
        try await cache.inner.write(Person(id: "2", name: "Bo"))
        let provider = DataProvider<Person>(dataModelManager: manager)
        provider.setData(ann)
        let missed: (value: Person?, error: (any Error)?) = await answer { completion in
            provider.fetchDataFromCache(
                withCacheKey: "Person:3", listenToModelIdentifier: "Person:3", completion: completion)
            #expect(provider.data == ann)
        }
        #expect(missed.value == nil)
        #expect(provider.data == ann)
        let found: (value: Person?, error: (any Error)?) = await answer { completion in
            provider.fetchDataFromCache(
                withCacheKey: "Person:2", listenToModelIdentifier: "Person:2", completion: completion)
            #expect(provider.data == ann)
        }
        #expect(found.value?.name == "Bo")
        #expect(provider.data?.name == "Bo")
    }

    @Test("A provider that is resumed by itself tells its batch, at once")
    func resumedInBatch() async throws {
        let log = MisuseLog()
        manager.logDelegate = log
        let (provider, list, screen) = (
            DataProvider<Person>(dataModelManager: manager), CollectionDataProvider<Person>(dataModelManager: manager),
            Screen()
        )
        provider.setData(ann)
        list.setData([Person(id: "2", name: "Bo")], cacheKey: "list")
        let batch = BatchDataProviderListener(dataProviders: [provider, list], dataModelManager: manager)
        batch.delegate = screen
        (provider.isPaused, list.isPaused) = (true, true)
        manager.updateModel(Person(id: "1", name: "Cy"))
        manager.updateModel(Person(id: "2", name: "Di"))
        await manager.flush()
        provider.isPaused = false
        #expect(provider.data?.name == "Cy")
        #expect(screen.batches.map(\.count) == [1])
        batch.isPaused = true
        list.isPaused = false
        #expect(list.data.map(\.name) == ["Di"])
        #expect(screen.batches.count == 1)
        batch.isPaused = false
        #expect(screen.batches.map(\.count) == [1, 1])
        #expect(log.messages.count == 4)
    }

    @Test("A fetch that listens to an identifier is overtaken by what is posted meanwhile")
    func fetchAndListen() async throws {
        try await cache.inner.write(ann)
        cache.hold()
        let provider = DataProvider<Person>(dataModelManager: manager)
        let result: (value: Person?, error: (any Error)?) = await answer { completion in
            provider.fetchDataFromCache(
                withCacheKey: "Person:1", listenToModelIdentifier: "Person:1", completion: completion)
            manager.cacheQueueTurn {
                manager.updateModel(Person(id: "1", name: "Newest"))
                cache.release()
            }
        }
        #expect(result.value?.name == "Newest")
        #expect(provider.data?.name == "Newest")
    }

    @Test("A paused provider changes once, when it is resumed")
    func pauses() async throws {
        let (provider, screen) = (DataProvider<Person>(dataModelManager: manager), Screen())
        provider.delegate = screen
        provider.setData(ann)
        provider.isPaused = true
        manager.updateModel(Person(id: "1", name: "A"), context: "a")
        manager.updateModel(Person(id: "1", name: "B"), context: "b")
        await manager.flush()
        #expect(provider.data == ann)
        provider.isPaused = false
        #expect(provider.data?.name == "B")
        #expect(screen.told == ["b"])
    }

    @Test("A stream has own changes and others', says which, and does not keep the provider")
    func streams() async throws {
        weak var weakProvider: DataProvider<Person>?
        var stream: AsyncStream<DataChange<Person>>?
        do {
            let provider = DataProvider<Person>(dataModelManager: manager)
            weakProvider = provider
            let (current, changes) = (provider.data, provider.changes())
            #expect(current == nil)
            stream = changes
            provider.setData(ann)
            manager.updateModel(Person(id: "1", name: "B"))
            await manager.flush()
        }
        #expect(weakProvider == nil)
        var seen: [(String?, ChangeOrigin)] = []
        if let stream { for await change in stream { seen.append((change.data?.name, change.origin)) } }
        #expect(seen.map(\.0) == ["Ann", "B"])
        #expect(seen.map(\.1) == [.own, .other])
    }

    @Test("A batch is told once per update, after the delegates; paused, once for all")
    func batches() async throws {
        let providers = (0..<3).map { _ in DataProvider<Message>(dataModelManager: manager) }
        let list = CollectionDataProvider<Person>(dataModelManager: manager)
        let screen = Screen()
        for (number, provider) in providers.enumerated() {
            provider.setData(Message(id: "\(number)", sender: ann))
            provider.delegate = screen
        }
        list.setData([ann], cacheKey: "people")
        list.delegate = screen
        let batch = BatchDataProviderListener(dataProviders: providers + [list], dataModelManager: manager)
        batch.delegate = screen
        manager.updateModel(Person(id: "1", name: "B"))
        await manager.flush()
        #expect(screen.batches.map(\.count) == [4])
        #expect(screen.batches.map(\.toldBefore) == [4])
        batch.isPaused = true
        manager.updateModel(Person(id: "1", name: "C"))
        manager.updateModel(Person(id: "1", name: "D"))
        await manager.flush()
        #expect(screen.batches.count == 1)
        #expect(providers[0].data?.sender.name == "B")
        #expect(list[0].name == "B")
        batch.isPaused = false
        #expect(screen.batches.map(\.count) == [4, 4])
        #expect(list[0].name == "D")
    }

    @Test("A wipe leaves no completion uncalled and no flush waiting", arguments: 0..<100)
    func wipeCompletes(round: Int) async throws {
        try await cache.inner.write(ann)
        let provider = DataProvider<Person>(dataModelManager: manager)
        let list = CollectionDataProvider<Person>(dataModelManager: manager)
        async let first: Void = manager.flush()
        let answers = Answers()
        provider.fetchDataFromCache(withCacheKey: "Person:1", completion: { _, _ in answers.count += 1 })
        list.fetchDataFromCache(withCacheKey: "people", completion: { _, _ in answers.count += 1 })
        manager.modelFromCache("Person:1") { (_: Person?, _) in answers.count += 1 }
        manager.collectionFromCache("people") { (_: [Person]?, _) in answers.count += 1 }
        for _ in 0..<round % 7 { await Task.yield() }
        try await manager.wipe()
        await first
        await waitUntil { answers.count >= 4 }
        await manager.flush()
        #expect(answers.count == 4)
        #expect(provider.data == nil)
        #expect(list.count == 0)
    }

    @MainActor final class Answers { var count = 0 }

    @Test("Misuse is told to the log's delegate")
    func misuse() async throws {
        let log = MisuseLog()
        manager.logDelegate = log
        let list = CollectionDataProvider<Person>(dataModelManager: manager)
        list.insert([ann], at: 3)
        list.remove(at: 0)
        #expect(log.messages.count == 2)
    }

    @Test("Providers, also paused or mid-fetch, are gone with their owners")
    func leaks() async throws {
        weak var weakOne: DataProvider<Person>?
        weak var weakPaused: DataProvider<Person>?
        weak var weakFetching: DataProvider<Person>?
        weak var weakList: CollectionDataProvider<Person>?
        cache.hold()
        do {
            let one = DataProvider<Person>(dataModelManager: manager)
            let paused = DataProvider<Person>(dataModelManager: manager)
            let fetching = DataProvider<Person>(dataModelManager: manager)
            let list = CollectionDataProvider<Person>(dataModelManager: manager)
            one.setData(ann)
            paused.setData(ann)
            paused.isPaused = true
            manager.updateModel(Person(id: "1", name: "B"))
            fetching.fetchDataFromCache(withCacheKey: "Person:1", completion: { _, _ in })
            list.setData([ann], cacheKey: "people")
            await manager.flush()
            (weakOne, weakPaused, weakFetching, weakList) = (one, paused, fetching, list)
        }
        #expect(weakOne == nil)
        #expect(weakPaused == nil)
        #expect(weakFetching == nil)
        #expect(weakList == nil)
        cache.release()
        await manager.flush()
    }

    @Test("Lists, batches, receivers and models are gone with their owners, paused, batched, awaiting or mid-fetch")
    func moreLeaks() async throws {
        final class Mark: Sendable {}
        struct Marked: SimpleModel {
            let mark: Mark
            var modelIdentifier: ModelIdentifier? { "marked" }
            func isEqual(to model: any SimpleModel) -> Bool { (model as? Marked)?.mark === mark }
        }
        final class Receiver {}
        typealias People = CollectionDataProvider<Person>
        var gone: [String: () -> Bool] = [:]
        func follow(_ name: String, _ object: AnyObject) {
            gone[name] = { [weak object] in object == nil }
        }
        cache.hold()
        do {
            let lists = (0..<4).map { _ in People(dataModelManager: manager) }
            lists[0].setData([ann], cacheKey: "people")
            lists[0].isPaused = true
            lists[1].fetchDataFromCache(withCacheKey: "people", completion: { _, _ in })
            lists[2].fetchDataFromCache(withCacheKey: "elsewhere", completion: { _, _ in })
            lists[3].insert(awaiting: ["Person:77"], at: 0)
            let batched = DataProvider<Person>(dataModelManager: manager)
            batched.setData(ann)
            let batch = BatchDataProviderListener(dataProviders: [batched, lists[1]], dataModelManager: manager)
            batch.isPaused = true
            let marked = DataProvider<Marked>(dataModelManager: manager)
            marked.setData(Marked(mark: Mark()), updateCache: false)
            let receiver = Receiver()
            manager.addReceiver(receiver, for: Int.self) { _, _, _ in }
            manager.updateModel(Person(id: "1", name: "B"))
            await manager.flush()
            for (number, list) in lists.enumerated() {
                follow("list \(number)", list)
                follow("store \(number)", list.store)
            }
            follow("batched", batched)
            follow("batch", batch)
            follow("receiver", receiver)
            follow("marked", marked)
            if let mark = marked.data?.mark { follow("model", mark) }
        }
        cache.release()
        for _ in 0..<3 { await manager.flush() }
        for (name, isGone) in gone { #expect(isGone(), "\(name)") }
        #expect(gone.count == 13)
    }

    @Test(
        "A manager is gone with its owners, with listeners, streams, receivers and providers left",
        .timeLimit(.minutes(1)))
    func managerLeaks() async throws {
        weak var weakManager: DataModelManager?
        weak var weakEngine: ConsistencyManager?
        var stream: AsyncStream<ModelEvent<Person>>?
        do {
            let manager = DataModelManager(cacheDelegate: cache, cacheTimeout: 3_600)
            (weakManager, weakEngine) = (manager, manager.consistencyManager)
            stream = manager.consistencyManager.changes(of: ann)
            manager.addReceiver(cache, for: Int.self, replay: true) { _, _, _ in }
            manager.post(1)
            let provider = DataProvider<Person>(dataModelManager: manager)
            provider.setData(ann)
            await manager.flush()
        }
        // It ends with the engine.
        if let stream { for await _ in stream {} }
        #expect(weakManager == nil)
        #expect(weakEngine == nil)
    }

    @Test("A cancelled fetch completes once, promptly")
    func cancelled() async throws {
        cache.hold()
        let provider = DataProvider<Person>(dataModelManager: manager)
        let task = await begun { try await provider.fetchDataFromCache(withCacheKey: "Person:1") }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        cache.release()
        await manager.flush()
    }

    @Test("Cache and network in one call: the network's answer wins and is stored; fresh data asks nobody")
    func loads() async throws {
        try await cache.inner.write(ann)
        let provider = DataProvider<Person>(dataModelManager: manager)
        let loaded = try await provider.load(withCacheKey: "Person:1") { Person(id: "1", name: "Network") }
        #expect(loaded?.name == "Network")
        await manager.flush()
        #expect(provider.data?.name == "Network")
        try await cache.inner.flush()
        #expect(try cache.inner.model("Person:1", as: Person.self)?.name == "Network")
        let again = try await provider.load(withCacheKey: "Person:1", maxAge: 1_000) {
            Issue.record("The network was asked.")
            return nil
        }
        #expect(again?.name == "Network")
    }

    @Test("A wipe clears providers and cache, and nothing that was under way comes back")
    func wipes() async throws {
        let (provider, list, fetching) = (
            DataProvider<Person>(dataModelManager: manager), CollectionDataProvider<Person>(dataModelManager: manager),
            DataProvider<Person>(dataModelManager: manager)
        )
        let screen = Screen()
        provider.delegate = screen
        provider.setData(ann)
        list.setData([ann], cacheKey: "people")
        await manager.flush()
        cache.hold()
        var answers: [(any Error)?] = []
        fetching.fetchDataFromCache(withCacheKey: "Person:1", completion: { answers.append($1) })
        manager.updateModel(Person(id: "1", name: "Late"))
        try await manager.wipe()
        cache.release()
        manager.updateModel(Person(id: "1", name: "After"), updateCache: false)
        await manager.flush()
        #expect(provider.data == nil)
        #expect(list.count == 0)
        #expect(fetching.data == nil)
        #expect((answers.first as? CacheError)?.code == .cancelled)
        #expect(screen.told.count == 1)
        #expect(try cache.inner.model("Person:1", as: Person.self) == nil)
    }
}

extension DataModelManager {
    /// Runs `body` when every call before it has reached the cache, answered or not.
    @MainActor
    func cacheQueueTurn(_ body: @escaping @MainActor @Sendable () -> Void) {
        inOrder { _ in onCache { Task { @MainActor in body() } } }
    }
}
