import GroveModel

/// A delegate whose methods call those of another delegate.
protocol ForwardingDelegate: CacheDelegate {
    associatedtype Delegate: CacheDelegate

    /// The delegate whose methods are called.
    var delegate: Delegate { get }
}

extension ForwardingDelegate {
    func modelForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable (T?, (any Error)?) -> Void
    ) {
        delegate.modelForKey(cacheKey, context: context, completion: completion)
    }

    func setModel(_ model: any SimpleModel, forKey cacheKey: String, context: (any Sendable)?) {
        delegate.setModel(model, forKey: cacheKey, context: context)
    }

    func collectionForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable ([T]?, (any Error)?) -> Void
    ) {
        delegate.collectionForKey(cacheKey, context: context, completion: completion)
    }

    func setCollection(_ collection: [any SimpleModel], forKey cacheKey: String, context: (any Sendable)?) {
        delegate.setCollection(collection, forKey: cacheKey, context: context)
    }

    func deleteModel(_ model: any SimpleModel, forKey cacheKey: String?, context: (any Sendable)?) {
        delegate.deleteModel(model, forKey: cacheKey, context: context)
    }
}
