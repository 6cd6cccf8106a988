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
        if made.count > 256 { index.reserve(made.count) }
        for node in made { register(node) }
        for node in made { node.isKnown = false }
        tree?.joined += made.filter { $0.occurrences != nil }
        return true
    }

    private func register(_ node: TreeNode) {
        guard let identifier = node.model.modelIdentifier else { return }
        let occurrences = index.occurrences(of: identifier)
        if occurrences.nodes.isEmpty {
            change.newlyKnown += 1
            index.hold(identifier)
        }
        if !occurrences.isAwaitedByNobody { news.reached.append(occurrences) }
        // If the parent's value is known elsewhere, so is this one's.
        if let other = occurrences.nodes.first {
            node.isKnown = node.parent?.isKnown == true || other.model.isEqual(to: node.model)
            if !node.isKnown {
                index.mixed.insert(identifier)
                if type(of: other.model) == type(of: node.model) { change.hasContradiction = true }
            }
        }
        occurrences.add(node)
        if !occurrences.pending.isEmpty { change.late.append(node) }
    }

    /// Reports an error to the delegate, on the main actor.
    func fail(_ error: CacheError) {
        let reporter = reporter
        deliver { reporter.report(error) }
    }
}
