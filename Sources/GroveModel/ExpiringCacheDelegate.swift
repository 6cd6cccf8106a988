/// A cache that knows when each model was last confirmed, so that data providers can skip the network.
///
/// A model's age counts from its last confirmation: the time of the request whose answer brought it, even if the answer
/// did not change it. A cache may report a model as older than it is, never as younger.
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
