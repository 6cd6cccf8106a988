import GroveModel

/// The versions of a tree that are there, each with the nodes that it replaced: they decide when a node is freed.
///
/// A node was made by one version, its birth, and may have been replaced by a later one. The versions between them reach it, and no
/// other does. So when a version ends, the nodes that the next one replaced and no older version reaches are free, and the next one
/// keeps the rest of the list. If there is no next one, the version's own tree is free in this way. Old versions may end in any order,
/// and each keeps the nodes that it reaches and no more. File systems free the blocks of snapshots so (the dead lists of ZFS).
final class TreeHistory: Sendable {
    private struct State {
        /// The versions that are there, in order; what each replaced of the one before it.
        var versions: ContiguousArray<(version: VersionNumber, replaced: NodeList)> = []
        /// Branches without use, for the next transaction; twice ``mostSpare`` at most.
        var spare = NodeList()
        /// How many nodes were made and not freed, spare ones left out.
        var nodes = 0

        /// Keeps `branches`, unless there are enough.
        mutating func keep(_ branches: NodeList) {
            guard spare.count >= TreeHistory.mostSpare else { return spare.append(branches) }
            var branches = branches
            branches.discard()
        }
    }

    private let state = Lock(State())

    /// The most spare branches that are kept; others are freed.
    static let mostSpare = 1024

    deinit { state.withLock { $0.spare.discard() } }

    /// How many nodes there are in all versions together.
    var nodes: Int { state.withLock { $0.nodes } }

    /// A tree for a transaction that begins with the content of `last`.
    func tree(after last: ByteTree) -> ByteTree {
        state.withLock { state in
            defer { state.spare = NodeList() }
            return ByteTree(after: last, spare: state.spare)
        }
    }

    /// Notes the version of `tree`, the last one from now on, and takes its lists.
    func begin(_ tree: inout ByteTree) {
        state.withLock { state in
            state.versions.append((tree.version, tree.replaced))
            state.keep(tree.spare)
            state.nodes += tree.made
        }
        (tree.replaced, tree.spare) = (NodeList(), NodeList())
    }

    /// Frees what the transaction of `tree` has made, which does not commit.
    func abort(_ tree: ByteTree) {
        let count = tree.root?.discard(after: tree.version.previous) ?? 0
        state.withLock { state in
            state.keep(tree.spare)
            state.nodes += tree.made - count
        }
    }

    /// Frees what only the version of `tree` reaches, to which there is no reference any longer.
    func end(_ tree: ByteTree) {
        var doomed = NodeList()
        state.withLock { state in
            guard let index = state.versions.lastIndex(where: { $0.version == tree.version }) else { return }
            var (_, kept) = state.versions.remove(at: index)
            let older = index == 0 ? .none : state.versions[index - 1].version
            guard index < state.versions.count else {
                // Under the lock, as an older version that ends meanwhile frees what this one looks at.
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
