public import GroveCoding
public import GroveModel

/// Models under cache keys of their own, as `setModel` and `modelForKey` have them: a key that is not the model's
/// identifier is an alias, a record that names the model.
extension NormalizedCache {
    /// Reads what was last set under `key` by ``write(_:forKey:durability:)`` or `setModel`: the model that it names, in its
    /// newest version, or the one whose identifier the key is.
    ///
    /// - Returns: the tree, or why there is none and which node was missing.
    /// - Throws: as ``read(_:as:)-(_,M.Type)``.
    public func read<M: CacheableModel>(
        forKey key: String, as type: M.Type = M.self
    ) throws(CacheError) -> CacheRead<M> {
        try readKey(key, as: type)
    }

    /// The same for models that are `Codable` and have no specialised coding.
    @_disfavoredOverload
    public func read<M: SimpleModel & Codable>(
        forKey key: String, as type: M.Type = M.self
    ) throws(CacheError) -> CacheRead<M> {
        try readKey(key, as: CodableNode<M>.self).bare()
    }

    /// Reads as ``read(forKey:as:)-(_,M.Type)`` does, without blocking the caller's thread.
    public func fetch<M: CacheableModel>(
        forKey key: String, as type: M.Type = M.self
    ) async throws(CacheError) -> CacheRead<M> {
        try await offThread { () throws(CacheError) in try self.read(forKey: key, as: type) }
    }

    /// The same for models that are `Codable` and have no specialised coding.
    @_disfavoredOverload
    public func fetch<M: SimpleModel & Codable>(
        forKey key: String, as type: M.Type = M.self
    ) async throws(CacheError) -> CacheRead<M> {
        try await offThread { () throws(CacheError) in try self.read(forKey: key, as: type) }
    }

    /// What was last set under `key`, or `nil` on a miss; see ``read(forKey:as:)-(_,M.Type)``.
    public func model<M: CacheableModel>(forKey key: String, as type: M.Type = M.self) throws(CacheError) -> M? {
        try readKey(key, as: type).value
    }

    /// The same for models that are `Codable` and have no specialised coding.
    @_disfavoredOverload
    public func model<M: SimpleModel & Codable>(
        forKey key: String, as type: M.Type = M.self
    ) throws(CacheError) -> M? {
        try readKey(key, as: CodableNode<M>.self).value?.base
    }

    /// Writes `model` and every identified model in its tree, and lets `key` name it, in one transaction.
    ///
    /// All or nothing; see ``write(_:)-(M)``. What is written under the model's identifier later is read under the key too.
    ///
    /// - Throws: as ``write(_:)-(M)``, and ``CacheError`` with code `notCacheable` for a type that has no coding.
    @discardableResult
    public func write<M: SimpleModel>(
        _ model: M, forKey key: String, durability: Durability = .standard
    ) throws(CacheError) -> ChangeSet {
        try perform(durability) { (sequence) throws(CacheError) in try NormalizedCache.content(model, forKey: key) }
    }

    /// Writes as the synchronous form does, without blocking the caller's thread.
    @discardableResult
    public func write<M: SimpleModel>(
        _ model: M, forKey key: String, durability: Durability = .standard
    ) async throws(CacheError) -> ChangeSet {
        try await performAsync(durability) { () throws(CacheError) in try NormalizedCache.content(model, forKey: key) }
    }

    /// What a call writes that sets `model` under `key`.
    static func content(_ model: any SimpleModel, forKey key: String) throws(CacheError) -> PendingWrite.Content {
        try check(ModelIdentifier(key))
        let encoded = try DynamicRoots([model])
        let root = encoded.roots[0]
        guard root.isReference else {
            throw CacheError.hasNoIdentifier(type(of: model)).concerning(ModelIdentifier(key))
        }
        // A reference that carries a case is kept even under the identifier itself: the identifier alone would not tell an
        // enum which case it was.
        if root.hasCase || !root.identifier.elementsEqual(key.utf8) {
            return PendingWrite.Content(
                tree: encoded.tree, extras: [.alias(key: Array(key.utf8), body: encoded.references)])
        }
        return PendingWrite.Content(tree: encoded.tree, extras: [.remove(Namespace.alias, key)])
    }
}
