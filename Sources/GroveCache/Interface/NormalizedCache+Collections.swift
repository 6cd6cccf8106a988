public import GroveCoding
public import GroveModel

/// Edits of collections: each costs what it touches, and not the list.
///
/// Positions are those of the list as it is stored when the call's turn comes: after all calls that were queued before, deleted
/// elements included. An edit is all or nothing. Its elements are written with every identified model in their trees, as
/// `writeCollection` writes them; what is removed from a list stays in the store.
///
/// The list must be there: one that was forgotten is not known to be empty, so that an edit makes none. An edit throws
/// ``CacheError`` with code `outOfRange` where the list is not there, where it has no such position, and where the part that the
/// edit is about was lost. Then nothing is stored; write the list again.
///
/// An edit confirms its elements and not the list, whose age stays as it is.
extension NormalizedCache {
    /// Inserts `elements` into the collection under `key` before the one at `index`, or behind the last where `index` is the
    /// number of elements.
    ///
    /// - Complexity: O(*m* + *n* / 128) for *m* elements inserted into *n*, and what ``write(_:)-(M)`` takes for them.
    /// - Returns: the identifiers whose stored bytes changed, and the collection's key.
    /// - Throws: ``CacheError`` with code `outOfRange`, and as ``write(_:)-(M)``.
    @discardableResult
    public func insert<M: CacheableModel>(
        _ elements: some Collection<M>, at index: Int, inCollection key: String, durability: Durability = .standard
    ) throws(CacheError) -> ChangeSet {
        try edit(key, durability) { () throws(CacheError) in try .inserting(EncodedRoots(list: elements), at: index) }
    }

    /// Puts `elements` behind the last one of the collection under `key`; see
    /// ``insert(_:at:inCollection:durability:)-(_,Int,String,Durability)``.
    @discardableResult
    public func append<M: CacheableModel>(
        _ elements: some Collection<M>, toCollection key: String, durability: Durability = .standard
    ) throws(CacheError) -> ChangeSet {
        try edit(key, durability) { () throws(CacheError) in try .appending(EncodedRoots(list: elements)) }
    }

    /// Puts `elements`, one or more or none, in the place of those at the positions of `range` in the collection under `key`; see
    /// ``insert(_:at:inCollection:durability:)-(_,Int,String,Durability)``.
    @discardableResult
    public func replaceElements<M: CacheableModel>(
        in range: Range<Int>, ofCollection key: String, with elements: some Collection<M>,
        durability: Durability = .standard
    ) throws(CacheError) -> ChangeSet {
        try edit(key, durability) { () throws(CacheError) in try .replacing(range, EncodedRoots(list: elements)) }
    }

    /// Removes the elements at the positions of `range` from the collection under `key`; they stay in the store.
    ///
    /// - Complexity: O(*m* / 128 + *n* / 128) for *m* elements of *n*.
    /// - Returns: the collection's key.
    /// - Throws: as ``insert(_:at:inCollection:durability:)-(_,Int,String,Durability)``.
    @discardableResult
    public func removeElements(
        in range: Range<Int>, ofCollection key: String, durability: Durability = .standard
    ) throws(CacheError) -> ChangeSet {
        try edit(key, durability) { () throws(CacheError) in .removing(range) }
    }

    /// Moves the element at position `from` of the collection under `key`, so that it is at position `to` afterwards.
    ///
    /// - Complexity: O(*n* / 128) for *n* elements.
    /// - Returns: the collection's key.
    /// - Throws: as ``insert(_:at:inCollection:durability:)-(_,Int,String,Durability)``.
    @discardableResult
    public func moveElement(
        from: Int, to: Int, inCollection key: String, durability: Durability = .standard
    ) throws(CacheError) -> ChangeSet {
        try edit(key, durability) { () throws(CacheError) in .moving(from, to) }
    }

    /// How many elements the collection under `key` has, deleted ones included; `nil` where it is not there.
    ///
    /// - Complexity: O(1) store reads.
    /// - Throws: as ``readCollection(_:as:in:missing:)-(_,M.Type,_,_)``.
    public func count(ofCollection key: String) throws(CacheError) -> Int? {
        try checkOpen()
        let name = ModelIdentifier(key)
        try NormalizedCache.check(name)
        return try reading(name) { (reader) throws(CacheError) in try reader.count(ofCollection: name) }.value
    }

    // MARK: In tasks

    /// Inserts as the synchronous form does, without blocking the caller's thread.
    @discardableResult
    public func insert<M: CacheableModel>(
        _ elements: [M], at index: Int, inCollection key: String, durability: Durability = .standard
    ) async throws(CacheError) -> ChangeSet {
        try await editAsync(key, durability) { () throws(CacheError) in
            try .inserting(EncodedRoots(list: elements), at: index)
        }
    }

    /// Appends as the synchronous form does, without blocking the caller's thread.
    @discardableResult
    public func append<M: CacheableModel>(
        _ elements: [M], toCollection key: String, durability: Durability = .standard
    ) async throws(CacheError) -> ChangeSet {
        try await editAsync(key, durability) { () throws(CacheError) in try .appending(EncodedRoots(list: elements)) }
    }

    /// Replaces as the synchronous form does, without blocking the caller's thread.
    @discardableResult
    public func replaceElements<M: CacheableModel>(
        in range: Range<Int>, ofCollection key: String, with elements: [M], durability: Durability = .standard
    ) async throws(CacheError) -> ChangeSet {
        try await editAsync(key, durability) { () throws(CacheError) in
            try .replacing(range, EncodedRoots(list: elements))
        }
    }

    /// Removes as the synchronous form does, without blocking the caller's thread.
    @discardableResult
    public func removeElements(
        in range: Range<Int>, ofCollection key: String, durability: Durability = .standard
    ) async throws(CacheError) -> ChangeSet {
        try await editAsync(key, durability) { () throws(CacheError) in .removing(range) }
    }

    /// Moves as the synchronous form does, without blocking the caller's thread.
    @discardableResult
    public func moveElement(
        from: Int, to: Int, inCollection key: String, durability: Durability = .standard
    ) async throws(CacheError) -> ChangeSet {
        try await editAsync(key, durability) { () throws(CacheError) in .moving(from, to) }
    }

    // MARK: Codable models

    /// Inserts as the call for `CacheableModel`s does.
    @_disfavoredOverload
    @discardableResult
    public func insert<M: SimpleModel & Codable>(
        _ elements: some Collection<M>, at index: Int, inCollection key: String, durability: Durability = .standard
    ) throws(CacheError) -> ChangeSet {
        try edit(key, durability) { () throws(CacheError) in try .inserting(EncodedRoots(codable: elements), at: index)
        }
    }

    /// Appends as the call for `CacheableModel`s does.
    @_disfavoredOverload
    @discardableResult
    public func append<M: SimpleModel & Codable>(
        _ elements: some Collection<M>, toCollection key: String, durability: Durability = .standard
    ) throws(CacheError) -> ChangeSet {
        try edit(key, durability) { () throws(CacheError) in try .appending(EncodedRoots(codable: elements)) }
    }

    /// Replaces as the call for `CacheableModel`s does.
    @_disfavoredOverload
    @discardableResult
    public func replaceElements<M: SimpleModel & Codable>(
        in range: Range<Int>, ofCollection key: String, with elements: some Collection<M>,
        durability: Durability = .standard
    ) throws(CacheError) -> ChangeSet {
        try edit(key, durability) { () throws(CacheError) in try .replacing(range, EncodedRoots(codable: elements)) }
    }

    /// Inserts as the synchronous form does, without blocking the caller's thread.
    @_disfavoredOverload
    @discardableResult
    public func insert<M: SimpleModel & Codable>(
        _ elements: [M], at index: Int, inCollection key: String, durability: Durability = .standard
    ) async throws(CacheError) -> ChangeSet {
        try await insert(elements.map { CodableNode($0) }, at: index, inCollection: key, durability: durability)
    }

    /// Appends as the synchronous form does, without blocking the caller's thread.
    @_disfavoredOverload
    @discardableResult
    public func append<M: SimpleModel & Codable>(
        _ elements: [M], toCollection key: String, durability: Durability = .standard
    ) async throws(CacheError) -> ChangeSet {
        try await append(elements.map { CodableNode($0) }, toCollection: key, durability: durability)
    }

    /// Replaces as the synchronous form does, without blocking the caller's thread.
    @_disfavoredOverload
    @discardableResult
    public func replaceElements<M: SimpleModel & Codable>(
        in range: Range<Int>, ofCollection key: String, with elements: [M], durability: Durability = .standard
    ) async throws(CacheError) -> ChangeSet {
        try await replaceElements(
            in: range, ofCollection: key, with: elements.map { CodableNode($0) }, durability: durability)
    }

    // MARK: What they come to

    private func edit(
        _ key: String, _ durability: Durability, _ make: () throws(CacheError) -> EncodedEdit
    ) throws(CacheError) -> ChangeSet {
        try NormalizedCache.check(ModelIdentifier(key))
        return try perform(durability) { (sequence) throws(CacheError) in try make().content(key) }
    }

    private func editAsync(
        _ key: String, _ durability: Durability, _ make: () throws(CacheError) -> EncodedEdit
    ) async throws(CacheError) -> ChangeSet {
        try NormalizedCache.check(ModelIdentifier(key))
        return try await performAsync(durability) { () throws(CacheError) in try make().content(key) }
    }
}
