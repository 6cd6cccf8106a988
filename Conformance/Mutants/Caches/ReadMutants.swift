import Dispatch
import GroveCache
import GroveCoding
import GroveConformance
import GroveModel
import Synchronization

/// What is absent is an error.
// SAFETY: it adds nothing to its sendable base class.
final class TakesAbsenceForError: ForwardingCache, @unchecked Sendable {
    override func modelForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable (T?, (any Error)?) -> Void
    ) {
        base.modelForKey(cacheKey, context: context) { (model: T?, error: (any Error)?) in
            completion(model, model == nil ? error ?? CacheError(.other, "There is nothing there.") : error)
        }
    }
}

/// A read that fails is a miss.
// SAFETY: it adds nothing to its sendable base class.
final class TakesErrorsForMisses: ForwardingCache, @unchecked Sendable {
    override func read<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type
    ) throws(CacheError) -> CacheRead<M> {
        (try? base.read(identifier, as: type)) ?? .miss(CacheMiss(.absent, identifier))
    }
}

/// A read in a child made by fork finds nothing and says nothing of that.
// SAFETY: it adds nothing to its sendable base class.
final class AnswersInChildren: ForwardingCache, @unchecked Sendable {
    override func read<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type
    ) throws(CacheError) -> CacheRead<M> {
        do throws(CacheError) {
            return try base.read(identifier, as: type)
        } catch {
            guard error.code == .unsupported else { throw error }
            return .miss(CacheMiss(.absent, identifier))
        }
    }
}

/// A record is found by the type that wrote it and by no other.
// SAFETY: what it adds to its sendable base class is behind a mutex.
final class TakesOneType: ForwardingCache, @unchecked Sendable {
    private let types = Mutex<[ModelIdentifier: ObjectIdentifier]>([:])

    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        for model in models { types.withLock { $0[model.modelIdentifier ?? ""] = ObjectIdentifier(M.self) } }
        return try base.write(contentsOf: models)
    }

    override func read<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type
    ) throws(CacheError) -> CacheRead<M> {
        let writer = types.withLock { $0[identifier] } ?? ObjectIdentifier(type)
        guard writer == ObjectIdentifier(type) else { return .miss(CacheMiss(.otherType, identifier)) }
        return try base.read(identifier, as: type)
    }
}

/// A hit makes the record new.
// SAFETY: it adds nothing to its sendable base class.
final class WritesOnHits: ForwardingCache, @unchecked Sendable {
    override func read<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type
    ) throws(CacheError) -> CacheRead<M> {
        let read = try base.read(identifier, as: type)
        if case .hit(let value) = read {
            try base.evict(identifier)
            try base.write(value)
        }
        return read
    }
}

/// After one node of another shape, nothing is found any more.
// SAFETY: what it adds to its sendable base class is behind a mutex.
final class IsSpoiled: ForwardingCache, @unchecked Sendable {
    private let isSpoiled = Mutex(false)

    override func read<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type
    ) throws(CacheError) -> CacheRead<M> {
        let read = try base.read(identifier, as: type)
        if isSpoiled.withLock({ $0 }) { return .miss(CacheMiss(.otherShape, identifier)) }
        if read.miss?.reason == .otherShape || read.miss?.reason == .incomplete { isSpoiled.withLock { $0 = true } }
        return read
    }
}

/// Completions are called under a lock that every call of the delegate's takes.
// SAFETY: what it adds to its sendable base class is a semaphore.
final class CompletesUnderLock: ForwardingCache, @unchecked Sendable {
    private let lock = DispatchSemaphore(value: 1)

    /// Gives up in the end, so that the process can go on.
    private func locked(_ body: () -> Void) {
        let outcome = lock.wait(timeout: .now() + 15)
        body()
        if outcome == .success { lock.signal() }
    }

    override func modelForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable (T?, (any Error)?) -> Void
    ) {
        base.modelForKey(cacheKey, context: context) { [self] (model: T?, error: (any Error)?) in
            locked { completion(model, error) }
        }
    }

    override func setModel(_ model: any SimpleModel, forKey cacheKey: String, context: (any Sendable)?) {
        locked { base.setModel(model, forKey: cacheKey, context: context) }
    }
}

/// Closing returns at once, whatever is under way.
// SAFETY: it adds nothing to its sendable base class.
final class ClosesInPassing: ForwardingCache, @unchecked Sendable {
    override func close() { Task.detached { [base] in base.close() } }
}
