public import GroveCoding
public import GroveModel

extension CacheWriter where Self: ~Copyable {
    /// Undoes the deletion of `model`: it is written again, and lists and trees that name it show it again.
    ///
    /// ```swift
    /// let deleted = try cache.model(Message.self, id: 34)
    /// try cache.delete(Message.self, id: 34)
    /// if let deleted { try cache.restore(deleted) }  // the user has tapped Undo
    /// ```
    ///
    /// Every identified model in the tree of `model` is written. ``write(_:durability:asOf:confirmed:)`` writes a
    /// deleted model again too, but lists and trees from before the deletion go on without it. A restored model is in
    /// them again, in its old position, as if it had never been deleted. This undoes all deletions of the model before
    /// this call, by any process, and those whose deletion marks were evicted.
    ///
    /// A list that was set or edited without the model stays without it, and so does a list from which
    /// ``DeletionHolders/collections`` removed it. If another model in the tree was deleted by itself, it is written
    /// and not restored.
    ///
    /// All or nothing. A restore does not confirm the models. The cache's followers and streams are told that anything
    /// may be different, so that screens read again what they show.
    ///
    /// - Complexity: as ``write(_:durability:asOf:confirmed:)``.
    /// - Returns: the identifiers whose stored bytes changed; ``ChangeSet/changesEverything`` is true if a deletion was
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
