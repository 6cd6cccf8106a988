import Grove
import GroveCache
import GroveProviders
import Testing
import TestSupport

/// Loads whose network fails at once, over caches that answer late.
@MainActor
@Suite("Offline")
struct OfflineTests {
    typealias People = CollectionDataProvider<Person>

    struct NoNetwork: Error {}

    let cache: HeldCache
    let manager: DataModelManager
    let asked = Count()
    let ann = Person(id: "1", name: "Ann")

    init() throws {
        cache = try HeldCache()
        manager = DataModelManager(cacheDelegate: cache, cacheTimeout: 3_600)
    }

    /// Lets the network fail first, then the cache answer.
    private func answerLate() async {
        await waitUntil { asked.value >= 1 && cache.waiting >= 1 }
        for _ in 0..<3 { await manager.flush() }
        cache.release()
    }

    @Test("A load shows what the cache has before it throws", arguments: 0..<15)
    func model(round: Int) async throws {
        try await cache.inner.write(ann)
        cache.hold()
        let provider = DataProvider<Person>(dataModelManager: manager)
        let load = Task {
            do {
                _ = try await provider.load(withCacheKey: "Person:1", maxAge: round % 2 == 0 ? nil : 60) { [asked] in
                    asked.add()
                    throw NoNetwork()
                }
                return (shown: provider.data, error: nil as (any Error)?)
            } catch {
                return (shown: provider.data, error: error)
            }
        }
        await answerLate()
        let outcome = await load.value
        #expect(outcome.error is NoNetwork)
        #expect(outcome.shown == ann)
    }

    @Test("A load whose network has nothing returns what the cache has")
    func nothing() async throws {
        try await cache.inner.write(ann)
        cache.hold()
        let provider = DataProvider<Person>(dataModelManager: manager)
        let load = Task {
            try await provider.load(withCacheKey: "Person:1") { [asked] in
                asked.add()
                return nil
            }
        }
        await answerLate()
        #expect(try await load.value == ann)
    }

    @Test("A load of a collection shows what the cache has before it throws", arguments: 0..<15)
    func collection(round: Int) async throws {
        try await cache.inner.writeCollection([ann], as: "people")
        cache.hold()
        let list = People(dataModelManager: manager)
        if round % 3 == 0 { list.setData([Person(id: "7")], cacheKey: "others") }
        let load = Task {
            do {
                _ = try await list.load(withCacheKey: "people", maxAge: round % 2 == 0 ? nil : 60) { [asked] in
                    asked.add()
                    throw NoNetwork()
                }
                return (shown: list.data, error: nil as (any Error)?)
            } catch {
                return (shown: list.data, error: error)
            }
        }
        await answerLate()
        let outcome = await load.value
        #expect(outcome.error is NoNetwork)
        #expect(outcome.shown == [ann])
    }

    @Test("A cancelled load does not wait for the cache")
    func cancelled() async throws {
        cache.hold()
        let (provider, list) = (DataProvider<Person>(dataModelManager: manager), People(dataModelManager: manager))
        let model = Task {
            try await provider.load(withCacheKey: "Person:1") { () throws -> Person? in throw NoNetwork() }
        }
        let people = Task {
            try await list.load(withCacheKey: "people") { () throws -> [Person] in throw NoNetwork() }
        }
        await waitUntil { cache.waiting >= 2 }
        model.cancel()
        people.cancel()
        await #expect(throws: (any Error).self) { try await model.value }
        await #expect(throws: (any Error).self) { try await people.value }
        cache.release()
        await manager.flush()
    }
}
