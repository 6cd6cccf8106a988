import Grove
import GroveCache
import TestSupport
import Testing

/// Logging out with everything in flight.
@MainActor
@Suite("Wipe")
struct WipeTests {
    typealias People = CollectionDataProvider<Person>

    let cache: HeldCache
    let manager: DataModelManager
    let ann = Person(id: "1", name: "Ann")

    init() throws {
        cache = try HeldCache()
        manager = DataModelManager(cacheDelegate: cache, cacheTimeout: 3_600)
    }

    @MainActor
    final class Watcher: ConsistencyManagerListener {
        var model: Person?
        var told: [Person?] = []
        init(_ model: Person) { self.model = model }
        func currentModel() -> (any ConsistencyManagerModel)? { model }
        func modelUpdated(_ model: (any ConsistencyManagerModel)?, updates: ModelUpdates, context: (any Sendable)?) {
            self.model = model as? Person
            told.append(self.model)
        }
    }

    @Test("Listeners, streams and conditions of the engine are told that their models are gone, and keep none")
    func engine() async throws {
        let engine = manager.consistencyManager
        let (watcher, paused) = (Watcher(ann), Watcher(ann))
        engine.addListener(watcher)
        engine.addListener(paused)
        engine.pauseListener(paused)
        let stream: AsyncStream<ModelEvent<Person>> = engine.changes(of: ann)
        var conditions: [String] = []
        let token = engine.addListener(for: Person.self, where: { _ in true }) { change in
            switch change {
            case .began: conditions.append("began")
            case .changed: conditions.append("changed")
            case .ended: conditions.append("ended")
            }
        }
        manager.updateModel(Person(id: "1", name: "Anna"))
        await manager.flush()
        try await manager.wipe()
        engine.resumeListener(paused)
        await manager.flush()
        #expect(watcher.told == [Person(id: "1", name: "Anna"), nil])
        #expect(paused.model == nil)
        #expect(conditions == ["began", "ended"])
        var events: [Person?] = []
        for await event in stream {
            events.append(event.model)
            if events.count == 2 { break }
        }
        #expect(events == [Person(id: "1", name: "Anna"), nil])
        let late = DataProvider<Person>(dataModelManager: manager)
        late.modelIdentifier = "Person:1"
        await manager.flush()
        #expect(late.data == nil)
        _ = token
    }

    @Test("What a provider set just before a wipe reaches nobody after it", arguments: 0..<100)
    func ownPosts(round: Int) async throws {
        let watcher = Watcher(ann)
        manager.consistencyManager.addListener(watcher)
        await manager.flush()
        let (provider, list) = (DataProvider<Person>(dataModelManager: manager), People(dataModelManager: manager))
        provider.setData(Person(id: "1", name: "secret"))
        list.setData([Person(id: "1", name: "secret too")], cacheKey: "people")
        list.update(Person(id: "1", name: "most secret"), at: 0)
        try await manager.wipe()
        let told = watcher.told
        await manager.flush()
        #expect(watcher.told.dropFirst(told.count).allSatisfy { $0 == nil })
        #expect(watcher.model == nil)
        #expect(provider.data == nil)
        #expect(list.count == 0)
    }

    @Test("A fetch that begins after a wipe is answered as itself, not as one from before")
    func fetchAfter() async throws {
        cache.hold()
        let list = People(dataModelManager: manager)
        var answers: [(any Error)?] = []
        list.fetchDataFromCache(withCacheKey: "people", completion: { answers.append($1) })
        await waitUntil { cache.waiting >= 1 }
        try await manager.wipe()
        #expect((answers.first as? CacheError)?.code == .cancelled)
        try await cache.inner.writeCollection([ann], as: "people")
        list.fetchDataFromCache(withCacheKey: "people", completion: { answers.append($1) })
        await waitUntil { cache.waiting >= 2 }
        cache.release()
        await waitUntil { answers.count >= 2 }
        await manager.flush()
        #expect(answers.count == 2)
        #expect(answers[1] == nil)
        #expect(list.data == [ann])
    }

    @Test("Random work around a wipe: nothing from before it is anywhere after it", arguments: 0..<300 as Range<UInt64>)
    func everything(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let providers = (0..<3).map { _ in DataProvider<Person>(dataModelManager: manager) }
        let lists = (0..<2).map { _ in People(dataModelManager: manager) }
        @MainActor func work(_ era: String) async throws {
            for step in 0..<20 {
                let id = "\(Int.random(in: 0..<3, using: &random))"
                let person = Person(id: id, name: "\(era) \(step)")
                let provider = providers[Int.random(in: 0..<3, using: &random)]
                let list = lists[Int.random(in: 0..<2, using: &random)]
                switch Int.random(in: 0..<11, using: &random) {
                case 0: provider.setData(person)
                case 1: manager.updateModel(person)
                case 2: list.setData([person], cacheKey: Bool.random(using: &random) ? "people" : "others")
                case 3: list.append([person])
                case 4: provider.fetchDataFromCache(withCacheKey: "Person:\(id)", completion: { _, _ in })
                case 5:
                    let key = Bool.random(using: &random) ? "people" : "others"
                    list.fetchDataFromCache(withCacheKey: key, completion: { _, _ in })
                case 6:
                    provider.setData(nil)
                    provider.modelIdentifier = "Person:\(id)"
                case 7: provider.isPaused.toggle()
                case 8: list.isPaused.toggle()
                case 9: list.insert(awaiting: ["Person:\(id)"], at: 0)
                default:
                    // A flush would wait for the lists that the cache holds back.
                    guard Bool.random(using: &random) else { break }
                    if cache.isHeld { await manager.consistencyManager.flush() } else { await manager.flush() }
                }
            }
        }
        try await work("before")
        if seed % 2 == 0 { cache.hold() }
        try await work("before")
        async let wiped: Void = manager.wipe()
        if seed % 2 == 0 { cache.release(reversed: seed % 4 == 0) }
        try await wiped
        for provider in providers { #expect(provider.data == nil, "seed \(seed)") }
        for list in lists { #expect(list.count == 0, "seed \(seed)") }
        try await work("after")
        for provider in providers { provider.isPaused = false }
        for list in lists { list.isPaused = false }
        await manager.flush()
        try await cache.inner.flush()
        await manager.flush()
        var found = providers.compactMap(\.data) + lists.flatMap(\.data)
        for id in 0..<3 {
            if let person = try cache.inner.model("Person:\(id)", as: Person.self) { found.append(person) }
        }
        for key in ["people", "others"] { found += try cache.inner.collection(key, of: Person.self) ?? [] }
        #expect(found.allSatisfy { $0.name.hasPrefix("after") }, "seed \(seed)")
    }
}
