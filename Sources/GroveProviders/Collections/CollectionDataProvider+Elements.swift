import GroveConsistency
public import GroveModel

/// Edits by identifiers and rows: an index from before an `await` may be another element's.
extension CollectionDataProvider {
    /// The index of the first element with this identifier; `nil` if the list does not have one.
    ///
    /// - Complexity: O(*n*) for the first call after an edit of the list.
    public func index(of identifier: ModelIdentifier) -> Int? {
        if following.snapshot == nil, layered.entries == nil { return store.rows.index(of: identifier) }
        return elements.firstIndex { $0.modelIdentifier == identifier }
    }

    /// Whether the list has an element with this identifier.
    public func contains(_ identifier: ModelIdentifier) -> Bool { index(of: identifier) != nil }

    /// Replaces the element with the identifier of `element` by this version.
    ///
    /// - Returns: true if the element was replaced; false if the list does not have it, and nothing happened.
    @discardableResult
    public func update(_ element: T, shouldCache: Bool = true, context: (any Sendable)? = nil) -> Bool {
        guard let index = element.modelIdentifier.flatMap({ index(of: $0) }) else { return false }
        update(element, at: index, shouldCache: shouldCache, context: context)
        return true
    }

    /// Updates in place the elements whose identifiers the list has, and inserts the others at `place`.
    public func upsert(
        _ elements: [T], at place: ElementPlace = .last, shouldCache: Bool = true, context: (any Sendable)? = nil
    ) {
        let new = updating(elements, shouldCache, context)
        let (gap, anchor) = find(place)
        insert(new, at: gap, anchor, shouldCache, context, isUpsert: true)
    }

    /// Replaces the element of a row by another version of it, as ``update(_:at:shouldCache:context:)`` does.
    ///
    /// - Returns: true if the element was replaced; false if the list does not have it, and nothing happened.
    @discardableResult
    public func update(
        _ element: T, row: CollectionRow<T>.ID, shouldCache: Bool = true, context: (any Sendable)? = nil
    ) -> Bool {
        guard let index = index(of: row) else { return false }
        return update(element, at: index, shouldCache: shouldCache, context: context)
    }

    /// Inserts `elements` before a row, or at the end if the row is `nil` or no longer in the list.
    public func insert(
        _ elements: [T], before row: CollectionRow<T>.ID?, shouldCache: Bool = true, context: (any Sendable)? = nil
    ) {
        put(elements, shouldCache, context) { find(row) }
    }

    /// Inserts `elements` at a place.
    public func insert(
        _ elements: [T], at place: ElementPlace, shouldCache: Bool = true, context: (any Sendable)? = nil
    ) {
        put(elements, shouldCache, context) { find(place) }
    }

    /// Inserts an element of the applied answer `page`; as an edit if that is `nil`.
    func insert(_ element: T, at place: ElementPlace, of page: AppliedPage?) {
        let (gap, anchor) = find(place)
        insert([element], at: gap, anchor, true, nil, isUpsert: true, page: page)
    }

    /// Removes every element with this identifier from the list; the model itself stays.
    ///
    /// - Returns: whether the list had such an element.
    @discardableResult
    public func remove(
        _ identifier: ModelIdentifier, shouldCache: Bool = true, context: (any Sendable)? = nil
    ) -> Bool {
        guard contains(identifier) else { return false }
        let found = elements.indices.filter { elements[$0].modelIdentifier == identifier }
        for index in found.reversed() { remove(at: index, shouldCache: shouldCache, context: context) }
        return true
    }

    /// Removes the element of a row; the model itself stays.
    ///
    /// - Returns: whether the list had the row.
    @discardableResult
    public func remove(
        row: CollectionRow<T>.ID, shouldCache: Bool = true, context: (any Sendable)? = nil
    ) -> Bool {
        guard let index = index(of: row) else { return false }
        remove(at: index, shouldCache: shouldCache, context: context)
        return true
    }

    /// Moves the element with this identifier to a place; it stays the same row.
    ///
    /// - Returns: whether the list has such an element.
    @discardableResult
    public func move(
        _ identifier: ModelIdentifier, to place: ElementPlace, shouldCache: Bool = true, context: (any Sendable)? = nil
    ) -> Bool {
        guard let from = index(of: identifier) else { return false }
        let (gap, anchor) = find(place)
        move(from, before: gap, anchor, shouldCache, context)
        return true
    }

    /// Moves the element of a row before another row, or to the end if `target` is `nil` or no longer in the list.
    ///
    /// - Returns: whether the list has the row.
    @discardableResult
    public func move(
        row: CollectionRow<T>.ID, before target: CollectionRow<T>.ID?, shouldCache: Bool = true,
        context: (any Sendable)? = nil
    ) -> Bool {
        guard let from = index(of: row) else { return false }
        let (gap, anchor) = find(target)
        move(from, before: gap, anchor, shouldCache, context)
        return true
    }

    /// The index of a row's element in the list that this provider shows.
    private func index(of row: CollectionRow<T>.ID) -> Int? {
        row.list == store.key.rawValue ? entries.index(of: row.handle, near: 0) : nil
    }

    /// The index of a row here, or the end, with the same place in the newest list.
    private func find(_ row: CollectionRow<T>.ID?) -> (gap: Int, anchor: EntryPlace<T>) {
        guard let row, let index = index(of: row) else { return (count, .last) }
        return find(before: index)
    }

    private func find(before index: Int) -> (gap: Int, anchor: EntryPlace<T>) {
        let found = store.rows.position(of: entries[index].handle)
        return (index, found.map { .before(store.seen($0)) } ?? place(of: index))
    }

    /// The index before which a place is in the list shown here, with the same place in the newest list.
    private func find(_ place: ElementPlace) -> (gap: Int, anchor: EntryPlace<T>) {
        let end = (count, EntryPlace<T>.last)
        switch place {
        case .first: return (0, .first)
        case .last: return end
        case .before(let identifier):
            guard let index = index(of: identifier) else { return end }
            return find(before: index)
        case .after(let identifier):
            guard let index = index(of: identifier) else { return end }
            return (index + 1, self.place(of: index + 1))
        }
    }
}

/// The same by the identities of models.
extension CollectionDataProvider where T: KeyedModel {
    /// The index of the first element whose identity is `id`; see ``index(of:)``.
    public func index(ofID id: T.ModelID) -> Int? { index(of: T.modelIdentifier(for: id)) }

    /// Whether the list has an element whose identity is `id`.
    public func contains(id: T.ModelID) -> Bool { contains(T.modelIdentifier(for: id)) }

    /// Removes the element whose identity is `id`; see ``remove(_:shouldCache:context:)``.
    @discardableResult
    public func remove(id: T.ModelID, shouldCache: Bool = true, context: (any Sendable)? = nil) -> Bool {
        remove(T.modelIdentifier(for: id), shouldCache: shouldCache, context: context)
    }

    /// Moves the element whose identity is `id` to a place; see ``move(_:to:shouldCache:context:)``.
    @discardableResult
    public func move(
        id: T.ModelID, to place: ElementPlace, shouldCache: Bool = true, context: (any Sendable)? = nil
    ) -> Bool {
        move(T.modelIdentifier(for: id), to: place, shouldCache: shouldCache, context: context)
    }
}
