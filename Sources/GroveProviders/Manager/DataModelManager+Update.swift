import GroveConsistency
public import GroveModel

extension DataModelManager {
    /// Changes the model of type `M` whose identity is `id`, on every screen and in the cache.
    ///
    /// ```swift
    /// try await manager.update(Message.self, id: 34) { $0.isRead = true }
    /// ```
    ///
    /// Screens change as by ``updateModel(_:updateCache:context:)``, without waiting for the cache. In the cache,
    /// `change` is applied to the stored model. No other writer, in this process or another one, comes between the read
    /// and the write. So changes by others stay, and show. If `change` leaves the model as it was, nothing is written.
    /// A model that is shown but not in the cache is stored as it is shown.
    ///
    /// With a cache that is only a ``CacheDelegate``, the shown model is changed and stored as a whole. If no screen
    /// shows it, the cached model is.
    ///
    /// - Parameters:
    ///   - missing: whether to throw or to do nothing if the model is neither shown nor in the cache.
    ///   - context: passed to the delegates of the providers that change, and to a cache that is only a
    ///     ``CacheDelegate``.
    ///   - change: called on the main actor with the shown model, if there is one, and on another thread with the
    ///     stored one.
    /// - Returns: the model as it is stored; `nil` if it is missing and `missing` is `.ignore`.
    /// - Throws: the error of `change`, or ``CacheError`` with code `missing`. If the cache refuses to store the model,
    ///   its error; then screens show the model as it was, unless it was changed again meanwhile.
    @MainActor
    @discardableResult
    public func update<M: KeyedModel>(
        _ type: M.Type, id: M.ModelID, ifMissing missing: MissingModel = .fail, context: (any Sendable)? = nil,
        _ change: @escaping @Sendable (inout M) throws -> Void
    ) async throws -> M? {
        let identifier = M.modelIdentifier(for: id)
        let began = lifeNow
        // Data from before a wipe are on their way out.
        let former = isBehindAWipe ? nil : screens.shownModel(identifier, as: type)
        var model = former
        if let former {
            let changed = try former.changed(by: change)
            if !changed.isEqual(to: former) { updateModel(changed, updateCache: false, context: context) }
            model = changed
        }
        if let cache = cacheDelegate as? any FollowableCache {
            do {
                return try await update(identifier, type, in: cache, change)
            } catch let error as CacheError where error.code == .missing {
                // A model that another writer has deleted stays deleted, also before that shows.
                if error.miss?.reason == .deleted {
                    model = nil
                    markStale(CollectionOfOne(.model(identifier)))
                }
                guard model != nil || missing == .ignore else { throw error }
            } catch {
                await consistencyManager.flush()
                // A change by others meanwhile stays.
                if let former, let model, screens.shownModel(identifier, as: type)?.isEqual(to: model) == true {
                    updateModel(former, updateCache: false, context: context)
                }
                throw error
            }
        } else if model == nil {
            model = try await cachedModel(identifier, as: type)?.changed(by: change)
            guard model != nil || missing == .ignore else { throw CacheError(CacheMiss(.absent, identifier)) }
        }
        guard lifeNow == began else { throw CacheError.wiped }
        if let model { updateModel(model, context: context) }
        return model
    }

    private func update<M: SimpleModel>(
        _ identifier: ModelIdentifier, _ type: M.Type, in cache: any FollowableCache,
        _ change: @escaping @Sendable (inout M) throws -> Void
    ) async throws -> M {
        try await withCheckedThrowingContinuation { continuation in
            // Behind earlier saves.
            inOrder { _ in
                onCache { cache.update(identifier, as: type, change) { continuation.resume(with: $0) } }
            }
        }
    }

    private func cachedModel<M: SimpleModel>(_ identifier: ModelIdentifier, as type: M.Type) async throws -> M? {
        try await withCheckedThrowingContinuation { continuation in
            modelFromCache(identifier.rawValue) { (model: M?, error) in
                if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: model) }
            }
        }
    }
}

extension SimpleModel {
    fileprivate func changed(by change: (inout Self) throws -> Void) rethrows -> Self {
        var model = self
        try change(&model)
        return model
    }
}
