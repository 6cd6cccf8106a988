public import GroveModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension ChangeSet {
    /// The identities of the models of type `M` that were changed or deleted.
    ///
    /// ```swift
    /// for await changes in cache.changes() {
    ///     for id in changes.ids(of: Message.self) { index(try cache.model(Message.self, id: id), id) }
    /// }
    /// ```
    ///
    /// For the deleted ones alone, write `changes.deletedModelIds.ids(of: Message.self)`. If ``changesEverything`` is
    /// true, other models may be different too.
    ///
    /// - Complexity: as ``changedModelIds``, and a few steps for each identifier in it.
    public func ids<M: KeyedModel>(of type: M.Type) -> Set<M.ModelID>
    where M.ModelID: Hashable & LosslessStringConvertible {
        changedModelIds.ids(of: type).union(deletedModelIds.ids(of: type))
    }

    /// The identities of the models of type `M` that were changed or deleted; see ``ids(of:)``.
    public func ids<M: KeyedModel>(of type: M.Type) -> Set<UUID> where M.ModelID == UUID {
        changedModelIds.ids(of: type).union(deletedModelIds.ids(of: type))
    }
}

extension Sequence<ModelIdentifier> {
    /// The identities of the models of type `M` among these identifiers.
    ///
    /// An identifier counts if it ends with the identity, as the identifiers that `@Cacheable` makes do.
    public func ids<M: KeyedModel>(of type: M.Type) -> Set<M.ModelID>
    where M.ModelID: Hashable & LosslessStringConvertible {
        ids(of: type) { M.ModelID($0) }
    }

    /// The identities of the models of type `M` among these identifiers.
    ///
    /// An identifier counts if it ends with the identity, as the identifiers that `@Cacheable` makes do.
    public func ids<M: KeyedModel>(of type: M.Type) -> Set<UUID> where M.ModelID == UUID {
        ids(of: type) { UUID(uuidString: $0) }
    }

    private func ids<M: KeyedModel>(of type: M.Type, _ id: (String) -> M.ModelID?) -> Set<M.ModelID>
    where M.ModelID: Hashable {
        var found: Set<M.ModelID> = []
        let prefix = M.identifierPrefix
        for identifier in self {
            // Text that is canonically equivalent to the prefix is not the prefix.
            let name = identifier.rawValue.utf8
            if let prefix {
                guard name.starts(with: prefix.utf8) else { continue }
                let rest = String(decoding: name.dropFirst(prefix.utf8.count), as: UTF8.self)
                if let id = id(rest), M.modelIdentifier(for: id) == identifier { found.insert(id) }
                continue
            }
            // The identity is the end whose own identifier is the whole of this one.
            for start in name.indices {
                let end = String(decoding: name[start...], as: UTF8.self)
                guard let id = id(end), M.modelIdentifier(for: id) == identifier else { continue }
                found.insert(id)
                break
            }
        }
        return found
    }
}
