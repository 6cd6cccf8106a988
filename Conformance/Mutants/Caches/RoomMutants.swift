import GroveCache
import GroveCoding
import GroveConformance
import GroveModel
import GrovePlatform
import Synchronization

/// A cache that knows whether a view of it is open.
// SAFETY: what it adds to its sendable base class is behind a mutex.
class NotesViews: ForwardingCache, @unchecked Sendable {
    private let count = Mutex(0)

    fileprivate var isViewed: Bool { count.withLock { $0 > 0 } }

    override func view<Value>(_ body: (any ConformanceView) throws -> Value) throws -> Value {
        count.withLock { $0 += 1 }
        defer { count.withLock { $0 -= 1 } }
        return try base.view(body)
    }
}

/// While a view is open, each write costs as many of the others as it can.
// SAFETY: what it adds to its sendable base class is behind a mutex.
final class EvictsBehindViews: NotesViews, @unchecked Sendable {
    private let written = Mutex<[ModelIdentifier]>([])

    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        let victims = written.withLock { written in
            defer { written += models.compactMap(\.modelIdentifier) }
            return isViewed ? written.prefix(100) : []
        }
        for victim in victims { try base.evict(victim) }
        written.withLock { $0.removeFirst(victims.count) }
        return try base.write(contentsOf: models)
    }
}

/// While a view is open, each write waits for four seconds.
// SAFETY: it adds nothing to its base class.
final class WaitsBehindViews: NotesViews, @unchecked Sendable {
    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        if isViewed { usleep(4_000_000) }
        return try base.write(contentsOf: models)
    }
}
