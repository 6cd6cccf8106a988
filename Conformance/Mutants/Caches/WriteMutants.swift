import GroveCache
import GroveConformance
import GroveModel
import Synchronization

/// A write drops what other projections of the same record had carried.
final class ForgetsOtherProjections: ForwardingCache, @unchecked Sendable {
    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> Changes {
        for model in models {
            if let identifier = model.modelIdentifier, !identifier.rawValue.isEmpty { try base.evict(identifier) }
        }
        return try base.write(contentsOf: models)
    }
}

/// What was deleted once can never be written again.
// SAFETY: what it adds to its sendable base class is behind a mutex.
final class NeverUndeletes: ForwardingCache, @unchecked Sendable {
    private let deleted = Mutex<Set<ModelIdentifier?>>([])

    override func delete(_ identifier: ModelIdentifier) throws(CacheError) -> Changes {
        deleted.withLock { _ = $0.insert(identifier) }
        return try base.delete(identifier)
    }

    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> Changes {
        let deleted = deleted.withLock { $0 }
        return try base.write(contentsOf: models.filter { !deleted.contains($0.modelIdentifier) })
    }
}

/// A write that is not there afterwards is made again, whatever removed it.
final class WritesAgain: ForwardingCache, @unchecked Sendable {
    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> Changes {
        let changes = Result { () throws(CacheError) in try base.write(contentsOf: models) }
        for model in models {
            guard let identifier = model.modelIdentifier else { continue }
            if let read = try? base.read(identifier, as: M.self), read.value == nil { _ = try base.write(model) }
        }
        return try changes.get()
    }
}

/// A cancelled write says that it was cancelled after it was made.
final class CancelsTooLate: ForwardingCache, @unchecked Sendable {
    override func writeInTask<M: CacheableModel>(_ models: [M]) async throws(CacheError) -> Changes {
        let changes = try base.write(contentsOf: models)
        if Task.isCancelled { throw CacheError(.cancelled, "The task was cancelled.") }
        return changes
    }
}

/// A refused key or identifier is passed over in silence.
final class AcceptsEmptyKeys: ForwardingCache, @unchecked Sendable {
    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> Changes {
        do {
            return try base.write(contentsOf: models)
        } catch {
            if error.code == .emptyIdentifier { return Changes() }
            throw error
        }
    }
}

/// A write in which nothing changed says that everything did.
final class ChangesEverything: ForwardingCache, @unchecked Sendable {
    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> Changes {
        var changes = try base.write(contentsOf: models)
        changes.changed.formUnion(models.compactMap(\.modelIdentifier))
        return changes
    }
}
