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
/// ``NormalizedCache`` is the only type that conforms, and it documents the calls.
public protocol Cache: CacheReader, CacheWriter, ExpiringCacheDelegate {
    /// Performs one call that writes what `content` makes, without blocking the caller's thread.
    func _performAsync(
        _ durability: Durability, _ content: () throws(CacheError) -> _WriteContent
    ) async throws(CacheError) -> ChangeSet

    // MARK: Several calls at once

    /// See ``NormalizedCache/read(_:)``.
    func read<Value>(_ body: (borrowing CacheView) throws -> Value) throws -> Value

    /// See ``NormalizedCache/read(_:)``.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing CacheView) throws -> Value
    ) async throws -> Value

    /// See ``NormalizedCache/write(durability:_:)``.
    @discardableResult
    func write<Value>(
        durability: Durability, _ body: (borrowing CacheTransaction) throws -> Value
    ) throws -> Value

    /// See ``NormalizedCache/write(durability:_:)``.
    @discardableResult
    func write<Value: Sendable>(
        durability: Durability, _ body: @escaping @Sendable (borrowing CacheTransaction) throws -> Value
    ) async throws -> Value

    // MARK: Changes

    /// See ``NormalizedCache/changes()``.
    func changes() -> CacheChanges<ChangeSet>

    /// See ``NormalizedCache/changes(since:)``.
    func changes(since token: ChangeToken?) -> CacheChanges<ChangeSet>

    /// See ``NormalizedCache/changes(of:)``.
    func changes(of identifier: ModelIdentifier) -> CacheChanges<CacheChange>

    /// See ``NormalizedCache/noticeCommitsOfOtherProcesses()``.
    func noticeCommitsOfOtherProcesses()

    /// See ``NormalizedCache/place()``.
    func place() -> Place

    // MARK: Pins

    /// See ``NormalizedCache/retain(_:)``.
    func retain(_ identifier: ModelIdentifier) throws(CacheError)

    /// See ``NormalizedCache/retain(_:)``.
    func retain(_ identifier: ModelIdentifier) async throws(CacheError)

    /// See ``NormalizedCache/retain(collection:)``.
    func retain(collection key: String) throws(CacheError)

    /// See ``NormalizedCache/retain(collection:)``.
    func retain(collection key: String) async throws(CacheError)

    /// See ``NormalizedCache/release(_:)``.
    func release(_ identifier: ModelIdentifier) throws(CacheError)

    /// See ``NormalizedCache/release(_:)``.
    func release(_ identifier: ModelIdentifier) async throws(CacheError)

    /// See ``NormalizedCache/release(collection:)``.
    func release(collection key: String) throws(CacheError)

    /// See ``NormalizedCache/release(collection:)``.
    func release(collection key: String) async throws(CacheError)

    // MARK: The store

    /// See ``NormalizedCache/flush(_:)``.
    func flush(_ durability: Durability) throws(CacheError)

    /// See ``NormalizedCache/flush(_:)``.
    func flush(_ durability: Durability) async throws(CacheError)

    /// See ``NormalizedCache/wipe()``.
    func wipe() throws(CacheError)

    /// See ``NormalizedCache/suspend()``.
    func suspend() throws(CacheError)

    /// See ``NormalizedCache/suspend()``.
    func suspend() async throws(CacheError)

    /// See ``NormalizedCache/resume()``.
    func resume() throws(CacheError)

    /// See ``NormalizedCache/resume()``.
    func resume() async throws(CacheError)

    /// See ``NormalizedCache/size()``.
    func size() throws(CacheError) -> StoreSize

    /// See ``NormalizedCache/usage()``.
    func usage() throws(CacheError) -> CacheUsage

    /// See ``NormalizedCache/close()``.
    func close()
}

extension NormalizedCache: Cache {
    /// Performs one call that writes what `content` makes, without blocking the caller's thread.
    public func _performAsync(
        _ durability: Durability, _ content: () throws(CacheError) -> _WriteContent
    ) async throws(CacheError) -> ChangeSet {
        try await performAsync(durability) { () throws(CacheError) in try content().content }
    }
}

/// The calls with default arguments, which a protocol's requirements cannot have.
extension Cache {
    /// Runs `body` in one transaction; see ``NormalizedCache/write(durability:_:)``.
    ///
    /// ```swift
    /// try cache.write { tx in try tx.write(message) }
    /// ```
    @_disfavoredOverload
    @discardableResult
    public func write<Value>(_ body: (borrowing CacheTransaction) throws -> Value) throws -> Value {
        try write(durability: .standard, body)
    }

    /// Runs `body` in one transaction, on the writer's queue; see ``NormalizedCache/write(durability:_:)``.
    ///
    /// ```swift
    /// try await cache.write { tx in try tx.write(message) }
    /// ```
    @_disfavoredOverload
    @discardableResult
    public func write<Value: Sendable>(
        _ body: @escaping @Sendable (borrowing CacheTransaction) throws -> Value
    ) async throws -> Value {
        try await write(durability: .standard, body)
    }

    /// Returns when everything that was queued before is committed; see ``NormalizedCache/flush(_:)``.
    ///
    /// ```swift
    /// try cache.flush()
    /// ```
    @_disfavoredOverload
    public func flush() throws(CacheError) { try flush(.standard) }

    /// Returns when everything that was queued before is committed; see ``NormalizedCache/flush(_:)``.
    ///
    /// ```swift
    /// try await cache.flush()
    /// ```
    @_disfavoredOverload
    public func flush() async throws(CacheError) { try await flush(.standard) }

    /// A stream of the changes of the model of type `M` whose identity is `id`; see ``NormalizedCache/changes(of:)``.
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
}
