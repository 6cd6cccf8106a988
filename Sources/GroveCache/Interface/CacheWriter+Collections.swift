public import GroveCoding
public import GroveModel

/// Edits of collections: each costs what it touches, and not the list.
///
/// Positions are those of the list as it is stored when the call's turn comes: after all calls that were queued before, deleted
/// elements included. In a transaction they are those of the list that it sees. An edit is all or nothing. Its elements are written with every identified model in their trees, as
/// `writeCollection` writes them; what is removed from a list stays in the store.
///
/// The list must be there: one that was forgotten is not known to be empty, so that an edit makes none. An edit throws
/// ``CacheError`` with code `outOfRange` where the list is not there, where it has no such position, and where the part that the
/// edit is about was lost. Then nothing is stored; write the list again.
///
/// An edit confirms nothing: its elements and the list keep the ages that they had.
extension CacheWriter where Self: ~Copyable {
    /// Inserts `elements` into the collection under `key` before the one at `index`, or behind the last where `index` is the
    /// number of elements.
    ///
    /// ```swift
    /// try cache.insert([message], at: 0, inCollection: "inbox")
    /// ```
    ///
    /// - Complexity: O(*m* + *n* / 128) for *m* elements inserted into *n*, and what ``write(_:durability:)`` takes for them.
    /// - Returns: the identifiers whose stored bytes changed, and the collection's key.
    /// - Throws: ``CacheError`` with code `outOfRange`, and as ``write(_:durability:)``.
    @discardableResult
    public func insert<M: CacheableModel>(
        _ elements: some Collection<M>, at index: Int, inCollection key: String, durability: Durability = .standard
    ) throws(CacheError) -> ChangeSet {
        try _edit(key, durability, elements) { .at(.replace(index..<index, with: $0)) }
    }

    /// Puts `elements` behind the last one of the collection under `key`; see
    /// ``insert(_:at:inCollection:durability:)``.
    ///
    /// ```swift
    /// if try cache.count(ofCollection: "inbox") != nil {
    ///     try cache.append(older, toCollection: "inbox")
    /// }
    /// ```
    @discardableResult
    public func append<M: CacheableModel>(
        _ elements: some Collection<M>, toCollection key: String, durability: Durability = .standard
    ) throws(CacheError) -> ChangeSet {
        try _edit(key, durability, elements) { .at(.append($0)) }
    }

    // MARK: By position

    // The positions of others' lists may be others' elements by then: only what checks the writer itself edits by them.

    /// Puts `elements`, one or more or none, in the place of those at the positions of `range`.
    @discardableResult
    package func replaceElements<M: CacheableModel>(
        in range: Range<Int>, ofCollection key: String, with elements: some Collection<M>
    ) throws(CacheError) -> ChangeSet {
        try _edit(key, .standard, elements) { .at(.replace(range, with: $0)) }
    }

    /// Removes the elements at the positions of `range`.
    @discardableResult
    package func removeElements(in range: Range<Int>, ofCollection key: String) throws(CacheError) -> ChangeSet {
        try edit(key, .at(.replace(range, with: StoredElements())))
    }

    /// Moves the element at position `from`, so that it is at position `to` afterwards.
    @discardableResult
    package func moveElement(from: Int, to: Int, inCollection key: String) throws(CacheError) -> ChangeSet {
        try edit(key, .at(.move(from: from, to: to)))
    }

    private func edit(_ key: String, _ operation: ListOperation) throws(CacheError) -> ChangeSet {
        try ModelIdentifier(key).check()
        return try _perform(.standard) { () throws(CacheError) in _WriteContent(EncodedEdit(operation).content(key)) }
    }
}

extension CacheWriter where Self: ~Copyable {
    /// Performs the edit of the collection under `key` that `make` makes of `elements`.
    func _edit<M: CacheableModel>(
        _ key: String, _ durability: Durability, _ elements: some Collection<M>,
        _ make: (StoredElements) -> ListOperation
    ) throws(CacheError) -> ChangeSet {
        try ModelIdentifier(key).check()
        return try _perform(durability) { () throws(CacheError) in
            let roots = try EncodedRoots(list: elements)
            return _WriteContent(try EncodedEdit(make(roots.elements), tree: roots.tree).content(key))
        }
    }
}
