/// An inner node of a ``ByteTree``: what is below it, by the symbol that keys have at one position.
///
/// All keys below agree in every symbol before that position.
// SAFETY: all slots are initialized from `make` on. A branch is changed only by the one tree that reaches it; see `own(_:)`.
@safe final class TreeBranch: ManagedBuffer<Int, TreeBranch.Slot> {
    /// What a branch has under one symbol: a reference that the branch retains once. Reading a slot counts nothing.
    // SAFETY: whoever reads a slot keeps the tree, and so what the slot refers to, meanwhile.
    @safe enum Slot {
        case vacant
        case entry(Unmanaged<TreeEntry>)
        case branch(Unmanaged<TreeBranch>)

        /// A slot that retains `entry`.
        static func retaining(_ entry: TreeEntry) -> Slot { unsafe .entry(.passRetained(entry)) }

        /// A slot that retains `branch`.
        static func retaining(_ branch: TreeBranch) -> Slot { unsafe .branch(.passRetained(branch)) }

        /// This slot for another branch, which retains what it refers to as well.
        func retained() -> Slot {
            switch self {
            case .vacant: break
            case .entry(let entry): _ = unsafe entry.retain()
            case .branch(let branch): _ = unsafe branch.retain()
            }
            return self
        }

        /// Lets go of what the slot of a branch refers to.
        func release() {
            switch self {
            case .vacant: break
            case .entry(let entry): unsafe entry.release()
            case .branch(let branch): unsafe branch.release()
            }
        }

        /// Whether nothing is below.
        var isVacant: Bool { if case .vacant = self { true } else { false } }
    }

    /// Makes a branch without slots in use, for the symbol at `position`, which is greater than that of the branch above.
    static func make(position: Int) -> TreeBranch {
        let branch = create(minimumCapacity: KeyBytes.symbols) { _ in position }
        unsafe branch.withUnsafeMutablePointerToElements { slots in
            unsafe slots.initialize(repeating: .vacant, count: KeyBytes.symbols)
        }
        return unsafe unsafeDowncast(branch, to: TreeBranch.self)
    }

    /// Takes what is below apart in a loop: keys that begin one another make the tree as deep as they are many.
    deinit {
        var doomed: [TreeBranch] = []
        empty(into: &doomed)
        while let branch = doomed.popLast() { branch.empty(into: &doomed) }
    }

    /// Lets go of every slot; the branches that nothing else reaches are moved to `doomed`.
    private func empty(into doomed: inout [TreeBranch]) {
        for symbol in 0..<KeyBytes.symbols {
            switch self[symbol] {
            case .vacant: continue
            case .entry(let entry): unsafe entry.release()
            case .branch(let reference):
                var branch = unsafe reference.takeRetainedValue()
                if isKnownUniquelyReferenced(&branch) { doomed.append(branch) }
            }
            self[symbol] = .vacant
        }
    }

    /// The position of the symbol that is looked at.
    @inline(__always)
    var position: Int { unsafe withUnsafeMutablePointerToHeader { unsafe $0.pointee } }

    /// What is below under `symbol`; setting it neither retains nor releases.
    @inline(__always)
    subscript(symbol: Int) -> Slot {
        get { unsafe withUnsafeMutablePointerToElements { unsafe $0[symbol] } }
        set { unsafe withUnsafeMutablePointerToElements { unsafe $0[symbol] = newValue } }
    }

    /// The slot that is in use, where a single one is.
    var onlySlot: Slot? {
        var only: Slot?
        for symbol in 0..<KeyBytes.symbols where !self[symbol].isVacant {
            guard only == nil else { return nil }
            only = self[symbol]
        }
        return only
    }

    /// The branch below `symbol`, for the tree that alone reaches this one: copied first where another tree has it too.
    ///
    /// - Returns: `nil` where there is no branch, or one whose position is greater than `last`.
    @inline(__always)
    func own(at symbol: Int, upTo last: Int = .max) -> TreeBranch? {
        guard case .branch(let reference) = self[symbol] else { return nil }
        guard unsafe reference._withUnsafeGuaranteedRef({ $0.position }) <= last else { return nil }
        // Taken out of its slot, so that a single reference means a single tree.
        var branch = unsafe reference.takeRetainedValue()
        TreeBranch.own(&branch)
        self[symbol] = .retaining(branch)
        return branch
    }

    /// Replaces `branch` by a copy where `branch` is not the only reference to it.
    @inline(__always)
    static func own(_ branch: inout TreeBranch) {
        if isKnownUniquelyReferenced(&branch) { return }
        let copy = make(position: branch.position)
        for symbol in 0..<KeyBytes.symbols { copy[symbol] = branch[symbol].retained() }
        branch = copy
    }
}
