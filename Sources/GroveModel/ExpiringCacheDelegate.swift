/// A cache that knows when each model was last confirmed, so that data providers can skip the network.
///
/// A model's age counts from its last confirmation by a server's answer, even if the answer did not change the model.
/// The caches of Grove count from the time of the request. Another cache may count from the call that stored the
/// answer. A cache may round ages up, never down.
public protocol ExpiringCacheDelegate: CacheDelegate {
    /// Reads as ``CacheDelegate/modelForKey(_:context:completion:)`` does, but a model is missing if it, or a model in
    /// it, was last confirmed more than `maxAge` seconds ago.
    func modelForKey<T: SimpleModel>(
        _ cacheKey: String?, maxAge: Double, context: (any Sendable)?,
        completion: @escaping @Sendable (T?, (any Error)?) -> Void)

    /// Reads as ``CacheDelegate/collectionForKey(_:context:completion:)`` does, but the collection, and each model in
    /// it, is missing if it was last confirmed more than `maxAge` seconds ago.
    func collectionForKey<T: SimpleModel>(
        _ cacheKey: String?, maxAge: Double, context: (any Sendable)?,
        completion: @escaping @Sendable ([T]?, (any Error)?) -> Void)
}
