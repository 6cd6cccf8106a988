public import GroveCoding
public import GroveModel

/// Edits of collections: the cost of an edit depends on the elements that it touches, and not on the length of the
/// list.
///
/// Positions are those of the stored list when the call's turn comes, after all calls that were queued before; deleted
/// elements count. In a transaction they are positions in the list that the transaction sees.
///
/// An edit is all or nothing. Its elements are written with every identified model in their trees, as `writeCollection`
/// writes them. An element that is removed from a list stays in the store.
///
/// An edit does not make a list, since a list that was evicted may not have been empty. It throws ``CacheError`` with
/// code `outOfRange` if the list is not there, has no such position, or has lost the part that the edit changes. Then
/// nothing is stored; write the list again.
///
/// An edit does not confirm anything: its elements and the list keep their ages.
extension CacheWriter where Self: ~Copyable {
    /// Inserts `elements` into the collection under `key` before the element at `index`.
    ///
    /// If `index` is the number of elements, they are added at the end.
    ///
    /// ```swift
    /// try cache.insert([message], at: 0, inCollection: "inbox")
    /// ```
    ///
    /// - Complexity: O(*m* + *n* / 128) for *m* elements inserted into *n*, and the cost of
    ///   ``write(_:durability:asOf:confirmed:)`` for the elements.
    /// - Returns: the identifiers whose stored bytes changed, and the collection's key.
    /// - Throws: ``CacheError`` with code `outOfRange`, and the errors of ``write(_:durability:asOf:confirmed:)``.
    @discardableResult
    public func insert<M: CacheableModel>(
        _ elements: some Collection<M>, at index: Int, inCollection key: String, durability: Durability = .standard
    ) throws(CacheError) -> ChangeSet {
        try _edit(key, durability, elements) { .at(.replace(index..<index, with: $0)) }
    }

    /// Adds `elements` at the end of the collection under `key`; see ``insert(_:at:inCollection:durability:)``.
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

    // By the call's turn, other calls may have changed the positions: only code that checks the writer itself edits by
    // them.

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
        try edit(key) { .at(.replace(range, with: StoredElements())) }
    }

    /// Moves the element at position `from`, so that it is at position `to` afterwards.
    @discardableResult
    package func moveElement(from: Int, to: Int, inCollection key: String) throws(CacheError) -> ChangeSet {
        try edit(key) { .at(.move(from: from, to: to)) }
    }

    /// Says that there are elements before position `position` that were never fetched.
    @discardableResult
    package func openGap(in key: String, before position: Int) throws(CacheError) -> ChangeSet {
        try edit(key) { .at(.gap(position, true)) }
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
            let roots = try EncodedRoots(elements, mustBeIdentified: false)
            return _WriteContent(PendingWrite.Content(make(try roots.elements), of: key, tree: roots.tree))
        }
    }
}
