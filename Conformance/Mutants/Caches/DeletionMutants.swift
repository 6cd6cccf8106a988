import GroveCache
import GroveCoding
import GroveConformance
import GroveModel
import Synchronization

/// A deletion leaves no tombstone, so that what was deleted reads as forgotten.
// SAFETY: it adds nothing to its sendable base class.
final class DeletesWithoutTrace: ForwardingCache, @unchecked Sendable {
    override func delete(_ identifier: ModelIdentifier) throws(CacheError) -> WrittenChanges {
        try base.evict(identifier)
        return WrittenChanges(deleted: [identifier])
    }
}

/// What was forgotten reads as deleted: a missing child becomes `nil`, a list becomes shorter.
// SAFETY: it adds nothing to its sendable base class.
final class TakesMissingForDeleted: ForwardingCache, @unchecked Sendable {
    override func evict(_ identifier: ModelIdentifier) throws(CacheError) { _ = try base.delete(identifier) }
}

/// A wipe does nothing.
// SAFETY: it adds nothing to its sendable base class.
final class WipesNothing: ForwardingCache, @unchecked Sendable {
    override func wipe() throws(CacheError) {}
}

/// Deleting a tree deletes what was written with it.
// SAFETY: what it adds to its sendable base class is behind a mutex.
final class DeletesChildren: ForwardingCache, @unchecked Sendable {
    private let trees = Mutex<[ModelIdentifier: Set<ModelIdentifier>]>([:])

    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        let changes = try base.write(contentsOf: models)
        if models.count == 1, let root = models[0].modelIdentifier { trees.withLock { $0[root] = changes.changed } }
        return changes
    }

    override func delete(_ identifier: ModelIdentifier) throws(CacheError) -> WrittenChanges {
        for part in trees.withLock({ $0[identifier] ?? [] }) where part != identifier { try base.delete(part) }
        return try base.delete(identifier)
    }
}

/// A deletion hides the old node, which comes to light again when the tombstone is evicted.
// SAFETY: what it adds to its sendable base class is behind a mutex.
final class HidesDeleted: ForwardingCache, @unchecked Sendable {
    private let old = Mutex<[ModelIdentifier: any CacheableModel]>([:])

    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        for model in models { old.withLock { $0[model.modelIdentifier ?? ""] = model } }
        return try base.write(contentsOf: models)
    }

    override func evict(_ identifier: ModelIdentifier) throws(CacheError) {
        try base.evict(identifier)
        for old in old.withLock({ $0.values }) { try bringBack(old) }
    }

    private func bringBack<M: CacheableModel>(_ old: M) throws(CacheError) { try base.write(old) }
}

/// A deletion is undone by writing the model again.
// SAFETY: it adds nothing to its sendable base class.
final class RestoresByWriting: ForwardingCache, @unchecked Sendable {
    override func restore<M: CacheableModel>(_ model: M) throws(CacheError) -> WrittenChanges {
        try base.write(model)
    }
}
