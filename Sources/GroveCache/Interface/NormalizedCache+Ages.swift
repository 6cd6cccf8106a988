public import GroveCoding
public import GroveModel

/// Reads with a maximum age.
///
/// A record's age counts from its last confirmation: from the last call that wrote it, or whose write found that it says
/// the same already. A node that was last confirmed longer ago than `maxAge` seconds is missing, and the miss says so and
/// names it: ``CacheMiss/Reason/expired``. A collection and an alias have ages of their own; deletions have none.
///
/// A record may count as older than it is: by a minute, or by a quarter of the least `maxAge` that was asked for where
/// that is less, and by a second. While the device's clock goes forward it never counts as younger.
extension NormalizedCache {
    /// Reads the tree of `identifier` as ``read(_:as:)-(_,M.Type)`` does, if all of it was confirmed within `maxAge`
    /// seconds.
    ///
    /// - Returns: the tree, or why there is none and which node was missing or too old.
    /// - Throws: as the read without an age does.
    @inlinable
    public func read<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type = M.self, maxAge: Double
    ) throws(CacheError) -> CacheRead<M> {
        var begun = try beginRead(of: identifier, maxAge: maxAge)
        if let outcome = try finishRead(&begun, identifier, M.decodeValue) { return outcome }
        return try readOnLargeStack(identifier, type, maxAge: maxAge)
    }

    /// The tree of `identifier`, if all of it was confirmed within `maxAge` seconds, and `nil` otherwise.
    @inlinable
    public func model<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type = M.self, maxAge: Double
    ) throws(CacheError) -> M? {
        try read(identifier, as: type, maxAge: maxAge).value
    }

    /// Reads the collection under `key` as ``readCollection(_:as:in:missing:)-(_,M.Type,_,_)`` does, if it and all in it were
    /// confirmed within `maxAge` seconds.
    ///
    /// The list itself has an age: that of the last time it was written, or written the same; an edit leaves it as it is. An
    /// element that is too old is missing.
    public func readCollection<M: CacheableModel>(
        _ key: String, as type: M.Type = M.self, in range: Range<Int>? = nil,
        missing: MissingElements = .miss, maxAge: Double
    ) throws(CacheError) -> CacheRead<CollectionRead<M>> {
        try readCollection(key, type, range, missing, maxAge: maxAge)
    }

    /// The collection under `key`, if it and all in it were confirmed within `maxAge` seconds, and `nil` otherwise.
    public func collection<M: CacheableModel>(
        _ key: String, as type: M.Type = M.self, in range: Range<Int>? = nil,
        missing: MissingElements = .miss, maxAge: Double
    ) throws(CacheError) -> [M]? {
        try readCollection(key, as: type, in: range, missing: missing, maxAge: maxAge).value?.elements
    }

    /// Reads the tree of `identifier` with a maximum age, without blocking the caller's thread.
    public func fetch<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type = M.self, maxAge: Double
    ) async throws(CacheError) -> CacheRead<M> {
        try await offThread { () throws(CacheError) in try self.read(identifier, as: type, maxAge: maxAge) }
    }

    /// Reads the collection under `key` with a maximum age, without blocking the caller's thread.
    public func fetchCollection<M: CacheableModel>(
        _ key: String, as type: M.Type = M.self, in range: Range<Int>? = nil,
        missing: MissingElements = .miss, maxAge: Double
    ) async throws(CacheError) -> CacheRead<CollectionRead<M>> {
        try await offThread { () throws(CacheError) in
            try self.readCollection(key, as: type, in: range, missing: missing, maxAge: maxAge)
        }
    }

    // MARK: Codable models

    /// Reads the tree of `identifier` with a maximum age, as the call for a `CacheableModel` does.
    @_disfavoredOverload
    public func read<M: SimpleModel & Codable>(
        _ identifier: ModelIdentifier, as type: M.Type = M.self, maxAge: Double
    ) throws(CacheError) -> CacheRead<M> {
        try read(identifier, as: CodableNode<M>.self, maxAge: maxAge).bare()
    }

    /// The tree of `identifier`, or `nil`, with a maximum age, as the call for a `CacheableModel` has it.
    @_disfavoredOverload
    public func model<M: SimpleModel & Codable>(
        _ identifier: ModelIdentifier, as type: M.Type = M.self, maxAge: Double
    ) throws(CacheError) -> M? {
        try read(identifier, as: CodableNode<M>.self, maxAge: maxAge).value?.base
    }

    /// Reads the collection under `key` with a maximum age, as the call for `CacheableModel`s does.
    @_disfavoredOverload
    public func readCollection<M: SimpleModel & Codable>(
        _ key: String, as type: M.Type = M.self, in range: Range<Int>? = nil,
        missing: MissingElements = .miss, maxAge: Double
    ) throws(CacheError) -> CacheRead<CollectionRead<M>> {
        try readCollection(key, as: CodableNode<M>.self, in: range, missing: missing, maxAge: maxAge).bare()
    }

    /// The collection under `key`, or `nil`, with a maximum age, as the call for `CacheableModel`s has it.
    @_disfavoredOverload
    public func collection<M: SimpleModel & Codable>(
        _ key: String, as type: M.Type = M.self, in range: Range<Int>? = nil,
        missing: MissingElements = .miss, maxAge: Double
    ) throws(CacheError) -> [M]? {
        try readCollection(key, as: type, in: range, missing: missing, maxAge: maxAge).value?.elements
    }

    /// Reads the tree of `identifier` with a maximum age, without blocking the caller's thread.
    @_disfavoredOverload
    public func fetch<M: SimpleModel & Codable>(
        _ identifier: ModelIdentifier, as type: M.Type = M.self, maxAge: Double
    ) async throws(CacheError) -> CacheRead<M> {
        try await offThread { () throws(CacheError) in try self.read(identifier, as: type, maxAge: maxAge) }
    }

    /// Reads the collection under `key` with a maximum age, without blocking the caller's thread.
    @_disfavoredOverload
    public func fetchCollection<M: SimpleModel & Codable>(
        _ key: String, as type: M.Type = M.self, in range: Range<Int>? = nil,
        missing: MissingElements = .miss, maxAge: Double
    ) async throws(CacheError) -> CacheRead<CollectionRead<M>> {
        try await offThread { () throws(CacheError) in
            try self.readCollection(key, as: type, in: range, missing: missing, maxAge: maxAge)
        }
    }
}
