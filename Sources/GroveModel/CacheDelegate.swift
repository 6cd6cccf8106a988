/// A cache of models, as a data provider sees it.
///
/// Every completion is called exactly once: on a hit with the value, on a miss with `nil` and no error, and where the
/// cache could not find out with an error, also after the cache was closed. Completions run on any thread.
///
/// Writes return at once and never block on the disk. One caller's writes apply in call order, and a read issued after
/// a write sees it. A write that fails later is reported to the cache's observer and to its `flush()`.
public protocol CacheDelegate: Sendable {
    /// Reads the model that was last set under `cacheKey`, whole and in its newest version.
    ///
    /// - Parameters:
    ///   - cacheKey: the key, by default the model's identifier; `nil` is a miss.
    ///   - context: whatever the caller passed along; a cache may ignore it.
    ///   - completion: called exactly once.
    func modelForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable (T?, (any Error)?) -> Void)

    /// Stores `model`, and every identified model in its tree, and lets `cacheKey` find it.
    func setModel(_ model: any SimpleModel, forKey cacheKey: String, context: (any Sendable)?)

    /// Reads the collection that was last set under `cacheKey`, each element in its newest version.
    ///
    /// An empty collection is a hit; an absent one is a miss. Deleted elements are left out.
    func collectionForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable ([T]?, (any Error)?) -> Void)

    /// Reads as ``collectionForKey(_:context:completion:)`` does, and says what an element means that the cache does not
    /// have, or not all of.
    ///
    /// The default ignores `missing`: a cache that stores lists whole has all elements or none.
    func collectionForKey<T: SimpleModel>(
        _ cacheKey: String?, missing: MissingElements, context: (any Sendable)?,
        completion: @escaping @Sendable ([T]?, (any Error)?) -> Void)

    /// Stores `collection` under `cacheKey`, in order, duplicates kept, and every identified model in it.
    ///
    /// Collection keys and model keys never meet.
    func setCollection(_ collection: [any SimpleModel], forKey cacheKey: String, context: (any Sendable)?)

    /// Stores a list that a provider holds, after an edit of it.
    ///
    /// A cache that stores edits as edits keeps in `version` which of its calls last stored the list. Where that is still the
    /// list that it has, the edit is enough; where it is not, because others changed the list or it was forgotten, the
    /// whole list is stored.
    ///
    /// The default stores the whole list, by ``setCollection(_:forKey:context:)``.
    ///
    /// - Parameters:
    ///   - list: makes the whole list as it is after the edit; any thread may call it, also later. Once `version` has a note,
    ///     elements may be older than what other calls stored of them: then only which is where is to be stored.
    ///   - edit: what changed since the last call with this `version`, or at least which elements came; `nil` where everything
    ///     may have changed. A cache that stores each model once stores those of `edit`: it has the others.
    ///   - version: the same from edit to edit.
    func saveList(
        _ list: @escaping @Sendable () -> [any SimpleModel], after edit: ListEdit?, of version: ListVersion,
        forKey cacheKey: String, context: (any Sendable)?)

    /// Deletes `model`: it stays deleted, in every tree and collection that held it, until it is written again.
    ///
    /// - Parameter cacheKey: a key under which it was set, which then finds nothing; `nil` where there is none.
    func deleteModel(_ model: any SimpleModel, forKey cacheKey: String?, context: (any Sendable)?)

    /// Empties the cache, and returns when nothing of its content is left.
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

    /// Stores the whole list.
    public func saveList(
        _ list: @escaping @Sendable () -> [any SimpleModel], after edit: ListEdit?, of version: ListVersion,
        forKey cacheKey: String, context: (any Sendable)?
    ) {
        setCollection(list(), forKey: cacheKey, context: context)
    }

    /// Says that this cache cannot be emptied.
    public func wipe() async throws(CacheError) {
        throw CacheError(.unsupported, "This cache cannot be emptied.")
    }
}
