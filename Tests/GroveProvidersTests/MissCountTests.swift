import Grove
import GroveCache
import GroveMemory
import Synchronization
import Testing

/// What is asked for once, and is not there, is counted and logged once.
@MainActor
@Suite("One question is one miss")
struct MissCountTests {
    /// Keeps the misses that it is told of.
    private final class Log: CacheObserver {
        private let kept = Mutex<[CacheMiss]>([])
        var misses: [CacheMiss] { kept.withLock(\.self) }
        func cacheDidMiss(_ miss: CacheMiss) { kept.withLock { $0.append(miss) } }
    }

    enum Question: CaseIterable {
        case fetch, load, agedLoad, retriedLoad, failedLoad, read
    }

    struct NoNetwork: Error {}

    private let log = Log()
    private let cache: MemoryCache
    private let manager: DataModelManager

    init() throws {
        cache = try MemoryCache(observer: log)
        manager = DataModelManager(cacheDelegate: cache)
    }

    private func rest() async throws {
        for _ in 0..<4 {
            await manager.flush()
            try await cache.flush()
        }
    }

    private func expectOneMiss(_ name: ModelIdentifier, _ question: Question) async throws {
        try await rest()
        #expect(log.misses == [CacheMiss(.absent, name)], "\(question)")
        #expect(cache.statistics.misses == [.absent: 1], "\(question)")
        #expect(cache.statistics.hits == 0, "\(question)")
    }

    @Test("Of a model", arguments: Question.allCases)
    func models(question: Question) async throws {
        let model = DataProvider<Person>(dataModelManager: manager)
        let tries = Count()
        switch question {
        case .fetch: _ = try await model.fetchDataFromCache(withCacheKey: "Person:9")
        case .load: _ = try await model.load(withCacheKey: "Person:9") { nil }
        case .agedLoad: _ = try await model.load(withCacheKey: "Person:9", maxAge: 60) { Person(id: "9") }
        case .retriedLoad:
            _ = try await model.load(withCacheKey: "Person:9", retry: LoadRetry(2, after: .zero)) {
                tries.add()
                if tries.value < 3 { throw NoNetwork() }
                return Person(id: "9")
            }
        case .failedLoad: _ = try? await model.load(withCacheKey: "Person:9") { throw NoNetwork() }
        case .read: _ = await answer { manager.modelFromCache("Person:9", completion: $0) } as (Person?, (any Error)?)
        }
        try await expectOneMiss("Person:9", question)
    }

    @Test("Of a list", arguments: Question.allCases)
    func lists(question: Question) async throws {
        let list = CollectionDataProvider<Person>(dataModelManager: manager)
        let tries = Count()
        switch question {
        case .fetch: _ = try await list.fetchDataFromCache(withCacheKey: "people")
        case .load: _ = try await list.load(withCacheKey: "people") { [] }
        case .agedLoad: _ = try await list.load(withCacheKey: "people", maxAge: 60) { [Person(id: "9")] }
        case .retriedLoad:
            _ = try await list.load(withCacheKey: "people", retry: LoadRetry(2, after: .zero)) {
                tries.add()
                if tries.value < 3 { throw NoNetwork() }
                return [Person(id: "9")]
            }
        case .failedLoad: _ = try? await list.load(withCacheKey: "people") { throw NoNetwork() }
        case .read:
            _ = await answer { manager.collectionFromCache("people", completion: $0) } as ([Person]?, (any Error)?)
        }
        try await expectOneMiss("people", question)
    }

    @Test("Two screens that ask are two questions; two siblings of a list that ask at once are one")
    func several() async throws {
        let models = (0..<2).map { _ in DataProvider<Person>(dataModelManager: manager) }
        for model in models { _ = try await model.fetchDataFromCache(withCacheKey: "Person:9") }
        try await rest()
        #expect(log.misses.count == 2)
        let lists = (0..<2).map { _ in CollectionDataProvider<Person>(dataModelManager: manager) }
        for list in lists { list.fetchDataFromCache(withCacheKey: "people") { _, _ in } }
        try await rest()
        #expect(log.misses.count == 3 && cache.statistics.misses == [.absent: 3])
    }
}
