import Dispatch
import GroveConsistency
public import GroveModel

extension DataModelManager {
    /// Updates every provider that holds `model` or anything in it, and the cache.
    ///
    /// - Parameters:
    ///   - updateCache: false to keep the change in memory only.
    ///   - context: passed to the delegates of the providers that change, and to the cache.
    public func updateModel<T: SimpleModel>(_ model: T, updateCache: Bool = true, context: (any Sendable)? = nil) {
        updateModels([model], updateCache: updateCache, context: context)
    }

    /// Updates `models`, which may be of several types, in one step: each provider is told once.
    public func updateModels(
        _ models: [any SimpleModel], updateCache: Bool = true, context: (any Sendable)? = nil
    ) {
        inOrder { _ in
            consistencyManager.post(models.map { Leaf.node($0) }, context: context)
            guard updateCache else { return }
            for model in models { store(model, context) }
        }
    }

    /// Deletes `model` from every provider, from the cache, and from whatever holds it.
    ///
    /// What cannot be without it is deleted too. To take a model out of one collection, use the collection's `remove`.
    public func deleteModel(_ model: any SimpleModel, updateCache: Bool = true, context: (any Sendable)? = nil) {
        inOrder { _ in
            if model.modelIdentifier != nil { consistencyManager.delete(Leaf.node(model), context: context) }
            guard updateCache else { return }
            let cache = cache
            onCache { cache.deleteModel(model, forKey: model.modelIdentifier?.rawValue, context: context) }
        }
    }

    /// Stores `model` in the cache, in the order of calls, and tells nobody.
    public func cacheModel<T: SimpleModel>(_ model: T, forKey cacheKey: String, context: (any Sendable)? = nil) {
        let cache = cache
        inOrder { _ in
            onCache { [weak self] in
                cache.setModel(model, forKey: cacheKey, context: context)
                self?.readWhatLacked([model])
            }
        }
    }

    /// Reads a model from the cache: with everything that was posted or deleted since the call, and what providers hold.
    ///
    /// - Parameter completion: called exactly once, on the main actor.
    public func modelFromCache<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)? = nil,
        completion: @escaping @MainActor @Sendable (T?, (any Error)?) -> Void
    ) {
        fetch(cacheKey, context) { [consistencyManager] (fetch, _, model: T?, error) in
            consistencyManager.endFetch(fetch, model: model.map { Leaf.node($0) }) { newest, _ in
                completion(newest.flatMap { Leaf.base($0) as? T }, error)
            }
        }
    }

    /// Stores a collection in the cache, in the order of calls, and tells nobody.
    public func cacheCollection(
        _ collection: [any SimpleModel], forKey cacheKey: String, context: (any Sendable)? = nil
    ) {
        let cache = cache
        inOrder { _ in
            onCache { [weak self] in
                cache.setCollection(collection, forKey: cacheKey, context: context)
                self?.readWhatLacked(collection)
            }
        }
    }

    /// Reads a collection from the cache, as ``modelFromCache(_:context:completion:)`` reads a model.
    ///
    /// - Parameter missing: what an element means that the cache does not have; by default the whole is a miss.
    public func collectionFromCache<T: SimpleModel>(
        _ cacheKey: String?, missing: MissingElements = .miss, context: (any Sendable)? = nil,
        completion: @escaping @MainActor @Sendable ([T]?, (any Error)?) -> Void
    ) {
        fetchCollection(cacheKey, missing, context) { [consistencyManager] (fetch, _, models: [T]?, error) in
            consistencyManager.graftFetched(fetch, models: (models ?? []).map { Leaf.node($0) }) { newest in
                completion(models.map { _ in newest.compactMap { $0.flatMap { Leaf.base($0) as? T } } }, error)
            }
            consistencyManager.joinFetched(fetch, nil, [])
        }
    }

    /// Queues a write of `model` under its identifier.
    ///
    /// Called in order.
    func store(_ model: any SimpleModel, _ context: (any Sendable)?) {
        guard let identifier = model.modelIdentifier else { return }
        let cache = cache
        onCache { [weak self] in
            cache.setModel(model, forKey: identifier.rawValue, context: context)
            self?.readWhatLacked([model])
        }
    }

    /// Reads a model; `finish` is given the fetch, which it must end, and the epoch of the call.
    func fetch<T: SimpleModel>(
        _ key: String?, _ context: (any Sendable)?, for subscription: SubscriptionKey? = nil,
        _ finish: @escaping @Sendable (UInt64, Int, T?, (any Error)?) -> Void
    ) {
        let cache = cache
        inOrder { epoch in
            let fetch = consistencyManager.beginFetch(for: subscription)
            onCache {
                cache.modelForKey(key, context: context) { (model: T?, error) in
                    self.isOver(epoch)
                        ? finish(fetch, epoch, nil, CacheError.wiped) : finish(fetch, epoch, model, error)
                }
            }
        }
    }

    func fetchCollection<T: SimpleModel>(
        _ key: String?, _ missing: MissingElements, _ context: (any Sendable)?,
        _ finish: @escaping @Sendable (UInt64, Int, [T]?, (any Error)?) -> Void
    ) {
        let cache = cache
        inOrder { epoch in
            let fetch = consistencyManager.beginFetch()
            onCache {
                cache.collectionForKey(key, missing: missing, context: context) { (models: [T]?, error) in
                    self.isOver(epoch)
                        ? finish(fetch, epoch, nil, CacheError.wiped) : finish(fetch, epoch, models, error)
                }
            }
        }
    }

    /// Whether there was a wipe since `epoch`.
    func isOver(_ epoch: Int) -> Bool { self.epoch.withLock { $0 != epoch } }
}

extension CacheError {
    static var wiped: CacheError { CacheError(.cancelled, "Everything was wiped before the fetch was done.") }
}
