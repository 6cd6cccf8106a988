import GroveCache
import GroveCoding
import GroveConformance
import GroveModel
import Synchronization

/// An answer is a call like any other.
// SAFETY: it adds nothing to its sendable base class.
final class AnswersWin: ForwardingCache, @unchecked Sendable {
    override func write<M: CacheableModel>(
        contentsOf models: [M], asOf place: Place
    ) throws(CacheError) -> WrittenChanges {
        try base.write(contentsOf: models)
    }
}

/// An answer is not stored if anything of it is there already and differs.
// SAFETY: it adds nothing to its sendable base class.
final class AnswersGiveUp: ForwardingCache, @unchecked Sendable {
    override func write<M: CacheableModel>(
        contentsOf models: [M], asOf place: Place
    ) throws(CacheError) -> WrittenChanges {
        for model in models {
            guard let identifier = model.modelIdentifier else { continue }
            let found = try base.read(identifier, as: M.self).value
            if let found, !found.isEqual(to: model) { return WrittenChanges() }
        }
        return try base.write(contentsOf: models, asOf: place)
    }
}

/// An answer from before a wipe is stored.
// SAFETY: it adds nothing to its sendable base class.
final class AnswersOutliveWipes: ForwardingCache, @unchecked Sendable {
    override func write<M: CacheableModel>(
        contentsOf models: [M], asOf place: Place
    ) throws(CacheError) -> WrittenChanges {
        do { return try base.write(contentsOf: models, asOf: place) } catch {
            guard error.code == .cancelled else { throw error }
            return try base.write(contentsOf: models)
        }
    }
}

/// An answer from before all models of a type were deleted is stored.
// SAFETY: what it adds to its sendable base class is behind a mutex.
final class AnswersOutliveTypes: ForwardingCache, @unchecked Sendable {
    private let hasDeleted = Mutex(false)

    override func delete<M: CacheableModel>(allOf type: M.Type) throws -> WrittenChanges {
        hasDeleted.withLock { $0 = true }
        return try base.delete(allOf: type)
    }

    override func write<M: CacheableModel>(
        contentsOf models: [M], asOf place: Place
    ) throws(CacheError) -> WrittenChanges {
        do { return try base.write(contentsOf: models, asOf: place) } catch {
            guard error.code == .cancelled, hasDeleted.withLock(\.self) else { throw error }
            return try base.write(contentsOf: models)
        }
    }
}

/// A list of an answer from before a wipe is stored.
// SAFETY: it adds nothing to its sendable base class.
final class ListsOutliveWipes: ForwardingCache, @unchecked Sendable {
    override func writeCollection<M: CacheableModel>(
        _ elements: [M], forKey key: String, asOf place: Place
    ) throws(CacheError) -> WrittenChanges {
        do { return try base.writeCollection(elements, forKey: key, asOf: place) } catch {
            guard error.code == .cancelled else { throw error }
            return try base.writeCollection(elements, forKey: key)
        }
    }
}

/// An answer from before a wipe is stored by a handle that was opened after it.
// SAFETY: what it adds to its sendable base class is behind a mutex.
final class AnswersOutliveHandles: ForwardingCache, @unchecked Sendable {
    private let isNew = Mutex(true)

    override func wipe() throws(CacheError) {
        isNew.withLock { $0 = false }
        try base.wipe()
    }

    override func write<M: CacheableModel>(
        contentsOf models: [M], asOf place: Place
    ) throws(CacheError) -> WrittenChanges {
        do { return try base.write(contentsOf: models, asOf: place) } catch {
            guard error.code == .cancelled, isNew.withLock(\.self) else { throw error }
            return try base.write(contentsOf: models)
        }
    }
}

/// An edit confirms.
// SAFETY: it adds nothing to its sendable base class.
final class ConfirmsEdits: ForwardingCache, @unchecked Sendable {
    override func writeUnconfirmed<M: CacheableModel>(_ model: M) throws(CacheError) -> WrittenChanges {
        try base.write(model)
    }
}

/// An answer is as young as the call that stores it.
// SAFETY: it adds nothing to its sendable base class.
final class ConfirmsWhenItComes: ForwardingCache, @unchecked Sendable {
    override func write<M: CacheableModel>(
        contentsOf models: [M], asOf place: Place
    ) throws(CacheError) -> WrittenChanges {
        let changes = try base.write(contentsOf: models, asOf: place)
        for model in models {
            if let identifier = model.modelIdentifier, let stored = try base.read(identifier, as: M.self).value {
                try base.write(stored)
            }
        }
        return changes
    }
}

/// An answer is compared with what this handle wrote, and stored over what others did.
// SAFETY: what it adds to its sendable base class is behind a mutex.
final class AnswersBeatOthers: ForwardingCache, @unchecked Sendable {
    private let own = Mutex<[ModelIdentifier: Place]>([:])

    private func note<M: CacheableModel>(_ models: [M]) throws(CacheError) {
        let place = try base.place()
        own.withLock { own in for case let name? in models.map(\.modelIdentifier) { own[name] = place } }
    }

    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        let changes = try base.write(contentsOf: models)
        try note(models)
        return changes
    }

    override func write<M: CacheableModel>(
        contentsOf models: [M], asOf place: Place
    ) throws(CacheError) -> WrittenChanges {
        // So that a wipe is found.
        let changes = try base.write(contentsOf: models, asOf: place)
        let free = models.filter { model in
            model.modelIdentifier.flatMap { name in own.withLock { $0[name] } }.map { $0.turn <= place.turn } ?? true
        }
        try base.write(contentsOf: free)
        return changes
    }
}
