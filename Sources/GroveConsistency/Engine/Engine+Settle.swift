package import GroveModel

/// The cache's answer about a node whose newest version is not in memory.
package enum FoundNode: Sendable {
    case model(any SimpleModel)
    case deleted
    /// The cache has nothing of it, or only a part.
    case absent
}

/// The cache's answers about the nodes of one read.
package struct FoundNodes: Sendable {
    package var nodes: [ModelIdentifier: FoundNode] = [:]
    /// The turn at which the read began, by ``ConsistencyManager/beginFetch(for:)``.
    let began: Turn

    package init(asOf began: Turn) { self.began = began }
}

/// An answer of the network, less the nodes that changed since the request.
struct AnswerDraft {
    /// The trees that were asked for, with the newest known versions of nodes that changed since; `nil` for those that
    /// were deleted.
    var roots: [(any Model)?] = []
    /// The trees to post: those of the answer, and those below nodes that changed since.
    var posts: [any Model] = []
    /// The nodes that were changed or deleted since.
    var lost: Set<ModelIdentifier> = []
    /// The nodes among them that were changed and that no listener holds.
    var unknown: [(identifier: ModelIdentifier, type: any SimpleModel.Type)] = []
}

extension Engine {
    /// Compares `models`, an answer to a request that was sent at `asked`, with the changes since.
    ///
    /// A node that was not changed since is taken. If a node was changed, the held version stays; if no listener holds
    /// it, it is looked up in `found`. A deleted node stays deleted. A deletion or change concerns the node alone: the
    /// nodes below it are compared too.
    ///
    /// - Parameter isList: whether the models are elements of a list, which holds none that was deleted since, even if
    ///   it was written again.
    func draft(
        _ models: [any Model], asked: Turn, isList: Bool, found: [ModelIdentifier: FoundNode]
    ) -> AnswerDraft {
        let changes = recent.changes(since: asked, among: models.identifiers)
        guard !changes.isEmpty else { return AnswerDraft(roots: models, posts: models) }
        var draft = AnswerDraft()
        var below: [any Model] = []
        for model in models {
            let root = rebuilt(model, asOf: asked) {
                compare(&$0, with: changes, isHeld: isList, found, &draft, &below)
            }
            draft.roots.append(root)
            if let root { draft.posts.append(root) }
        }
        while let model = below.popLast() {
            let root = rebuilt(model, asOf: asked) { compare(&$0, with: changes, isHeld: false, found, &draft, &below) }
            if let root { draft.posts.append(root) }
        }
        // A tree whose root changed since is held already: it is no news.
        draft.posts.removeAll { $0.modelIdentifier.map(draft.lost.contains) ?? false }
        return draft
    }

    /// - Returns: whether the place's children must be looked at too.
    private func compare(
        _ place: inout TreePlace, with changes: NodeChanges, isHeld: Bool, _ found: [ModelIdentifier: FoundNode],
        _ draft: inout AnswerDraft, _ below: inout [any Model]
    ) -> Bool {
        guard let identifier = place.model.modelIdentifier else { return true }
        var verdict = changes.verdict(identifier, place.model.projectionIdentifier)
        // A holder from before the deletion does not hold the node again, even if it was written since.
        if isHeld || place.parent >= 0, changes.wasDeleted(identifier) { verdict = .deleted }
        let old = place.model
        let held = held(identifier, like: old)
        // If any node may have changed, and neither a listener nor the cache has this one, this one did not change.
        if verdict == .uncertain, held == nil, case .absent? = found[identifier] { verdict = .unchanged }
        guard verdict != .unchanged else { return true }
        old.forEach { below.append($0) }
        place.isChanged = true
        let isNew = draft.lost.insert(identifier).inserted
        guard verdict != .deleted else {
            place.isRemoved = true
            return false
        }
        if let held {
            place.model = held
        } else {
            switch found[identifier] {
            case .model(let model) where type(of: model) == type(of: Leaf.base(old)): place.model = Leaf.node(model)
            case .deleted: place.isRemoved = true
            case .model, .absent, nil: if isNew { draft.unknown.append((identifier, type(of: Leaf.base(old)))) }
            }
        }
        return false
    }

    /// Ends the read of `found`, and returns its newest versions; other nodes that changed meanwhile are to be looked
    /// up again.
    func newest(_ found: FoundNodes) -> [ModelIdentifier: FoundNode] {
        defer { endRead(found.began) }
        return found.nodes.reduce(into: [:]) { newest, node in
            if case .model(let model) = node.value {
                newest[node.key] = graft(Leaf.node(model), since: found.began).map { .model(Leaf.base($0)) } ?? .deleted
            } else if !recent.log.hasChanged(node.key, since: found.began) {
                newest[node.key] = node.value
            }
        }
    }

    /// Ends a read of the cache.
    ///
    /// - Parameter brought: the nodes that are held because of it, and may be older than commits of others since
    ///   `turn`.
    func endRead(_ turn: Turn, brought: @autoclosure () -> Set<ModelIdentifier> = []) {
        let brought = recent.learned.isEmpty ? [] : brought()
        // After a wipe all nodes that it brought are old, also those that the wipe does not name.
        let isEmptied = !brought.isEmpty && recent.learned.isOver(since: turn)
        let stale = isEmptied ? brought : recent.learned.changed(since: turn, among: brought)
        let deleted = isEmptied ? brought : recent.learned.deleted(since: turn, among: stale)
        recent.endRead()
        guard !stale.isEmpty, let tell = recent.tellStale else { return }
        tell(stale, deleted, isEmptied)
    }
}

extension [any Model] {
    /// The identifiers of the nodes in these trees.
    package var identifiers: Set<ModelIdentifier> {
        var found: Set<ModelIdentifier> = []
        for model in self {
            model.forEachInOrder { if let identifier = $0.modelIdentifier { found.insert(identifier) } }
        }
        return found
    }
}
