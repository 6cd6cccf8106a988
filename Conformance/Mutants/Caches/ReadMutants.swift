import Dispatch
import GroveCache
import GroveConformance
import GroveModel
import Synchronization

/// What is absent is an error.
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
final class TakesErrorsForMisses: ForwardingCache, @unchecked Sendable {
    override func read<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type
    ) throws(CacheError) -> CacheRead<M> {
        (try? base.read(identifier, as: type)) ?? .miss(CacheMiss(.absent, identifier))
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
final class ClosesInPassing: ForwardingCache, @unchecked Sendable {
    override func close() { Task.detached { [base] in base.close() } }
}
