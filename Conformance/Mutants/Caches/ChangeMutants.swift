import GroveCache
import GroveCoding
import GroveConformance
import GroveModel
import Synchronization

/// What a broken stream has told, and is still to tell.
private final class Telling: Sendable {
    private let state = Mutex((told: 0, waiting: [ChangeSet]()))

    /// The number of the next change set, from 1 on.
    func count() -> Int {
        state.withLock { state in
            state.told += 1
            return state.told
        }
    }

    func keep(_ set: ChangeSet) { state.withLock { $0.waiting.append(set) } }

    func take() -> ChangeSet? { state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() } }
}

/// Every seventh change set is told twice.
// SAFETY: it adds nothing to its sendable base class.
final class TellsTwice: ForwardingCache, @unchecked Sendable {
    override func changes() throws(CacheError) -> ChangeReader {
        let (reader, telling) = (try base.changes(), Telling())
        return ChangeReader {
            if let set = telling.take() { return set }
            let set = await reader.next()
            if let set, telling.count() % 7 == 0 { telling.keep(set) }
            return set
        }
    }
}

/// Every seventh change set is told after the one that follows it.
// SAFETY: it adds nothing to its sendable base class.
final class TellsOutOfOrder: ForwardingCache, @unchecked Sendable {
    override func changes() throws(CacheError) -> ChangeReader {
        let (reader, telling) = (try base.changes(), Telling())
        return ChangeReader {
            if let set = telling.take() { return set }
            let set = await reader.next()
            guard let set, telling.count() % 7 == 0, let other = await reader.next() else { return set }
            telling.keep(set)
            return other
        }
    }
}

/// Every seventh change set is not told.
// SAFETY: it adds nothing to its sendable base class.
final class LosesChanges: ForwardingCache, @unchecked Sendable {
    override func changes() throws(CacheError) -> ChangeReader {
        let (reader, telling) = (try base.changes(), Telling())
        return ChangeReader {
            let set = await reader.next()
            return telling.count() % 7 == 0 ? await reader.next() : set
        }
    }
}

/// A write that fails is told as if it were the one before.
// SAFETY: what it adds to its sendable base class is behind a mutex.
final class TellsOfFailures: ForwardingCache, @unchecked Sendable {
    private let failures = Mutex(0)

    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        do { return try base.write(contentsOf: models) } catch {
            failures.withLock { $0 += 1 }
            throw error
        }
    }

    override func changes() throws(CacheError) -> ChangeReader {
        let (reader, telling) = (try base.changes(), Telling())
        return ChangeReader { [self] in
            if let set = telling.take() { return set }
            let set = await reader.next()
            let count = failures.withLock { failures in
                defer { failures = 0 }
                return failures
            }
            if let set { for _ in 0..<count { telling.keep(set) } }
            return set
        }
    }
}

/// A stream since a token begins now.
// SAFETY: it adds nothing to its sendable base class.
final class ForgetsOldChanges: ForwardingCache, @unchecked Sendable {
    override func changes(since token: ChangeToken?) throws(CacheError) -> ChangeReader { try base.changes() }
}

/// A stream passes over what is not remembered.
// SAFETY: it adds nothing to its sendable base class.
final class PassesOverGaps: ForwardingCache, @unchecked Sendable {
    override func changes(since token: ChangeToken?) throws(CacheError) -> ChangeReader {
        let reader = try base.changes(since: token)
        return ChangeReader {
            let set = await reader.next()
            return set?.changesEverything == true ? await reader.next() : set
        }
    }
}

/// Only hits are counted.
// SAFETY: it adds nothing to its sendable base class.
final class CountsNoMisses: ForwardingCache, @unchecked Sendable {
    override func statistics() throws(CacheError) -> CacheStatistics {
        var statistics = try base.statistics()
        statistics.misses = [:]
        return statistics
    }
}
