import GroveModel

/// The change of the trees that is under way: what it has met, and the places that it has still to visit.
struct TreeChange {
    /// The mark of the change; several changes make one delivery.
    private(set) var mark = ChangeMark.none
    /// Whether the change met two versions of one model that do not come from two projections.
    var hasContradiction = false
    /// The number of identifiers that the change brought and no listener had.
    var newlyPosted = 0
    /// The number of those among them that a listener has now.
    var newlyKnown = 0
    /// Places that were made during the change and hold a model that it brings.
    var late: [TreeNode] = []
    /// Places with a changed child.
    var dirty: [TreeNode] = []

    /// Begins another change.
    mutating func begin() { mark = mark.next }

    /// Begins a change that is to be examined for contradictions.
    mutating func beginPosted() {
        begin()
        (hasContradiction, newlyPosted, newlyKnown) = (false, 0, 0)
    }

    /// Marks the way from a changed place to its root.
    mutating func markChanged(_ node: TreeNode) {
        guard node.changed.mark != mark else { return }
        node.changed = TreeNode.Changed(mark: mark)
        var child = node
        while let parent = child.parent {
            let isMarked = parent.changed.mark == mark
            if !isMarked { parent.changed = TreeNode.Changed(mark: mark) }
            switch parent.changed.children {
            case .none:
                parent.changed.children = .one(at: child.index)
                dirty.append(parent)
            case .one, .several: parent.changed.children = .several
            }
            if isMarked { return }
            child = parent
        }
    }
}
