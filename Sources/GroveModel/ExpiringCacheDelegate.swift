/// A cache that knows when each model was last confirmed, so that data providers can do without the network.
///
/// A model's age counts from its last confirmation: the moment at which a server's answer with it was stored, even if
/// the model did not change. A cache may take a model for older than it is, never for younger.
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
