import GroveConsistency
import GroveMemory
import GroveModel
import GroveProviders

/// What a cache's commit costs where a manager follows the cache.
extension ConsistencyBench {
    /// Commits other versions of the same nodes, and waits until every provider that holds one shows it.
    func follow(_ result: inout ConsistencyResult) async throws {
        let size = result.workload.size
        let cache = try MemoryCache()
        let manager = result.workload == .followAlone ? nil : DataModelManager(cacheDelegate: cache)
        try commit(0, of: size, to: cache)
        let start = ContinuousClock.now
        let holders = manager.map { Holders($0, result.workload.held, of: size) }
        await manager?.flush()
        result.add.append(milliseconds(since: start))
        for version in 1...changes {
            let people = Self.people(size, version)
            let news = holders?.news ?? ([], [])
            let (before, processor) = (
                manager?.consistencyManager.mainActorMeasures.held, ConsistencyBench.processorTime
            )
            let start = ContinuousClock.now
            try commit(people, to: cache)
            result.commit.append(milliseconds(since: start))
            await holders?.wait(for: version, news)
            result.change.append(milliseconds(since: start))
            // The rest of the work that follows the commit: no holder waits for it, but its processor time counts.
            for _ in 0..<2 { await manager?.flush() }
            result.changeProcessor.append(Double(ConsistencyBench.processorTime - processor) / 1e6)
            let held = (manager?.consistencyManager.mainActorMeasures.held ?? .zero) - (before ?? .zero)
            result.held.append(Double(held.nanoseconds) / 1e3)
        }
        cache.close()
    }

    private func commit(_ version: Int, of size: Int, to cache: MemoryCache) throws {
        try commit(Self.people(size, version), to: cache)
    }

    /// One commit, for which the caller waits.
    private func commit(_ people: [FeedPerson], to cache: MemoryCache) throws { try cache.write(contentsOf: people) }

    private func milliseconds(since start: ContinuousClock.Instant) -> Double {
        Double((ContinuousClock.now - start).nanoseconds) / 1e6
    }

    fileprivate static func people(_ count: Int, _ version: Int) -> [FeedPerson] {
        (0..<count).map { index in
            FeedPerson(
                id: index, name: "violet harbour", email: "person\(index)@example.com",
                about: "lantern meadow quarter thunder pebble", online: index % 2 == 0, followers: version)
        }
    }
}

/// Who holds some of the nodes that are committed.
@MainActor
private final class Holders {
    private let list: CollectionDataProvider<FeedPerson>?
    private let providers: [DataProvider<FeedPerson>]

    /// Lets `count` of `size` nodes be held: all of them in a list, fewer by a provider each.
    init(_ manager: DataModelManager, _ count: Int, of size: Int) {
        let people = ConsistencyBench.people(size, 0)
        list = count == size ? CollectionDataProvider(dataModelManager: manager) : nil
        list?.setData(people, cacheKey: "people", shouldCache: false)
        let few = list == nil ? count : 0
        providers = (0..<few).map { index in
            let provider = DataProvider<FeedPerson>(dataModelManager: manager)
            provider.setData(people[index * size / few], updateCache: false)
            return provider
        }
    }

    /// What each of them is told from now on.
    var news: (list: [AsyncStream<CollectionDataChange>], providers: [AsyncStream<DataChange<FeedPerson>>]) {
        (list.map { [$0.changes()] } ?? [], providers.map { $0.changes() })
    }

    /// Returns when all of them show `version`.
    func wait(
        for version: Int,
        _ news: (list: [AsyncStream<CollectionDataChange>], providers: [AsyncStream<DataChange<FeedPerson>>])
    ) async {
        for stream in news.list where list?.elements.last?.followers != version {
            for await _ in stream where list?.elements.last?.followers == version { break }
        }
        for (provider, stream) in zip(providers, news.providers) where provider.data?.followers != version {
            for await _ in stream where provider.data?.followers == version { break }
        }
    }
}
