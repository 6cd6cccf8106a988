import GroveCache
import GroveConformance
import GroveModel
import Synchronization

/// Every node counts once for each time that it was written.
final class CountsTwice: ForwardingCache, @unchecked Sendable {
    // SAFETY: what it adds is behind a lock.
    private let writes = Mutex(0)

    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> Changes {
        writes.withLock { $0 += models.count }
        return try base.write(contentsOf: models)
    }

    override func statistics() throws(CacheError) -> CacheStatistics {
        var statistics = try base.statistics()
        let writes = writes.withLock { $0 }
        statistics.payloadBytes = statistics.payloadBytes.map { $0 + writes * 100 }
        statistics.entries = statistics.entries.map { $0 + writes }
        return statistics
    }
}
