import Grove
import GroveCache
import GroveMemory
@testable import GroveProviders
import Testing
import TestSupport

/// What waits for something that the cache does not have, however much waits.
@MainActor
@Suite("Who waits for what is missing")
struct InterestTests {
    typealias People = CollectionDataProvider<Person>

    let cache: MemoryCache
    let manager: DataModelManager
    let ann = Person(id: "1", name: "Ann")

    init() throws {
        cache = try MemoryCache()
        manager = DataModelManager(cacheDelegate: cache)
    }

    private func provider() -> DataProvider<Person> { DataProvider(dataModelManager: manager) }

    private func rest() async throws {
        for _ in 0..<4 {
            await manager.flush()
            try await cache.flush()
        }
    }

    /// A tree, a list and an alias that lack Ann.
    private func screens() async throws -> (DataProvider<Message>, People, DataProvider<Person>) {
        try await cache.write(Message(id: "34", sender: ann))
        try await cache.writeCollection([ann], as: "people")
        try await cache.evict("Person:1")
        let screens = (DataProvider<Message>(dataModelManager: manager), People(dataModelManager: manager), provider())
        _ = try await screens.0.fetchDataFromCache(withCacheKey: "Message:34")
        _ = try await screens.1.fetchDataFromCache(withCacheKey: "people")
        _ = try await screens.2.fetchDataFromCache(withCacheKey: "me")
        return screens
    }

    @Test("Names that never come keep nobody from what does", arguments: [false, true])
    func manyMissing(areKept: Bool) async throws {
        var kept = [provider()]
        for number in 0..<1_100 {
            if areKept { kept.append(provider()) }
            _ = try await kept[kept.count - 1].fetchDataFromCache(withCacheKey: "Person:absent\(number)")
        }
        let (message, list, alias) = try await screens()
        try await rest()
        #expect(message.data == nil && list.count == 0 && alias.data == nil)
        try await cache.write(ann)
        try await cache.write(ann, forKey: "me")
        try await rest()
        #expect(message.data?.sender == ann && list.data == [ann] && alias.data == ann)
    }

    @Test("Who asks for something else, or is gone, waits no more; who still waits is not forgotten for that")
    func whoIsGone() async throws {
        let (message, list, alias) = try await screens()
        let other = provider()
        for number in 0..<5_000 {
            let asks = number.isMultiple(of: 2) ? other : provider()
            _ = try await asks.fetchDataFromCache(withCacheKey: "Person:absent\(number)")
        }
        try await rest()
        #expect(manager.stale.withLock { $0.waitingCount } < 3_000)
        try await cache.write(ann)
        try await cache.write(ann, forKey: "me")
        try await rest()
        #expect(message.data?.sender == ann && list.data == [ann] && alias.data == ann)
        #expect(other.data == nil)
    }
}
