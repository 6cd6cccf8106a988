/// A cache that knows when it was last told what it holds, as data providers use it to do without the network.
///
/// A model's age counts from its last confirmation: when a server's answer with it was stored, even if it was as before. A cache may
/// take a model for older than it is, never for younger.
public protocol ExpiringCacheDelegate: CacheDelegate {
    /// Reads as ``CacheDelegate/modelForKey(_:context:completion:)`` does; what was last confirmed longer ago than `maxAge`
    /// seconds is missing, and so is what holds it.
    func modelForKey<T: SimpleModel>(
        _ cacheKey: String?, maxAge: Double, context: (any Sendable)?,
        completion: @escaping @Sendable (T?, (any Error)?) -> Void)

    /// Reads as ``CacheDelegate/collectionForKey(_:context:completion:)`` does; the collection, and each model in it, is
    /// missing where it was last confirmed longer ago than `maxAge` seconds.
    func collectionForKey<T: SimpleModel>(
        _ cacheKey: String?, maxAge: Double, context: (any Sendable)?,
        completion: @escaping @Sendable ([T]?, (any Error)?) -> Void)
}
