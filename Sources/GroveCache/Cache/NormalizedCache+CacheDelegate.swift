import Dispatch
public import GroveModel

/// RocketData's five methods, for data providers.
///
/// A type that is neither ``CacheableModel`` nor `Codable` is refused with code `notCacheable`: to the completion of a
/// read, and to the observer and `flush()` of a write. Contexts are ignored.
extension NormalizedCache: CacheDelegate {
    /// Reads a model on a queue of the cache; see ``CacheDelegate/modelForKey(_:context:completion:)``.
    public func modelForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable (T?, (any Error)?) -> Void
    ) {
        core.readers.async { [self] in
            let outcome: Result<T?, CacheError>
            do throws(CacheError) {
                outcome = .success(try modelNow(cacheKey))
            } catch {
                outcome = .failure(error)
            }
            switch outcome {
            case .success(let model): completion(model, nil)
            case .failure(let error): completion(nil, error)
            }
        }
    }

    /// Takes the model apart on the calling thread, queues it and returns.
    public func setModel(_ model: any SimpleModel, forKey cacheKey: String, context: (any Sendable)?) {
        enqueue { () throws(CacheError) in
            let key = ModelIdentifier(cacheKey)
            try NormalizedCache.check(key)
            let encoded = try DynamicRoots([model])
            let root = encoded.roots[0]
            guard root.isReference else {
                throw CacheError(.unidentified, "A model without an identifier cannot be cached by itself.")
            }
            // A reference that carries a case is kept even under the identifier itself: the identifier alone would not
            // tell an enum which case it was.
            if root.hasCase || !root.identifier.elementsEqual(cacheKey.utf8) {
                return PendingWrite.Content(
                    tree: encoded.tree, extras: [.alias(key: Array(cacheKey.utf8), body: encoded.references)])
            }
            return PendingWrite.Content(
                tree: encoded.tree, extras: [.remove(storeKey: [Namespace.alias] + Array(cacheKey.utf8))])
        }
    }

    /// Reads a collection on a queue of the cache; an element that is missing makes it a miss.
    public func collectionForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable ([T]?, (any Error)?) -> Void
    ) {
        core.readers.async { [self] in
            let outcome: Result<[T]?, CacheError>
            do throws(CacheError) {
                outcome = .success(try collectionNow(cacheKey))
            } catch {
                outcome = .failure(error)
            }
            switch outcome {
            case .success(let models): completion(models, nil)
            case .failure(let error): completion(nil, error)
            }
        }
    }

    /// Takes the collection apart on the calling thread, queues it and returns.
    public func setCollection(_ collection: [any SimpleModel], forKey cacheKey: String, context: (any Sendable)?) {
        enqueue { () throws(CacheError) in
            try NormalizedCache.check(ModelIdentifier(cacheKey))
            let encoded = try DynamicRoots(collection)
            let extra = EncodedRoots.collection(
                cacheKey, count: encoded.roots.count, encoded.references,
                holdsReferences: !encoded.tree.entries.isEmpty)
            return PendingWrite.Content(tree: encoded.tree, extras: [extra])
        }
    }

    /// Queues the deletion and returns.
    public func deleteModel(_ model: any SimpleModel, forKey cacheKey: String?, context: (any Sendable)?) {
        enqueue { () throws(CacheError) in
            var extras: [PendingWrite.Extra] = []
            if let identifier = model.modelIdentifier {
                try NormalizedCache.check(identifier)
                extras.append(.tombstone(identifier))
            }
            if let cacheKey {
                try NormalizedCache.check(ModelIdentifier(cacheKey))
                extras.append(.remove(storeKey: [Namespace.alias] + Array(cacheKey.utf8)))
            }
            guard !extras.isEmpty else {
                throw CacheError(.unidentified, "A model without an identifier can be deleted only by its key.")
            }
            return PendingWrite.Content(extras: extras)
        }
    }

    // MARK: Types known only at run time

    private func modelNow<T: SimpleModel>(_ key: String?) throws(CacheError) -> T? {
        guard let key else { return nil }
        if let type = T.self as? any CacheableModel.Type { return try model(key, type) as? T }
        if let type = T.self as? any (SimpleModel & Codable).Type { return try codableModel(key, type) as? T }
        throw DynamicRoots.notCacheable(T.self)
    }

    private func model<M: CacheableModel>(_ key: String, _ type: M.Type) throws(CacheError) -> (any SimpleModel)? {
        try readKey(key, as: type).value
    }

    private func codableModel<M: SimpleModel & Codable>(
        _ key: String, _ type: M.Type
    ) throws(CacheError) -> (any SimpleModel)? {
        try readKey(key, as: CodableNode<M>.self).value?.base
    }

    private func collectionNow<T: SimpleModel>(_ key: String?) throws(CacheError) -> [T]? {
        guard let key else { return nil }
        if let type = T.self as? any CacheableModel.Type { return try collection(key, type) as? [T] }
        if let type = T.self as? any (SimpleModel & Codable).Type { return try codableCollection(key, type) as? [T] }
        throw DynamicRoots.notCacheable(T.self)
    }

    private func collection<M: CacheableModel>(_ key: String, _ type: M.Type) throws(CacheError) -> (any Sendable)? {
        try collection(key, as: type, missing: .miss)
    }

    private func codableCollection<M: SimpleModel & Codable>(
        _ key: String, _ type: M.Type
    ) throws(CacheError) -> (any Sendable)? {
        try collection(key, as: CodableNode<M>.self, missing: .miss)?.map(\.base)
    }
}
