/// One committed state of a store, for as long as there is a reference to it: the store's while it is the last, and each view's.
// SAFETY: what `root` reaches does not change, and the history frees nothing of it before `deinit`.
final class TreeVersion: @unchecked Sendable {
    let tree: ByteTree
    let history: TreeHistory

    /// Makes the first version of a history of its own, which is empty.
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
