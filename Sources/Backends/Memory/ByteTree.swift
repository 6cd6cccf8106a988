import GroveCache

/// A persistent ordered map from bytes to bytes: a copy is a snapshot, made in O(1), in which no later change shows.
///
/// A change copies the branches on its path that another copy of the tree has too, and changes the others in place. So a
/// batch copies each branch that it touches once, and reference counts free what no copy reaches any longer.
///
/// It is a PATRICIA trie over half bytes (Morrison, 1968): a branch looks at the first symbol in which the keys below it
/// differ. The content alone decides its shape, so nothing is balanced and removals leave nothing behind. A path has at
/// most one branch for each symbol of the key, and log₁₆ *n* of them where keys are random.
// SAFETY: what two copies share is not changed while both are there; see `TreeBranch.own(_:)`.
struct ByteTree: @unchecked Sendable {
    /// The topmost branch, which looks at the first symbol and may be empty.
    private var root = TreeBranch.make(position: 0)

    /// The number of entries.
    private(set) var entries = 0

    /// Bytes of all keys and values together.
    private(set) var payloadBytes = 0

    /// The value of `key`, valid while this copy of the tree is and is not changed.
    @inline(__always)
    func value(_ key: KeyBytes) -> UnsafeRawBufferPointer? {
        // The tree keeps what is below its root, so no reference is counted on the way.
        var branch = unsafe Unmanaged.passUnretained(root)
        while true {
            switch unsafe branch._withUnsafeGuaranteedRef({ $0[key.symbol(at: $0.position)] }) {
            case .vacant: return nil
            case .entry(let entry):
                return unsafe entry._withUnsafeGuaranteedRef { unsafe $0.key == key ? $0.value : nil }
            case .branch(let below): unsafe branch = unsafe below
            }
        }
    }

    /// Visits the entries whose keys begin with `prefix`, in the order of their keys' bytes, until `visit` returns false.
    ///
    /// - Complexity: O(*m*) for *m* such entries.
    func scan(
        prefix: KeyBytes, _ visit: (TreeEntry) throws(CacheError) -> Bool
    ) throws(CacheError) {
        var rest = [unsafe TreeBranch.Slot.branch(.passUnretained(root))]
        while let slot = rest.popLast() {
            switch slot {
            case .vacant: break
            case .branch(let reference):
                let branch = unsafe reference.takeUnretainedValue()
                if branch.position < prefix.symbolCount {
                    rest.append(branch[prefix.symbol(at: branch.position)])
                } else {
                    for symbol in (0..<KeyBytes.symbols).reversed() { rest.append(branch[symbol]) }
                }
            case .entry(let reference):
                let entry = unsafe reference.takeUnretainedValue()
                guard entry.key.begins(with: prefix), try visit(entry) else { return }
            }
        }
    }

    /// Puts `entry` in place of the one with the same key, if there is one.
    mutating func put(_ entry: TreeEntry) {
        let key = entry.key
        payloadBytes += entry.payloadBytes
        let nearest = nearest(key)
        // The position of the branch that tells the two apart; past every position where the keys are equal.
        let difference = nearest.map { key.firstDifference(from: $0.key) ?? .max } ?? 0
        if let nearest, difference == .max { payloadBytes -= nearest.payloadBytes } else { entries += 1 }
        TreeBranch.own(&root)
        var branch = root
        while let below = branch.own(at: key.symbol(at: branch.position), upTo: difference) { branch = below }
        let symbol = key.symbol(at: branch.position)
        let old = branch[symbol]
        guard let nearest, difference < .max, !old.isVacant else {
            branch[symbol] = .retaining(entry)
            return old.release()
        }
        let fork = TreeBranch.make(position: difference)
        fork[nearest.key.symbol(at: difference)] = old
        fork[key.symbol(at: difference)] = .retaining(entry)
        branch[symbol] = .retaining(fork)
    }

    /// Removes the entry of `key`; nothing is copied where there is none.
    mutating func remove(_ key: KeyBytes) {
        guard let count = unsafe value(key)?.count else { return }
        payloadBytes -= key.symbolCount / 2 + count
        entries -= 1
        TreeBranch.own(&root)
        var branch = root
        var above: (branch: TreeBranch, symbol: Int)?
        while let below = branch.own(at: key.symbol(at: branch.position)) {
            above = (branch, key.symbol(at: branch.position))
            branch = below
        }
        let symbol = key.symbol(at: branch.position)
        let old = branch[symbol]
        branch[symbol] = .vacant
        old.release()
        // A branch with one slot tells nothing apart: what is in it takes its place.
        guard let above, let only = branch.onlySlot else { return }
        let emptied = above.branch[above.symbol]
        above.branch[above.symbol] = only.retained()
        emptied.release()
    }

    /// An entry whose key agrees with `key` as far as any does.
    private func nearest(_ key: KeyBytes) -> TreeEntry? {
        var branch = unsafe Unmanaged.passUnretained(root)
        while true {
            let slot = unsafe branch._withUnsafeGuaranteedRef { branch in
                let slot = branch[key.symbol(at: branch.position)]
                guard slot.isVacant else { return slot }
                return (0..<KeyBytes.symbols).lazy.map { branch[$0] }.first { !$0.isVacant } ?? .vacant
            }
            switch slot {
            case .vacant: return nil
            case .entry(let entry): return unsafe entry.takeUnretainedValue()
            case .branch(let below): unsafe branch = unsafe below
            }
        }
    }
}
