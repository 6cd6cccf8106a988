import GroveCache
import GroveCoding
import GroveConformance
import GroveModel
import Synchronization

/// Every node counts once for each time that it was written.
// SAFETY: what it adds to its sendable base class is behind a mutex.
final class CountsTwice: ForwardingCache, @unchecked Sendable {
    private let writes = Mutex(0)

    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        writes.withLock { $0 += models.count }
        return try base.write(contentsOf: models)
    }

    override func usage() throws(CacheError) -> CacheUsage {
        var usage = try base.usage()
        let writes = writes.withLock { $0 }
        usage.payloadBytes = usage.payloadBytes.map { $0 + writes * 100 }
        usage.entries = usage.entries.map { $0 + writes }
        return usage
    }
}

/// What was in the store when it was opened does not count.
// SAFETY: what it adds to its sendable base class is constant.
final class CountsFromOpening: ForwardingCache, @unchecked Sendable {
    private let found: StoreSize?

    required init(_ base: any ConformanceCache) {
        found = try? base.size()
        super.init(base)
    }

    override func usage() throws(CacheError) -> CacheUsage {
        var usage = try base.usage()
        usage.payloadBytes = usage.payloadBytes.map { $0 - (found?.payloadBytes ?? 0) }
        usage.entries = usage.entries.map { $0 - (found?.entries ?? 0) }
        return usage
    }
}

/// What others wrote since a handle's last write does not count.
// SAFETY: what it adds to its sendable base class is behind a mutex.
final class CountsItsOwn: ForwardingCache, @unchecked Sendable {
    private let last: Mutex<CacheUsage?>

    required init(_ base: any ConformanceCache) {
        last = Mutex(try? base.usage())
        super.init(base)
    }

    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        let changes = try base.write(contentsOf: models)
        let usage = try base.usage()
        last.withLock { $0 = usage }
        return changes
    }

    override func usage() throws(CacheError) -> CacheUsage {
        var usage = try base.usage()
        let last = last.withLock { $0 }
        (usage.payloadBytes, usage.entries) = (last?.payloadBytes, last?.entries)
        return usage
    }
}
