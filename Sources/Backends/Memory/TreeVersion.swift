/// One committed state of a store. The store refers to the last one, and each view to its own; a version without a
/// reference ends.
// SAFETY: what `root` reaches does not change, and the history frees nothing of it before `deinit`.
final class TreeVersion: @unchecked Sendable {
    let tree: ByteTree
    let history: TreeHistory

    /// Makes the empty first version of a new history.
    convenience init() {
        var tree = ByteTree()
        self.init(committing: &tree, to: TreeHistory())
    }

    /// Makes `tree`, whose transaction has ended, the last version of `history`.
    init(committing tree: inout ByteTree, to history: TreeHistory) {
        history.begin(&tree)
        self.tree = tree
        self.history = history
    }

    deinit { history.end(tree) }
}
