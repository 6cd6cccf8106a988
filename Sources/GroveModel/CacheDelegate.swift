/// A cache of models, as a data provider sees it.
///
/// Every completion is called exactly once, even after the cache was closed. It gets the value on a hit, `nil` and no
/// error on a miss, and an error if the read failed. Completions run on any thread.
///
/// Writes return at once and never block on the disk. One caller's writes apply in call order, and a read issued after
/// a write sees it. A write that fails later is reported to the cache's observer and to its `flush()`.
public protocol CacheDelegate: Sendable {
    /// Reads the model that was last set under `cacheKey`, whole and in its newest version.
    ///
    /// - Parameters:
    ///   - cacheKey: the key, by default the model's identifier; `nil` is a miss.
    ///   - context: a value of the caller's; a cache may ignore it.
    ///   - completion: called exactly once.
    func modelForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable (T?, (any Error)?) -> Void)

    /// Stores `model` and every identified model in its tree, and makes `cacheKey` name it.
    func setModel(_ model: any SimpleModel, forKey cacheKey: String, context: (any Sendable)?)

    /// Reads the collection that was last set under `cacheKey`, each element in its newest version.
    ///
    /// An empty collection is a hit; an absent one is a miss. Deleted elements are left out.
    func collectionForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable ([T]?, (any Error)?) -> Void)

    /// Reads as ``collectionForKey(_:context:completion:)`` does; `missing` says how to treat missing elements.
    ///
    /// An element is missing if the cache does not have it, or has only a part of it. Either the read is then a miss,
    /// or the element is left out.
    ///
    /// The default ignores `missing`: a cache that stores whole lists has all elements or none.
    func collectionForKey<T: SimpleModel>(
        _ cacheKey: String?, missing: MissingElements, context: (any Sendable)?,
        completion: @escaping @Sendable ([T]?, (any Error)?) -> Void)

    /// Stores `collection` under `cacheKey`, in order and with duplicates, and every identified model in it.
    ///
    /// Keys of collections and keys of models are separate: one key can name a collection and a model.
    func setCollection(_ collection: [any SimpleModel], forKey cacheKey: String, context: (any Sendable)?)

    /// Deletes `model`: it stays deleted, in every tree and collection that held it, until it is written again.
    ///
    /// - Parameter cacheKey: a key under which the model was set; reading it is a miss afterwards. `nil` if there is
    ///   none.
    func deleteModel(_ model: any SimpleModel, forKey cacheKey: String?, context: (any Sendable)?)

    /// Empties the cache, and returns when none of its content is left.
    ///
    /// The default throws ``CacheError`` with code `unsupported`.
    func wipe() async throws(CacheError)
}

extension CacheDelegate {
    /// Reads the collection as it was stored.
    public func collectionForKey<T: SimpleModel>(
        _ cacheKey: String?, missing: MissingElements, context: (any Sendable)?,
        completion: @escaping @Sendable ([T]?, (any Error)?) -> Void
    ) {
        collectionForKey(cacheKey, context: context, completion: completion)
    }

    /// Says that this cache cannot be emptied.
    public func wipe() async throws(CacheError) {
        throw CacheError(.unsupported, "This cache cannot be emptied.")
    }
}
