import GroveModel

/// The most nodes that one tree may have, occurrences counted.
let maxNodes = 1_000_000

extension Engine {
    /// Makes the places of a tree and registers them, or `nil` if there are more than a million.
    func makeTree(_ model: any Model) -> Tree? {
        let root = TreeNode(model, parent: nil, index: 0)
        guard grow(root) else { return nil }
        let tree = Tree(root: root)
        root.occurrences?.trees.append(tree)
        return tree
    }

    /// Makes and registers `top`'s descendants and registers `top`; nothing if there are too many.
    ///
    /// - Parameter tree: the tree that is told of the identified ones.
    func grow(_ top: TreeNode, joining tree: Tree? = nil) -> Bool {
        var waiting = [top]
        var made: [TreeNode] = []
        while let node = waiting.popLast() {
            made.append(node)
            if made.count > maxNodes { break }
            node.model.forEach { child in
                let place = TreeNode(child, parent: node, index: node.children.count)
                node.children.append(place)
                if made.count + waiting.count <= maxNodes { waiting.append(place) }
            }
        }
        guard made.count <= maxNodes else {
            fail(CacheError(.tooManyPaths, "A tree has more than a million nodes, occurrences counted."))
            top.children = []
            return false
        }
        if made.count > 256, index.capacity < index.count + made.count {
            index.reserveCapacity(max(index.count + made.count, 2 * index.capacity))
        }
        for node in made { register(node) }
        for node in made { node.isKnown = false }
        tree?.joined += made.filter { $0.occurrences != nil }
        return true
    }

    func occurrences(of identifier: ModelIdentifier) -> Occurrences {
        // One look-up, whether or not it is there.
        func held(_ place: inout Occurrences) -> Occurrences { place }
        return held(&index[identifier, default: Occurrences(identifier)])
    }

    private func register(_ node: TreeNode) {
        guard let identifier = node.model.modelIdentifier else { return }
        let occurrences = occurrences(of: identifier)
        if occurrences.nodes.isEmpty {
            newlyKnown += 1
            if keepsHeld { held.insert(identifier) }
        }
        if !occurrences.isAwaitedByNobody { reached.append(occurrences) }
        // If the parent's value is known elsewhere, so is this one's.
        if let other = occurrences.nodes.first {
            node.isKnown = node.parent?.isKnown == true || other.model.isEqual(to: node.model)
            if !node.isKnown {
                mixed.insert(identifier)
                if type(of: other.model) == type(of: node.model) { hasContradiction = true }
            }
        }
        occurrences.add(node)
        if !occurrences.pending.isEmpty { late.append(node) }
    }

    /// Takes `top` and its descendants out of the index.
    ///
    /// - Parameter tree: the tree that keeps the models of the identified ones.
    func detach(_ top: TreeNode, leaving tree: Tree? = nil) {
        var waiting = [top]
        while let node = waiting.popLast() {
            waiting.append(contentsOf: node.children)
            node.children = []
            node.isDetached = true
            guard let occurrences = node.occurrences else { continue }
            tree?.left.append(node.model)
            occurrences.remove(node)
            if keepsHeld, occurrences.nodes.isEmpty { released.append(occurrences.identifier) }
            forget(occurrences)
        }
    }

    /// Takes a tree out of the index.
    func remove(_ tree: Tree) {
        if let occurrences = tree.root.occurrences {
            occurrences.trees.removeAll { $0 === tree }
        }
        detach(tree.root)
    }

    func forget(_ occurrences: Occurrences) {
        if occurrences.nodes.count <= 1, !mixed.isEmpty { mixed.remove(occurrences.identifier) }
        if occurrences.isUnused, occurrences.pending.isEmpty { index[occurrences.identifier] = nil }
    }

    /// Reports an error to the delegate, on the main actor.
    func fail(_ error: CacheError) {
        let report = reportError
        deliver { report(error) }
    }
}
