import GroveModel

/// One place in a tree that has listeners.
///
/// Nodes mirror the tree of models: from a changed model the path to its root is known, and no other node is visited.
/// Confined to the engine's queue.
final class TreeNode {
    var model: any Model
    unowned var parent: TreeNode?
    /// The position among the parent's children.
    var index: Int
    let depth: Int
    var children: [TreeNode] = []

    /// The register of this node's identifier, in which it has `slot`; `nil` without identifier or when detached.
    var occurrences: Occurrences?
    var slot = 0
    /// The tree whose root this is.
    unowned var tree: Tree?
    /// Whether the place was deleted, or left its tree.
    var isDetached = false
    /// Whether another place holds an equal model, while a tree is registered.
    var isKnown = false

    /// The change whose posted tree has an equal model at this place.
    var equalMark = ChangeMark.none
    var changed = Changed()

    /// The last change of a place, and its children that are changed or removed in it.
    struct Changed {
        enum Children {
            case none
            case one(at: Int)
            case several
        }

        /// The change in which the parent's model does not have this node's model yet.
        var mark = ChangeMark.none
        var children = Children.none
    }

    init(_ model: any Model, parent: TreeNode?, index: Int) {
        self.model = model
        self.parent = parent
        self.index = index
        depth = parent.map { $0.depth + 1 } ?? 0
    }

    /// The root above this node.
    ///
    /// O(depth).
    var root: TreeNode {
        var node = self
        while let parent = node.parent { node = parent }
        return node
    }
}
