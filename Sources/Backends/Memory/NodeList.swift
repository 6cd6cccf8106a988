/// A linked list of nodes: it needs no memory of its own, and two lists are joined in O(1).
///
/// A node is in one list at most, and only after it was replaced in the tree.
struct NodeList {
    private var first: TreeNode?
    private var last: TreeNode?
    private(set) var count = 0

    mutating func append(_ node: TreeNode) {
        node.next = nil
        if let last { last.next = node } else { first = node }
        last = node
        count += 1
    }

    mutating func append(_ other: NodeList) {
        guard let start = other.first else { return }
        if let last { last.next = start } else { first = start }
        last = other.last
        count += other.count
    }

    @inline(__always)
    mutating func popFirst() -> TreeNode? {
        guard let node = first else { return nil }
        first = node.next
        if first == nil { last = nil }
        count -= 1
        return node
    }

    /// Frees the nodes, and leaves the list empty.
    mutating func discard() {
        while let node = popFirst() { node.discard() }
    }
}
