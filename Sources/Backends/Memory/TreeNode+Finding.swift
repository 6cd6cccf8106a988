import GroveCache

/// Searches in the tree below a node.
extension TreeNode {
    /// The value of `key`, or `nil` if there is none.
    @inline(__always)
    func value(_ key: KeyBytes) -> UnsafeRawBufferPointer? {
        var node = self
        while !node.isEntry {
            guard let below = node[key.symbol(at: node.position)] else { return nil }
            node = below
        }
        return unsafe node.key == key ? node.value : nil
    }

    /// An entry whose key shares the longest beginning with `key`.
    func nearest(_ key: KeyBytes) -> TreeNode {
        var node = self
        while !node.isEntry {
            // Every branch has a node below it.
            guard let below = node[key.symbol(at: node.position)] ?? node.first else { break }
            node = below
        }
        return node
    }

    /// The node below a branch under the first symbol in use.
    private var first: TreeNode? {
        for symbol in 0..<KeyBytes.symbols {
            if let below = self[symbol] { return below }
        }
        return nil
    }

    /// The only node below a branch; `nil` if several symbols are in use.
    var only: TreeNode? {
        var only: TreeNode?
        for symbol in 0..<KeyBytes.symbols {
            guard let below = self[symbol] else { continue }
            if only != nil { return nil }
            only = below
        }
        return only
    }

    /// Visits the entries whose keys begin with `prefix`, in the order of their keys' bytes, until `visit` returns
    /// false.
    ///
    /// - Complexity: O(*m*) for *m* such entries.
    func scan(prefix: KeyBytes, _ visit: (TreeNode) throws(CacheError) -> Bool) throws(CacheError) {
        var top = self
        while !top.isEntry, top.position < prefix.symbolCount {
            guard let below = top[prefix.symbol(at: top.position)] else { return }
            top = below
        }
        // All keys below have the same symbols before the position.
        guard top.nearest(prefix).key.begins(with: prefix) else { return }
        _ = try TreeNode.visitEntries(below: [top], visit)
    }

    /// Visits the entries whose keys come after `start`, or all of them, in the order of their keys' bytes, until
    /// `visit` returns false.
    ///
    /// - Complexity: O(*k*) for a key of *k* bytes, and O(*m*) for *m* entries that are visited.
    /// - Returns: whether the visit came to the end.
    func scan(after start: KeyBytes?, _ visit: (TreeNode) throws(CacheError) -> Bool) throws(CacheError) -> Bool {
        try TreeNode.visitEntries(below: start.map { nodes(after: $0) } ?? [self], visit)
    }

    /// Visits the entries below `tops`, those of the last one first; returns whether the visit came to the end.
    private static func visitEntries(
        below tops: [TreeNode], _ visit: (TreeNode) throws(CacheError) -> Bool
    ) throws(CacheError) -> Bool {
        var rest = tops
        while let node = rest.popLast() {
            if node.isEntry {
                guard try visit(node) else { return false }
            } else {
                node.pushBelow(to: &rest)
            }
        }
        return true
    }

    /// The topmost nodes with only keys that come after `start`, the last first.
    private func nodes(after start: KeyBytes) -> [TreeNode] {
        let nearest = nearest(start).key
        // The position at which the stored keys differ from `start`; below it, all are on one side of `start`.
        let difference = nearest.firstDifference(from: start) ?? TreeNode.noPosition
        var (node, rest) = (self, [] as [TreeNode])
        while !node.isEntry, node.position < difference {
            let symbol = start.symbol(at: node.position)
            node.pushBelow(after: symbol, to: &rest)
            guard let below = node[symbol] else { return rest }
            node = below
        }
        guard difference < TreeNode.noPosition else { return rest }
        if !node.isEntry, node.position == difference {
            // The stored keys differ from each other here too.
            node.pushBelow(after: start.symbol(at: difference), to: &rest)
        } else if nearest.symbol(at: difference) > start.symbol(at: difference) {
            rest.append(node)
        }
        return rest
    }

    /// Frees this node and those below it that were made after version `older`; returns their number.
    ///
    /// It is a loop, not a recursion: keys that begin one another make the tree as deep as their number.
    func discard(after older: VersionNumber) -> Int {
        var (rest, count) = ([self], 0)
        while let node = rest.popLast() {
            // Nothing below is younger.
            guard node.birth > older else { continue }
            if !node.isEntry { node.pushBelow(to: &rest) }
            node.discard()
            count += 1
        }
        return count
    }

    /// Pushes the nodes below a branch under the symbols after `last`, or all of them, on a stack, the last symbol's
    /// first.
    private func pushBelow(after last: Int = -1, to rest: inout [TreeNode]) {
        for symbol in (last + 1..<KeyBytes.symbols).reversed() {
            if let below = self[symbol] { rest.append(below) }
        }
    }
}
