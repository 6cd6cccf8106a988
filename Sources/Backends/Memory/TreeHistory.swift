import GroveModel

/// The living versions of a tree, each with the nodes that it replaced; they decide when a node is freed.
///
/// A node was made by one version, its birth, and may have been replaced by a later one. Only the versions between them
/// reach it. So when a version ends, the nodes are freed that the next one replaced and no older version reaches. The
/// next one keeps the rest of the list. If there is no next one, the nodes of the version's own tree that no older
/// version reaches are freed. Old versions may end in any order, and each keeps only the nodes that it reaches. File
/// systems free the blocks of snapshots so (the dead lists of ZFS).
final class TreeHistory: Sendable {
    private struct State {
        /// The living versions, in order, each with the nodes of the one before that it replaced.
        var versions: ContiguousArray<(version: VersionNumber, replaced: NodeList)> = []
        /// Unused branches for the next transaction; at most twice ``mostSpare``.
        var spare = NodeList()
        /// The number of nodes that were made and not freed, without spare ones.
        var nodes = 0

        /// Keeps `branches`, unless there are enough.
        mutating func keep(_ branches: NodeList) {
            guard spare.count >= TreeHistory.mostSpare else { return spare.append(branches) }
            var branches = branches
            branches.discard()
        }
    }

    private let state = Lock(State())

    /// The number of spare branches from which on others are freed.
    static let mostSpare = 1024

    deinit { state.withLock { $0.spare.discard() } }

    /// The number of nodes in all versions together.
    var nodes: Int { state.withLock { $0.nodes } }

    /// A tree for a transaction that begins with the content of `last`.
    func tree(after last: ByteTree) -> ByteTree {
        state.withLock { state in
            defer { state.spare = NodeList() }
            return ByteTree(after: last, spare: state.spare)
        }
    }

    /// Adds the version of `tree` as the last one, and takes its lists.
    func begin(_ tree: inout ByteTree) {
        state.withLock { state in
            state.versions.append((tree.version, tree.replaced))
            state.keep(tree.spare)
            state.nodes += tree.made
        }
        (tree.replaced, tree.spare) = (NodeList(), NodeList())
    }

    /// Frees the nodes that the transaction of `tree` made, which does not commit.
    func abort(_ tree: ByteTree) {
        let count = tree.root?.discard(after: tree.version.previous) ?? 0
        state.withLock { state in
            state.keep(tree.spare)
            state.nodes += tree.made - count
        }
    }

    /// Frees the nodes that only the version of `tree` reaches, which has no reference any longer.
    func end(_ tree: ByteTree) {
        var doomed = NodeList()
        state.withLock { state in
            guard let index = state.versions.lastIndex(where: { $0.version == tree.version }) else { return }
            var (_, kept) = state.versions.remove(at: index)
            let older = index == 0 ? .none : state.versions[index - 1].version
            guard index < state.versions.count else {
                // Nodes are freed under the lock: an older version that ended meanwhile would free nodes that this one
                // visits.
                state.nodes -= tree.root?.discard(after: older) ?? 0
                return
            }
            while let node = state.versions[index].replaced.popFirst() {
                if node.birth <= older {
                    kept.append(node)
                } else {
                    state.nodes -= 1
                    if node.isEntry || state.spare.count >= Self.mostSpare {
                        doomed.append(node)
                    } else {
                        state.spare.append(node)
                    }
                }
            }
            state.versions[index].replaced = kept
        }
        doomed.discard()
    }
}
