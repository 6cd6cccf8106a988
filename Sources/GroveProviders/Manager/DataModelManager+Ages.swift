import Dispatch
import GroveModel

/// What the cache says of ages, where it is one that knows them.
extension DataModelManager {
    /// Whether the cache has a model of type `T` under `key` that was confirmed within `maxAge` seconds, all of it.
    @MainActor
    func isModelFresh<T: SimpleModel>(_ key: String?, as type: T.Type, maxAge: Double) async throws -> Bool {
        try await isFresh(key) { cache, answer in
            cache.modelForKey(key, maxAge: maxAge, context: nil) { (model: T?, _) in answer(model != nil) }
        }
    }

    /// Whether the cache has a collection of `T` under `key` that was confirmed within `maxAge` seconds, all of it.
    @MainActor
    func isCollectionFresh<T: SimpleModel>(_ key: String?, of type: T.Type, maxAge: Double) async throws -> Bool {
        try await isFresh(key) { cache, answer in
            cache.collectionForKey(key, maxAge: maxAge, context: nil) { (models: [T]?, _) in answer(models != nil) }
        }
    }

    /// Asks the cache in its turn, behind what was set before.
    ///
    /// A cache that cannot find out has nothing that is fresh.
    ///
    /// - Throws: `CancellationError` when the task is cancelled.
    @MainActor
    private func isFresh(
        _ key: String?,
        _ ask: @escaping @Sendable (any ExpiringCacheDelegate, @escaping @Sendable (Bool) -> Void) -> Void
    ) async throws -> Bool {
        guard key != nil, let cache = cacheDelegate as? any ExpiringCacheDelegate else { return false }
        let isFresh: Bool? = try await awaitOnce { completion in
            self.inOrder { _ in
                self.onCache {
                    ask(cache) { isFresh in Task { @MainActor in completion(isFresh, nil) } }
                }
            }
        }
        return isFresh ?? false
    }
}
