public import GroveCoding
public import GroveModel

/// The same calls for models that are `Codable` and have no specialised coding: the same records, read and written more
/// slowly. A model that is both takes the fast path.
extension NormalizedCache {
    /// Reads the tree of `identifier` as the call for a `CacheableModel` does.
    @_disfavoredOverload
    @inlinable
    public func read<M: SimpleModel & Codable>(
        _ identifier: ModelIdentifier, as type: M.Type = M.self
    ) throws(CacheError) -> CacheRead<M> {
        var begun = try beginRead(of: identifier, maxAge: nil)
        let outcome = try finishRead(&begun, identifier) { (decoder) throws(NodeReadFailure) in
            try decoder.decodeCodable(type)
        }
        if let outcome { return outcome }
        return try readCodableOnLargeStack(identifier, type)
    }

    @usableFromInline
    func readCodableOnLargeStack<M: SimpleModel & Codable>(
        _ identifier: ModelIdentifier, _ type: M.Type
    ) throws(CacheError) -> CacheRead<M> {
        try readOnLargeStack(identifier, CodableNode<M>.self, maxAge: nil).bare()
    }

    /// The tree of `identifier`, or `nil` on a miss, as the call for a `CacheableModel` has it.
    @_disfavoredOverload
    @inlinable
    public func model<M: SimpleModel & Codable>(
        _ identifier: ModelIdentifier, as type: M.Type = M.self
    ) throws(CacheError) -> M? {
        let outcome: CacheRead<M> = try read(identifier, as: type)
        return outcome.value
    }

    /// Reads the collection under `key` as the call for `CacheableModel`s does.
    @_disfavoredOverload
    public func readCollection<M: SimpleModel & Codable>(
        _ key: String, as type: M.Type = M.self, in range: Range<Int>? = nil, missing: MissingElements = .miss
    ) throws(CacheError) -> CacheRead<CollectionRead<M>> {
        try readCollection(key, as: CodableNode<M>.self, in: range, missing: missing).bare()
    }

    /// The collection under `key`, or `nil` on a miss, as the call for `CacheableModel`s has it.
    @_disfavoredOverload
    public func collection<M: SimpleModel & Codable>(
        _ key: String, as type: M.Type = M.self, in range: Range<Int>? = nil, missing: MissingElements = .miss
    ) throws(CacheError) -> [M]? {
        try readCollection(key, as: CodableNode<M>.self, in: range, missing: missing).value?.elements.map(\.base)
    }

    /// Writes `model` and every identified model in its tree as the call for a `CacheableModel` does.
    @_disfavoredOverload
    @discardableResult
    public func write<M: SimpleModel & Codable>(
        _ model: M
    ) throws(CacheError) -> ChangeSet {
        try write(model, durability: .standard)
    }

    /// The same, as durably as asked for.
    @_disfavoredOverload
    @discardableResult
    public func write<M: SimpleModel & Codable>(
        _ model: M, durability: Durability
    ) throws(CacheError) -> ChangeSet {
        try write(contentsOf: CollectionOfOne(model), durability: durability)
    }

    /// Writes `models` in one transaction as the call for `CacheableModel`s does.
    @_disfavoredOverload
    @discardableResult
    public func write<M: SimpleModel & Codable>(
        contentsOf models: some Collection<M>
    ) throws(CacheError) -> ChangeSet {
        try write(contentsOf: models, durability: .standard)
    }

    /// The same, as durably as asked for.
    @_disfavoredOverload
    @discardableResult
    public func write<M: SimpleModel & Codable>(
        contentsOf models: some Collection<M>, durability: Durability
    ) throws(CacheError) -> ChangeSet {
        try perform(durability) { (sequence) throws(CacheError) in
            let encoded = try EncodedRoots(codable: models, mustBeIdentified: true)
            return PendingWrite.Content(tree: encoded.tree)
        }
    }

    /// Writes `elements` as the collection under `key` as the call for `CacheableModel`s does.
    @_disfavoredOverload
    @discardableResult
    public func writeCollection<M: SimpleModel & Codable>(
        _ elements: some Collection<M>, forKey key: String
    ) throws(CacheError) -> ChangeSet {
        try writeCollection(elements, forKey: key, durability: .standard)
    }

    /// The same, as durably as asked for.
    @_disfavoredOverload
    @discardableResult
    public func writeCollection<M: SimpleModel & Codable>(
        _ elements: some Collection<M>, forKey key: String, durability: Durability
    ) throws(CacheError) -> ChangeSet {
        try NormalizedCache.check(ModelIdentifier(key))
        return try perform(durability) { (sequence) throws(CacheError) in
            let encoded = try EncodedRoots(codable: elements, mustBeIdentified: false)
            return PendingWrite.Content(tree: encoded.tree, extras: [encoded.collection(key)])
        }
    }

    /// Writes `model` as the synchronous form does, without blocking the caller's thread.
    @_disfavoredOverload
    @discardableResult
    public func write<M: SimpleModel & Codable>(
        _ model: M
    ) async throws(CacheError) -> ChangeSet {
        try await write(model, durability: .standard)
    }

    /// The same, as durably as asked for.
    @_disfavoredOverload
    @discardableResult
    public func write<M: SimpleModel & Codable>(
        _ model: M, durability: Durability
    ) async throws(CacheError) -> ChangeSet {
        try await write(contentsOf: [CodableNode(model)], durability: durability)
    }

    /// Writes `models` in one transaction, as the synchronous form does, without blocking the caller's thread.
    @_disfavoredOverload
    @discardableResult
    public func write<M: SimpleModel & Codable>(
        contentsOf models: [M]
    ) async throws(CacheError) -> ChangeSet {
        try await write(contentsOf: models, durability: .standard)
    }

    /// The same, as durably as asked for.
    @_disfavoredOverload
    @discardableResult
    public func write<M: SimpleModel & Codable>(
        contentsOf models: [M], durability: Durability
    ) async throws(CacheError) -> ChangeSet {
        try await write(contentsOf: models.map { CodableNode($0) }, durability: durability)
    }

    /// Writes a collection as the synchronous form does, without blocking the caller's thread.
    @_disfavoredOverload
    @discardableResult
    public func writeCollection<M: SimpleModel & Codable>(
        _ elements: [M], forKey key: String
    ) async throws(CacheError) -> ChangeSet {
        try await writeCollection(elements, forKey: key, durability: .standard)
    }

    /// The same, as durably as asked for.
    @_disfavoredOverload
    @discardableResult
    public func writeCollection<M: SimpleModel & Codable>(
        _ elements: [M], forKey key: String, durability: Durability
    ) async throws(CacheError) -> ChangeSet {
        try await writeCollection(elements.map { CodableNode($0) }, forKey: key, durability: durability)
    }
}

extension CacheRead {
    /// The same without what makes `Codable` models ones of a cache.
    func bare<M: SimpleModel & Codable>() -> CacheRead<M> where Value == CodableNode<M> {
        switch self {
        case .hit(let node): .hit(node.base)
        case .miss(let miss): .miss(miss)
        }
    }

    /// The same for a collection.
    func bare<M: SimpleModel & Codable>() -> CacheRead<CollectionRead<M>>
    where Value == CollectionRead<CodableNode<M>> {
        switch self {
        case .hit(let read): .hit(CollectionRead(elements: read.elements.map(\.base), skipped: read.skipped))
        case .miss(let miss): .miss(miss)
        }
    }
}
