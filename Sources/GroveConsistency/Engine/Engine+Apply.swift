import GroveModel

extension Engine {
    /// Applies one posted tree to every listened tree.
    ///
    /// Its news are collected in the round.
    ///
    /// If the tree holds two versions of one model, the last in its own order counts, in every place, as in a cache.
    ///
    /// - Parameter isWhole: whether to visit also the parts that did not change, which is needed only then.
    func apply(_ posted: any Model, isWhole: Bool = false) {
        guard let touched = collect(posted, isWhole: isWhole) else { return }
        if !isWhole, change.hasContradiction || touched.contains(where: contradicts) {
            for occurrences in touched { occurrences.pending = [] }
            return apply(posted, isWhole: true)
        }
        note(posted)
        var places: [TreeNode] = []
        for occurrences in touched {
            for node in occurrences.nodes where node.equalMark != change.mark { places.append(node) }
        }
        // A place is replaced before those below it.
        if places.count > 1 { places.sort { $0.depth < $1.depth } }
        for node in places { bringUpToDate(node) }
        // A merged model may hold children that the posted tree has in another version.
        var next = 0
        while next < change.late.count, next < maxNodes {
            bringUpToDate(change.late[next])
            next += 1
        }
        change.late = []
        rebuild()
        for occurrences in touched {
            if !occurrences.isAwaitedByNobody {
                adopt(occurrences) { occurrences.pending.last(where: $0.accepts) }
            }
            settle(occurrences)
            index.forget(occurrences)
        }
        change.late = []
        // A model that is new to every listener may be in the posted tree a second time, in another version and a part
        // without listeners.
        let isKnownInPart = change.newlyKnown > 0 && change.newlyKnown < change.newlyPosted
        if !isWhole, change.hasContradiction || isKnownInPart { apply(posted, isWhole: true) }
    }

    /// Whether the posted tree, which brings another version of this model, holds the present version too.
    private func contradicts(_ occurrences: Occurrences) -> Bool {
        guard occurrences.newMark == change.mark else { return false }
        for node in occurrences.nodes {
            var place: TreeNode? = node
            while let above = place {
                if above.equalMark == change.mark { return true }
                place = above.parent
            }
        }
        return false
    }

    /// Notes the posted tree for reads, requests and conditions, before it is applied.
    private func note(_ posted: any Model) {
        guard recent.log.isOpen || recent.requests.isOpen || !predicates.isEmpty else { return }
        posted.forEachInOrder { model in
            guard let identifier = model.modelIdentifier else { return }
            if recent.log.isOpen {
                recent.log.record(model, identifier, at: call.asOf, appliedAt: call.sequence)
            }
            // A model that is read is as old as the call that stored it: an edit, an answer, or a commit that was
            // learned of.
            if recent.requests.isOpen, !call.isRead, isNews(model, identifier) {
                recent.note(identifier, model.projectionIdentifier, by: call)
            }
            if !predicates.isEmpty { match(model, identifier) }
        }
        recent.forgetIfTooMany(at: call.sequence)
    }

    /// Whether `model` differs from the held version of its projection in more than its children.
    private func isNews(_ model: any Model, _ identifier: ModelIdentifier) -> Bool {
        guard let held = held(identifier, like: model) else { return true }
        if held.isEqual(to: model) { return false }
        var children: [any Model] = []
        model.forEach { children.append($0) }
        guard !children.isEmpty else { return true }
        // The same fields with the same children, each in its new version.
        var next = 0
        var isSame = true
        let moved = held.map { old in
            defer { next += 1 }
            guard next < children.count, old.modelIdentifier == children[next].modelIdentifier else {
                isSame = false
                return old
            }
            return children[next]
        }
        guard isSame, next == children.count, let moved else { return true }
        return !moved.isEqual(to: model)
    }

    /// The held version of `identifier` in the projection of `model`.
    func held(_ identifier: ModelIdentifier, like model: any Model) -> (any Model)? {
        held(identifier, of: model.projectionIdentifier)
    }

    /// The held version of `identifier` in a projection.
    func held(_ identifier: ModelIdentifier, of projection: String) -> (any Model)? {
        index.registers[identifier]?.nodes.prefix(64).first { $0.model.projectionIdentifier == projection }?.model
    }

    /// Takes the posted tree apart, and collects the models that it brings for each identifier with listeners.
    ///
    /// If there is a listened tree with the same identifiers, the walk goes along it. Then no identifier is hashed, and
    /// a subtree that did not change is not entered.
    private func collect(_ posted: any Model, isWhole: Bool) -> [Occurrences]? {
        change.beginPosted()
        let mayPrune = index.mixed.isEmpty && !isWhole
        var touched: [Occurrences] = []
        var waiting: [(model: any Model, beside: TreeNode?)] = [(posted, nil)]
        var visited = 0
        while let (model, guess) = waiting.popLast() {
            visited += 1
            guard visited <= maxNodes else {
                for occurrences in touched {
                    occurrences.pending = []
                    index.forget(occurrences)
                }
                fail(CacheError(.tooManyPaths, "A posted tree has more than a million nodes, occurrences counted."))
                return nil
            }
            var beside = guess
            var found: Occurrences?
            if let identifier = model.modelIdentifier {
                found = guess?.occurrences
                if found?.identifier != identifier {
                    // One version counts, whether or not the model has a listener yet.
                    found = isWhole ? index.occurrences(of: identifier) : index.registers[identifier]
                    beside = found?.nodes.first
                    if found == nil { change.newlyPosted += 1 }
                }
            } else if guess?.occurrences != nil {
                beside = nil
            }
            let isEqual = !isWhole && (beside.map { $0.model.isEqual(to: model) } ?? false)
            if isEqual {
                beside?.equalMark = change.mark
                if mayPrune { continue }
            }
            if let found, isWhole || !isEqual || found.nodes.count > 1 || !found.isAwaitedByNobody {
                if found.pending.isEmpty { touched.append(found) }
                if !isEqual { found.newMark = change.mark }
                if let before = found.pending.bring(model), !before.isEqual(to: model) {
                    change.hasContradiction = true
                }
            }
            let start = waiting.count
            var position = 0
            model.forEach { child in
                let places = beside?.children
                waiting.append((child, places.flatMap { position < $0.count ? $0[position] : nil }))
                position += 1
            }
            waiting[start...].reverse()
        }
        return touched
    }

    /// Gives one place the models that the change brings for it.
    private func bringUpToDate(_ node: TreeNode) {
        guard !node.isDetached, let occurrences = node.occurrences, let first = occurrences.pending.first else {
            return
        }
        var model = node.model.merge(first)
        for other in occurrences.pending.dropFirst() { model = model.merge(other) }
        guard !model.isEqual(to: node.model) else { return }
        let tree = news.touch(node)
        news.noteReplacement(of: node.model, by: model)
        tree?.updates.changedModelIds.insert(occurrences.identifier)
        change.markChanged(node)
        reindex(node, model, tree)
    }

    /// Rebuilds the marked ways, from below.
    func rebuild() {
        if change.dirty.count > 1 { change.dirty.sort { $0.depth > $1.depth } }
        for node in change.dirty where !node.isDetached { rebuild(node) }
        change.dirty = []
    }

    private func rebuild(_ node: TreeNode) {
        let mark = change.mark
        let tree = news.touch(node)
        let result: (any Model)?
        var isShorter = false
        if case .one(let only) = node.changed.children, only < node.children.count,
            node.children[only].changed.mark == mark, !node.children[only].isDetached
        {
            result = node.model.replacingChild(at: only, with: node.children[only].model)
        } else {
            var position = 0
            let places = node.children
            result = node.model.map { old in
                defer { position += 1 }
                guard position < places.count else { return old }
                let place = places[position]
                // A place that is detached and yet here was deleted.
                if place.isDetached { isShorter = true }
                return place.isDetached ? nil : place.changed.mark == mark ? place.model : old
            }
        }
        if let result {
            node.model = result
            if let occurrences = node.occurrences { tree?.updates.changedModelIds.insert(occurrences.identifier) }
            guard isShorter else { return }
            node.children.removeAll { $0.isDetached }
            for (position, child) in node.children.enumerated() { child.index = position }
        } else if isShorter {
            remove(node, tree)
        } else {
            // Nothing was deleted: the model refused a child that it should have taken. It keeps its children.
            reindex(node, node.model, nil, isRefusal: true)
            fail(CacheError(.other, "A model's map returned nil although none of its children was deleted."))
        }
    }

    /// Deletes one place; the model above learns of it when it is rebuilt.
    func remove(_ node: TreeNode, _ tree: Tree?) {
        news.noteReplacement(of: node.model, by: nil)
        if let identifier = node.occurrences?.identifier { tree?.updates.deletedModelIds.insert(identifier) }
        if node.parent == nil, let tree {
            node.occurrences?.trees.removeAll { $0 === tree }
            tree.isDeleted = true
        }
        index.detach(node)
    }

    /// Deletes every place of `identifier`.
    func applyDelete(_ identifier: ModelIdentifier) {
        recent.noteDeletion(identifier, by: call)
        if !predicates.isEmpty { matchDelete(identifier) }
        removeAll(identifier)
    }

    /// Removes every place of `identifier`.
    func removeAll(_ identifier: ModelIdentifier) {
        guard let occurrences = index.registers[identifier] else { return }
        change.begin()
        for node in occurrences.nodes.sorted(by: { $0.depth < $1.depth }) where !node.isDetached {
            let tree = news.touch(node)
            change.markChanged(node)
            remove(node, tree)
        }
        rebuild()
    }

    /// Ends a change for one identifier: whether its places agree is known now.
    private func settle(_ occurrences: Occurrences) {
        occurrences.pending = []
        if index.mixed.isEmpty {
            guard let first = occurrences.nodes.first, occurrences.nodes.count > 1 else { return }
            let kind = ObjectIdentifier(type(of: first.model))
            if occurrences.nodes.contains(where: { ObjectIdentifier(type(of: $0.model)) != kind }) {
                index.mixed.insert(occurrences.identifier)
            }
            return
        }
        guard let first = occurrences.nodes.first else { return }
        if occurrences.nodes.allSatisfy({ first.model.isEqual(to: $0.model) }) {
            index.mixed.remove(occurrences.identifier)
        } else {
            index.mixed.insert(occurrences.identifier)
        }
    }
}

extension [any Model] {
    /// Adds a version of a model to others of it: one per projection, the last of each.
    ///
    /// - Returns: the version of that projection that was there before.
    @discardableResult
    mutating func bring(_ model: any Model) -> (any Model)? {
        if !isEmpty {
            let projection = model.projectionIdentifier
            if let same = firstIndex(where: { $0.projectionIdentifier == projection }) {
                defer { self[same] = model }
                return self[same]
            }
        }
        append(model)
        return nil
    }
}
