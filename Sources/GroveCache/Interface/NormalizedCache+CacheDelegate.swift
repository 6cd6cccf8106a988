import Dispatch
import GroveCoding
public import GroveModel

/// The five methods of RocketData's cache delegate, for data providers.
///
/// A type that is neither ``CacheableModel`` nor `Codable` is refused with code `notCacheable`. The completion of a
/// read gets that error; the observer and `flush()` get it for a write. Contexts are ignored.
extension NormalizedCache: CacheDelegate {
    /// Reads a model on a queue of the cache; see ``CacheDelegate/modelForKey(_:context:completion:)``.
    ///
    /// ```swift
    /// cache.modelForKey("Message:34", context: nil) { (message: Message?, _) in show(message) }
    /// ```
    public func modelForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable (T?, (any Error)?) -> Void
    ) {
        answer(completion) { () throws(CacheError) in try self.modelNow(cacheKey, nil) }
    }

    /// Encodes the model on the calling thread, queues it and returns.
    ///
    /// ```swift
    /// cache.setModel(message, forKey: "Message:34", context: nil)
    /// ```
    public func setModel(_ model: any SimpleModel, forKey cacheKey: String, context: (any Sendable)?) {
        set(model, cacheKey, origin: .none)
    }

    /// Reads a collection on a queue of the cache; the read is a miss if an element is missing.
    ///
    /// ```swift
    /// cache.collectionForKey("inbox", context: nil) { (messages: [Message]?, _) in show(messages ?? []) }
    /// ```
    public func collectionForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable ([T]?, (any Error)?) -> Void
    ) {
        collectionForKey(cacheKey, missing: .miss, context: context, completion: completion)
    }

    /// Reads a collection on a queue of the cache; see ``CacheReader/readCollection(_:of:in:missing:maxAge:)``.
    ///
    /// ```swift
    /// cache.collectionForKey("inbox", missing: .skip, context: nil) { (messages: [Message]?, _) in
    ///     show(messages ?? [])
    /// }
    /// ```
    public func collectionForKey<T: SimpleModel>(
        _ cacheKey: String?, missing: MissingElements, context: (any Sendable)?,
        completion: @escaping @Sendable ([T]?, (any Error)?) -> Void
    ) {
        answer(completion) { () throws(CacheError) in try self.collectionNow(cacheKey, missing) }
    }

    /// Encodes the collection on the calling thread, queues it and returns.
    ///
    /// ```swift
    /// cache.setCollection(messages, forKey: "inbox", context: nil)
    /// ```
    public func setCollection(_ collection: [any SimpleModel], forKey cacheKey: String, context: (any Sendable)?) {
        edit(.set(collection), cacheKey, origin: .none)
    }

    /// Queues the deletion and returns.
    ///
    /// ```swift
    /// cache.deleteModel(message, forKey: nil, context: nil)
    /// ```
    public func deleteModel(_ model: any SimpleModel, forKey cacheKey: String?, context: (any Sendable)?) {
        delete(model.modelIdentifier, cacheKey, origin: .none)
    }

    // MARK: Types known only at run time

    /// Calls `completion` with the outcome of `read`, on a queue of the cache.
    private func answer<Value>(
        _ completion: @escaping @Sendable (Value?, (any Error)?) -> Void,
        _ read: @escaping @Sendable () throws(CacheError) -> Value?
    ) {
        core.readers.queue.async {
            do throws(CacheError) {
                completion(try read(), nil)
            } catch {
                completion(nil, error)
            }
        }
    }

    private func modelNow<T: SimpleModel>(_ key: String?, _ maxAge: Double?) throws(CacheError) -> T? {
        guard let key else { return nil }
        return try read(.key(key), asAny: T.self, maxAge: maxAge).value as? T
    }

    private func collectionNow<T: SimpleModel>(
        _ key: String?, _ missing: MissingElements, _ maxAge: Double? = nil
    ) throws(CacheError) -> [T]? {
        guard let key else { return nil }
        return try readCollection(key, ofAny: T.self, missing: missing, maxAge: maxAge).value?.elements
    }
}

extension NormalizedCache: ExpiringCacheDelegate {
    /// Reads a model that is at most `maxAge` seconds old on a queue of the cache; ``CacheReader`` defines ages.
    ///
    /// ```swift
    /// cache.modelForKey("Message:34", maxAge: 60, context: nil) { (message: Message?, _) in show(message) }
    /// ```
    ///
    /// If the key is an alias, the alias has to be young enough too.
    public func modelForKey<T: SimpleModel>(
        _ cacheKey: String?, maxAge: Double, context: (any Sendable)?,
        completion: @escaping @Sendable (T?, (any Error)?) -> Void
    ) {
        answer(completion) { () throws(CacheError) in try self.modelNow(cacheKey, maxAge) }
    }

    /// Reads a collection that is at most `maxAge` seconds old on a queue of the cache; ``CacheReader`` defines ages.
    ///
    /// ```swift
    /// cache.collectionForKey("inbox", maxAge: 60, context: nil) { (messages: [Message]?, _) in
    ///     show(messages ?? [])
    /// }
    /// ```
    public func collectionForKey<T: SimpleModel>(
        _ cacheKey: String?, maxAge: Double, context: (any Sendable)?,
        completion: @escaping @Sendable ([T]?, (any Error)?) -> Void
    ) {
        answer(completion) { () throws(CacheError) in try self.collectionNow(cacheKey, .miss, maxAge) }
    }
}
