import GroveModel

extension ModelUpdates {
    /// The differences between the trees `before` and `after`.
    ///
    /// A model changed if both hold it, in different versions. A model was deleted if it is among `deleted` and only
    /// `before` holds it: one that came back was not deleted.
    ///
    /// - Complexity: O(models in both), each compared once.
    init(from before: [any Model], to after: [any Model], deleted: Set<ModelIdentifier>) {
        self.init()
        let new = Self.versions(in: after)
        for (identifier, old) in Self.versions(in: before) {
            if let new = new[identifier] {
                if Self.differ(old, new) { changedModelIds.insert(identifier) }
            } else if deleted.contains(identifier) {
                deletedModelIds.insert(identifier)
            }
        }
    }

    /// The identified models in `trees`: for each identifier one version of each type, the last.
    private static func versions(in trees: [any Model]) -> [ModelIdentifier: [any Model]] {
        var found: [ModelIdentifier: [any Model]] = [:]
        for tree in trees {
            tree.forEachInOrder { model in
                guard let identifier = model.modelIdentifier else { return }
                var versions = found.removeValue(forKey: identifier) ?? []
                versions.removeAll { type(of: $0) == type(of: model) }
                found[identifier] = versions + [model]
            }
        }
        return found
    }

    /// Whether a type has another version in `new`, or no type is in both.
    private static func differ(_ old: [any Model], _ new: [any Model]) -> Bool {
        let pairs = old.flatMap { old in new.filter { type(of: $0) == type(of: old) }.map { (old, $0) } }
        return pairs.isEmpty || pairs.contains { !$0.isEqual(to: $1) }
    }
}
