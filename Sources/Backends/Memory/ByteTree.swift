import GroveCache

/// An ordered map from bytes to bytes, which a transaction makes from the last one and which shares all unchanged nodes
/// with it.
///
/// A change copies the branches on its path that an older version has too, and changes in place those that this tree
/// made. So a batch copies each branch that it touches once. The tree lists the nodes that it replaced; a
/// ``TreeHistory`` frees them when no version reaches them any longer.
///
/// It is a PATRICIA trie over half bytes (Morrison, 1968): a branch looks at the first symbol in which the keys below
/// it differ. The content alone decides its shape, so nothing is balanced, and removals leave no trace. A path has at
/// most one branch for each symbol of the key, and log₁₆ *n* of them if keys are random.
///
/// No node is younger than one above it: a change below a branch has copied the branch.
struct ByteTree {
    /// The number of this version, greater than all earlier ones; a node with this birth belongs to this tree alone.
    let version: VersionNumber

    /// The topmost node; `nil` if there is no entry.
    private(set) var root: TreeNode?

    /// The number of entries.
    private(set) var entries = 0

    /// Bytes of all keys and values together.
    private(set) var payloadBytes = 0

    /// The nodes that the version before reaches and this tree does not.
    var replaced = NodeList()

    /// Unused branches, whose memory is taken first.
    var spare = NodeList()

    /// The number of nodes that this tree has made and not freed.
    private(set) var made = 0

    /// Makes an empty tree.
    init() { version = VersionNumber.none.next }

    /// Makes a tree with the content of `last`, the last version.
    init(after last: ByteTree, spare: NodeList) {
        (version, root, entries, payloadBytes) = (last.version.next, last.root, last.entries, last.payloadBytes)
        self.spare = spare
    }

    /// Puts `value` under `key`, in place of the value there; both may lie in this tree.
    mutating func put(_ key: KeyBytes, _ value: UnsafeRawBufferPointer) {
        let entry = unsafe TreeNode(entry: key, value, birth: version)
        let key = entry.key
        made += 1
        payloadBytes += entry.payloadBytes
        let nearest = root?.nearest(key)
        // The position of the branch that distinguishes the two; `nil` if the keys are equal.
        let difference = nearest.map { key.firstDifference(from: $0.key) } ?? 0
        let (branch, symbol, _) = own(key, upTo: difference ?? TreeNode.noPosition - 1)
        let old = branch.map { $0[symbol] } ?? root
        guard let difference, let nearest, let old else {
            set(branch, symbol, to: entry)
            guard let old else { return entries += 1 }
            payloadBytes -= old.payloadBytes
            return drop(old)
        }
        entries += 1
        made += 1
        let fork = TreeNode(branchAt: difference, birth: version, spare: &spare)
        fork[nearest.key.symbol(at: difference)] = old
        fork[key.symbol(at: difference)] = entry
        set(branch, symbol, to: fork)
    }

    /// Removes the entry of `key`; nothing is copied if there is none.
    mutating func remove(_ key: KeyBytes) {
        guard unsafe root?.value(key) != nil else { return }
        let (branch, symbol, above) = own(key, upTo: TreeNode.noPosition - 1)
        guard let old = branch.map({ $0[symbol] }) ?? root else { return }
        set(branch, symbol, to: nil)
        entries -= 1
        payloadBytes -= old.payloadBytes
        // A branch with one slot in use distinguishes nothing: the node in the slot takes its place.
        if let branch, let only = branch.only {
            set(above, above.map { key.symbol(at: $0.position) } ?? 0, to: only)
            drop(branch)
        }
        drop(old)
    }

    /// Makes the branches on the path to `key` this tree's own, up to position `last`.
    ///
    /// - Returns: the last of them, the key's symbol there, and the branch above.
    @inline(__always)
    private mutating func own(_ key: KeyBytes, upTo last: Int) -> (branch: TreeNode?, symbol: Int, above: TreeNode?) {
        var (branch, symbol, above) = (nil as TreeNode?, 0, nil as TreeNode?)
        var below = root
        while var node = below, node.position <= last {
            if node.birth < version {
                replaced.append(node)
                made += 1
                node = TreeNode(copyOf: node, birth: version, spare: &spare)
                set(branch, symbol, to: node)
            }
            above = branch
            branch = node
            symbol = key.symbol(at: node.position)
            below = node[symbol]
        }
        return (branch, symbol, above)
    }

    /// Puts `node` below `branch`, or at the top.
    @inline(__always)
    private mutating func set(_ branch: TreeNode?, _ symbol: Int, to node: TreeNode?) {
        if let branch { branch[symbol] = node } else { root = node }
    }

    /// Frees a node that was taken out, or lists it as replaced if older versions may reach it.
    private mutating func drop(_ node: TreeNode) {
        if node.birth < version { return replaced.append(node) }
        made -= 1
        if node.isEntry || spare.count >= TreeHistory.mostSpare { node.discard() } else { spare.append(node) }
    }
}
