import GroveCache
import GroveCoding
import GroveConformance
import GroveModel
import Synchronization

/// A write drops what other projections of the same record had carried.
// SAFETY: it adds nothing to its sendable base class.
final class ForgetsOtherProjections: ForwardingCache, @unchecked Sendable {
    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
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

    override func delete(_ identifier: ModelIdentifier) throws(CacheError) -> WrittenChanges {
        deleted.withLock { _ = $0.insert(identifier) }
        return try base.delete(identifier)
    }

    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        let deleted = deleted.withLock { $0 }
        return try base.write(contentsOf: models.filter { !deleted.contains($0.modelIdentifier) })
    }
}

/// A write that is not there afterwards is made again, whatever removed it.
// SAFETY: it adds nothing to its sendable base class.
final class WritesAgain: ForwardingCache, @unchecked Sendable {
    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        let changes = Result { () throws(CacheError) in try base.write(contentsOf: models) }
        for model in models {
            guard let identifier = model.modelIdentifier else { continue }
            if let read = try? base.read(identifier, as: M.self), read.value == nil { _ = try base.write(model) }
        }
        return try changes.get()
    }
}

/// A cancelled write says that it was cancelled after it was made.
// SAFETY: it adds nothing to its sendable base class.
final class CancelsTooLate: ForwardingCache, @unchecked Sendable {
    override func writeInTask<M: CacheableModel>(_ models: [M]) async throws(CacheError) -> WrittenChanges {
        let changes = try base.write(contentsOf: models)
        if Task.isCancelled { throw CacheError(.cancelled, "The task was cancelled.") }
        return changes
    }
}

/// A refused key or identifier is passed over in silence.
// SAFETY: it adds nothing to its sendable base class.
final class AcceptsEmptyKeys: ForwardingCache, @unchecked Sendable {
    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        do {
            return try base.write(contentsOf: models)
        } catch {
            if error.code == .emptyIdentifier { return WrittenChanges() }
            throw error
        }
    }
}

/// A write in which nothing changed says that everything did.
// SAFETY: it adds nothing to its sendable base class.
final class ChangesEverything: ForwardingCache, @unchecked Sendable {
    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        var changes = try base.write(contentsOf: models)
        changes.changed.formUnion(models.compactMap(\.modelIdentifier))
        return changes
    }
}

/// A tree is refused that holds what its root was in.
// SAFETY: what it adds to its sendable base class is behind a mutex.
final class RefusesCycles: ForwardingCache, @unchecked Sendable {
    private let holders = Mutex<[ModelIdentifier: Set<ModelIdentifier>]>([:])

    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        let changes = try base.write(contentsOf: models)
        guard models.count == 1, let root = models[0].modelIdentifier else { return changes }
        let parts = Set(parts(of: models[0]).compactMap(\.modelIdentifier)).subtracting([root])
        let holders = holders.withLock { holders in
            for part in parts { holders[part, default: []].insert(root) }
            return holders[root] ?? []
        }
        guard holders.isDisjoint(with: parts) else { throw CacheError(.cycle, "The tree would be in itself.") }
        return changes
    }
}

/// Of one identifier's occurrences in a tree the first wins.
// SAFETY: it adds nothing to its sendable base class.
final class KeepsFirstOccurrence: ForwardingCache, @unchecked Sendable {
    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        let changes = try base.write(contentsOf: models)
        guard models.count == 1 else { return changes }
        let parts = Dictionary(grouping: parts(of: models[0])) { $0.modelIdentifier }
        for case (_?, let same) in parts where same.count > 1 { try again(same[0]) }
        return changes
    }

    private func again<M: CacheableModel>(_ model: M) throws(CacheError) { try base.write(model) }
}

/// The models in `value`, itself included, in pre-order, as far as eight levels down.
private func parts(of value: Any, levels: Int = 8) -> [any CacheableModel] {
    let inner = levels == 0 ? [] : Mirror(reflecting: value).children.map(\.value)
    return ((value as? any CacheableModel).map { [$0] } ?? []) + inner.flatMap { parts(of: $0, levels: levels - 1) }
}

/// A write that failed for another process's lock is tried again and again.
// SAFETY: it adds nothing to its sendable base class.
final class TriesLocksOn: ForwardingCache, @unchecked Sendable {
    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        for _ in 0..<150 {
            do throws(CacheError) {
                return try base.write(contentsOf: models)
            } catch {
                guard error.code == .locked else { throw error }
            }
        }
        return try base.write(contentsOf: models)
    }
}
