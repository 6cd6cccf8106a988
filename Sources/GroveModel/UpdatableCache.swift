/// How a call that changes a model treats a missing model.
public enum MissingModel: Sendable {
    /// The call throws ``CacheError`` with code `missing`, which says why and which node is missing.
    case fail
    /// The call does nothing.
    case ignore
}

/// A cache that changes a model in place, so that no other writer comes between the read and the write.
public protocol UpdatableCache: FollowableCache {
    /// Reads the model of `identifier`, lets `change` change it, and stores it if it differs then; returns at once.
    ///
    /// Every follower of the cache is told, the caller too.
    ///
    /// - Parameters:
    ///   - change: called once, on a queue of the cache, unless the model is missing.
    ///   - completion: called once, on any thread: with the model as it is stored, with ``CacheError`` of code
    ///     `missing` if it is missing, or with the error that `change` throws.
    func update<T: SimpleModel>(
        _ identifier: ModelIdentifier, as type: T.Type, _ change: @escaping @Sendable (inout T) throws -> Void,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void)
}
