import GroveModel

extension Engine {
    /// Gives `top` the value `model` and its descendants the values in it, keeping the places that did not change.
    ///
    /// - Parameter tree: collects the identifiers of those that changed.
    /// - Parameter isRefusal: whether a model goes back to its former children.
    func reindex(_ top: TreeNode, _ model: any Model, _ tree: Tree?, isRefusal: Bool = false) {
        var waiting: [(node: TreeNode, model: any Model)] = [(top, model)]
        while let (node, model) = waiting.popLast() {
            node.model = model
            var children: [any Model] = []
            children.reserveCapacity(node.children.count)
            model.forEach { children.append($0) }
            if !isAligned(node.children, children) { realign(node, children, tree) }
            for (place, child) in zip(node.children, children) where !place.model.isEqual(to: child) {
                if let occurrences = place.occurrences {
                    tree?.updates.changedModelIds.insert(occurrences.identifier)
                    if tree == nil, occurrences.nodes.count > 1 {
                        index.mixed.insert(occurrences.identifier)
                        if !isRefusal { change.hasContradiction = true }
                    }
                }
                waiting.append((place, child))
            }
        }
    }

    private func isAligned(_ places: [TreeNode], _ children: [any Model]) -> Bool {
        places.count == children.count && zip(places, children).allSatisfy { $0.isPlace(of: $1) }
    }

    /// Makes `node`'s places those of `children`: common ends stay, the rest is matched by identifier.
    ///
    /// - Parameter tree: collects the places that join and the models that leave.
    private func realign(_ node: TreeNode, _ children: [any Model], _ tree: Tree?) {
        let old = node.children
        var start = 0
        while start < old.count, start < children.count, old[start].isPlace(of: children[start]) { start += 1 }
        var oldEnd = old.count
        var newEnd = children.count
        while oldEnd > start, newEnd > start, old[oldEnd - 1].isPlace(of: children[newEnd - 1]) {
            oldEnd -= 1
            newEnd -= 1
        }
        var leaving: [ModelIdentifier: [TreeNode]] = [:]
        var gone: [TreeNode] = []
        for place in old[start..<oldEnd].reversed() {
            if let identifier = place.occurrences?.identifier {
                leaving[identifier, default: []].append(place)
            } else {
                gone.append(place)
            }
        }
        var middle: [TreeNode] = []
        var new: [TreeNode] = []
        for child in children[start..<newEnd] {
            if let identifier = child.modelIdentifier, let place = leaving[identifier]?.popLast() {
                middle.append(place)
            } else {
                let place = TreeNode(child, parent: node, index: 0)
                middle.append(place)
                new.append(place)
            }
        }
        node.children.replaceSubrange(start..<oldEnd, with: middle)
        for position in start..<node.children.count { node.children[position].index = position }
        for place in new { _ = grow(place, joining: tree) }
        for place in gone { index.detach(place, leaving: tree) }
        for place in leaving.values.joined() { index.detach(place, leaving: tree) }
    }
}

extension TreeNode {
    /// Whether a model of this identity belongs at this place.
    func isPlace(of model: any Model) -> Bool {
        model.modelIdentifier == occurrences?.identifier
    }
}
