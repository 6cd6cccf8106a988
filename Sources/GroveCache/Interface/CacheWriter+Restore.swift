public import GroveCoding
public import GroveModel

extension CacheWriter where Self: ~Copyable {
    /// Undoes the deletion of `model`: writes it, with every identified model in its tree, and lets everything that
    /// names it show it again.
    ///
    /// ```swift
    /// let deleted = try cache.model(Message.self, id: 34)
    /// try cache.delete(Message.self, id: 34)
    /// if let deleted { try cache.restore(deleted) }  // the user has tapped Undo
    /// ```
    ///
    /// ``write(_:durability:asOf:confirmed:)`` brings the model back too, for what is written after that: lists and
    /// trees from before the deletion go on without it. A restored model is in them again, where it was, as if it had
    /// never been deleted. That holds for all deletions of it before this call, by any process, and for those
    /// that the cache has forgotten. What took it out for good stays: a list that was set or edited without it, and
    /// ``DeletionHolders/collections``. A model in its tree that was deleted by itself is written, and not restored.
    ///
    /// All or nothing. It confirms nothing. The followers of the cache and streams are told that anything may be
    /// different, so that screens read again what they show.
    ///
    /// - Complexity: as ``write(_:durability:asOf:confirmed:)``.
    /// - Returns: the identifiers whose stored bytes changed; it ``ChangeSet/changesEverything`` if a deletion was
    ///   undone.
    /// - Throws: as ``write(_:durability:asOf:confirmed:)``.
    @discardableResult
    public func restore<M: CacheableModel>(
        _ model: M, durability: Durability = .standard
    ) throws(CacheError) -> ChangeSet {
        try _perform(durability) { () throws(CacheError) in
            guard let identifier = model.modelIdentifier else { throw CacheError.hasNoIdentifier(M.self) }
            return _WriteContent(tree: try EncodedRoots.tree(of: model), extras: [.undelete(identifier)])
        }
    }
}
