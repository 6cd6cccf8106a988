/// A change of a collection, in a form that a view can animate.
public enum CollectionChange: Hashable, Sendable {
    /// Everything may be different.
    case reset
    /// The changes, to be applied in this order: each index is valid after the changes before it were applied.
    case changes([CollectionChangeInformation])
}

/// One change of a collection.
public enum CollectionChangeInformation: Hashable, Sendable {
    /// The element at `index` was replaced by another version.
    case update(index: Int)
    /// The element at `index` was removed.
    case delete(index: Int)
    /// A new element was inserted at `index`.
    case insert(index: Int)
}

extension Collection where Element == CollectionChangeInformation {
    /// The number of deletions.
    public func numberOfDeletedElements() -> Int { count { if case .delete = $0 { true } else { false } } }

    /// The number of insertions.
    public func numberOfInsertedElements() -> Int { count { if case .insert = $0 { true } else { false } } }

    /// The number of updates.
    public func numberOfUpdatedElements() -> Int { count { if case .update = $0 { true } else { false } } }

    /// The number of elements after the changes, less the number before them.
    public func deltaNumberOfElements() -> Int { numberOfInsertedElements() - numberOfDeletedElements() }
}
