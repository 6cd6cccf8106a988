public import GroveCoding
public import GroveModel

extension CacheTransaction {
    /// Reads the model of `identifier`, lets `change` change it, and writes it if it is different.
    ///
    /// ```swift
    /// try cache.write { tx in
    ///     try tx.update("Draft:new", as: Draft.self) { $0.text += "!" }
    ///     try tx.delete("Draft:old")
    /// }
    /// ```
    ///
    /// An update does not confirm the model: its age stays. If `change` gives the model another identifier, a second
    /// model is written, and the first one stays.
    ///
    /// - Parameters:
    ///   - missing: whether to throw or to do nothing if the model, or a node that it needs, is missing.
    ///   - change: called once, unless the model is missing.
    /// - Returns: the identifiers whose stored bytes changed; empty if nothing was written.
    /// - Throws: the error of `change`; ``CacheError`` with code `missing`; the errors of
    ///   ``CacheReader/read(_:as:maxAge:)`` and ``CacheWriter/write(_:durability:asOf:confirmed:)``.
    @discardableResult
    public func update<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type = M.self, ifMissing missing: MissingModel = .fail,
        _ change: (inout M) throws -> Void
    ) throws -> ChangeSet {
        switch try read(identifier, as: type) {
        case .miss(let miss):
            guard missing == .ignore else { throw CacheError(miss) }
            return ChangeSet(sequence: .zero)
        case .hit(var model):
            let former = try EncodedRoots.tree(of: model)
            try change(&model)
            let tree = try EncodedRoots.tree(of: model)
            guard !tree.isSame(as: former) else { return ChangeSet(sequence: .zero) }
            return try _perform(.standard) { () throws(CacheError) in _WriteContent(tree: tree) }
        }
    }

    /// Reads the model of type `M` whose identity is `id`, lets `change` change it, and writes it if it is different;
    /// see ``update(_:as:ifMissing:_:)``.
    ///
    /// ```swift
    /// try cache.write { tx in
    ///     try tx.update(Message.self, id: 34, ifMissing: .ignore) { $0.isRead = true }
    /// }
    /// ```
    @discardableResult
    public func update<M: CacheableModel & KeyedModel>(
        _ type: M.Type, id: M.ModelID, ifMissing missing: MissingModel = .fail, _ change: (inout M) throws -> Void
    ) throws -> ChangeSet {
        try update(M.modelIdentifier(for: id), as: type, ifMissing: missing, change)
    }
}

extension NodeTree {
    /// Whether both trees say the same of the same nodes.
    ///
    /// The nodes are compared as they would be stored: a `==` of the model's own may ignore fields.
    func isSame(as other: NodeTree) -> Bool {
        guard count == other.count else { return false }
        for index in 0..<count {
            let (mine, others) = (node(index), other.node(index))
            let isSame =
                unsafe isEqual(mine.key, others.key) && isEqual(mine.body, others.body)
                && isEqual(mine.recordName, others.recordName) && isEqual(mine.projection, others.projection)
            guard isSame else { return false }
        }
        return true
    }
}
