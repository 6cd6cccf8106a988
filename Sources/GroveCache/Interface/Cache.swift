public import GroveCoding
public import GroveModel

/// A cache of any backend: the type for code that should not be generic over the backend.
///
/// ```swift
/// final class Inbox: Sendable {
///     let cache: any Cache
///     init(cache: any Cache) { self.cache = cache }
///
///     func markRead(_ id: Int) async throws {
///         try await cache.update(Message.self, id: id) { $0.isRead = true }
///     }
/// }
/// ```
///
/// ``NormalizedCache`` is the only type that conforms.
public protocol Cache: CacheReader, CacheWriter, ExpiringCacheDelegate {
    /// The handle on the store.
    var _handle: _CacheHandle { get }
}

extension NormalizedCache: Cache {}

extension Cache {
    var core: CacheCore { _handle.core }
    var handle: HandleID { _handle.id }

    func checkOpen() throws(CacheError) { try _handle.checkOpen() }

    /// A stream of the changes of the model of type `M` whose identity is `id`; see ``Cache/changes(of:)``.
    ///
    /// ```swift
    /// for await _ in cache.changes(of: Message.self, id: 34) {
    ///     show(try cache.model(Message.self, id: 34))
    /// }
    /// ```
    public func changes<M: KeyedModel>(of type: M.Type, id: M.ModelID) -> CacheChanges<CacheChange> {
        changes(of: M.modelIdentifier(for: id))
    }

    /// Deletes every model of type `M`, in one transaction.
    ///
    /// ``CacheReader/identifiers(of:after:limit:)`` says how long it takes to find them.
    ///
    /// ```swift
    /// let forgotten = try cache.delete(allOf: Draft.self).deletedModelIds
    /// ```
    ///
    /// As after a wipe, no answer to an earlier request brings a model back. A write as of a place from before the call
    /// throws `cancelled`, whatever its type.
    @discardableResult
    public func delete<M: CacheableModel>(allOf type: M.Type) throws -> ChangeSet {
        try write(durability: .standard) { tx in try tx.delete(allOf: type) }
    }

    /// Commits the queued writes and closes this handle; the last handle on a store closes the store.
    ///
    /// ```swift
    /// try cache.flush(.durable)
    /// cache.close()
    /// ```
    ///
    /// Returns when the reads and writes that were under way are done. Later calls throw `closed`, or tell the observer
    /// if they cannot throw. Closing again does nothing.
    public func close() { _handle.close() }

    /// The size of the store now, without queued writes.
    ///
    /// ```swift
    /// let count = try cache.size().entries
    /// ```
    ///
    /// - Throws: ``CacheError`` with code `closed` or `inputOutput`.
    public func size() throws(CacheError) -> StoreSize {
        try checkOpen()
        return try core.withOpenStore { (store) throws(CacheError) in try store.size() }
    }

    /// The size of the store now, as the synchronous form returns it, without blocking the caller's thread.
    ///
    /// ```swift
    /// let count = try await cache.size().entries
    /// ```
    public func size() async throws(CacheError) -> StoreSize {
        try checkOpen()
        return try await core.withOpenStore { (store) throws(CacheError) in try store.size() }
    }
}
