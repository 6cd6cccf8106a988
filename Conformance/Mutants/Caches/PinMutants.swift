import GroveCache
import GroveCoding
import GroveConformance
import GroveModel
import Synchronization

/// Retaining does nothing.
// SAFETY: it adds nothing to its sendable base class.
final class PinsNothing: ForwardingCache, @unchecked Sendable {
    override func retain(_ identifier: ModelIdentifier) throws(CacheError) {}
    override func retain(collection key: String) throws(CacheError) {}
}

/// What was retained once is retained for ever.
// SAFETY: it adds nothing to its sendable base class.
final class NeverReleases: ForwardingCache, @unchecked Sendable {
    override func release(_ identifier: ModelIdentifier) throws(CacheError) {}
    override func release(collection key: String) throws(CacheError) {}
}

/// A pin for which there is no room is taken for one, and so is a write under it.
// SAFETY: it adds nothing to its sendable base class.
final class PinsPastBudget: ForwardingCache, @unchecked Sendable {
    override func retain(_ identifier: ModelIdentifier) throws(CacheError) {
        do throws(CacheError) {
            try base.retain(identifier)
        } catch {
            guard error.code == .overBudget else { throw error }
        }
    }
}

/// What is written after something was retained is not held by it.
// SAFETY: what it adds to its sendable base class is behind a mutex.
final class PinsWhatIsThere: ForwardingCache, @unchecked Sendable {
    private let retained = Mutex<Set<ModelIdentifier>>([])

    override func retain(_ identifier: ModelIdentifier) throws(CacheError) {
        try base.retain(identifier)
        retained.withLock { _ = $0.insert(identifier) }
    }

    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        for identifier in retained.withLock({ $0 })
        where models.contains(where: { $0.modelIdentifier == identifier }) {
            try base.release(identifier)
        }
        return try base.write(contentsOf: models)
    }
}

/// One release takes back all that was retained under a name.
// SAFETY: it adds nothing to its sendable base class.
final class ForgetsCount: ForwardingCache, @unchecked Sendable {
    override func release(_ identifier: ModelIdentifier) throws(CacheError) {
        for _ in 0..<4 { try base.release(identifier) }
    }
}
