import GroveCache
import GroveCoding
import GroveConformance
import GroveModel
import Synchronization

/// What is kept goes like everything else if many models come.
// SAFETY: what it adds to its sendable base class is behind a mutex.
final class EvictsKept: ForwardingCache, @unchecked Sendable {
    private let count = Mutex(0)

    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        let changes = try base.write(contentsOf: models)
        let written = count.withLock { count in
            count += models.count
            return count
        }
        guard written > 300, let name = try base.kept().keys.min() else { return changes }
        try base.keep([name: nil])
        return changes
    }
}

/// A wipe leaves what is kept.
// SAFETY: it adds nothing to its sendable base class.
final class WipesAllButKept: ForwardingCache, @unchecked Sendable {
    override func wipe() throws(CacheError) {
        let kept = try base.kept()
        try base.wipe()
        try base.keep(kept.mapValues { $0 })
    }
}

extension ConformanceCache {
    /// Keeps records, in a transaction of its own.
    fileprivate func keep(_ records: [String: [UInt8]?]) throws(CacheError) {
        do {
            try transact { transaction in
                for (name, bytes) in records { try transaction.keep(bytes, as: name) }
            }
        } catch {
            throw error as? CacheError ?? CacheError(.other, "\(error)")
        }
    }
}
