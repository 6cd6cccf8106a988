import GroveModel

/// The places of the trees of all listeners, by identifier.
///
/// A register is in it as long as its identifier has a place or a subscription waits for it.
struct PlaceIndex {
    private(set) var registers: [ModelIdentifier: Occurrences] = [:]
    /// The identifiers of which one place may hold another value than another place.
    var mixed: Set<ModelIdentifier> = []
    /// The identifiers in the index, for other threads.
    private let held: HeldIdentifiers
    /// The identifiers that the call under way has released and may take again, as if a list is set again.
    ///
    /// `nil` if ``held`` is not kept.
    private var released: [ModelIdentifier]?

    init(held: HeldIdentifiers) { self.held = held }

    /// Begins to keep ``held`` if a cache has asked.
    mutating func keepHeldIfWanted() {
        guard released == nil, held.isWanted else { return }
        released = []
        held.replace(with: registers.values.lazy.filter { !$0.nodes.isEmpty }.map(\.identifier))
    }

    /// Removes from ``held`` the identifiers that the call has released and not taken again.
    mutating func release() {
        guard let gone = released, !gone.isEmpty else { return }
        for identifier in gone where registers[identifier]?.nodes.isEmpty ?? true { held.remove(identifier) }
        released = []
    }

    /// Makes room for `count` identifiers more.
    mutating func reserve(_ count: Int) {
        guard registers.capacity < registers.count + count else { return }
        registers.reserveCapacity(max(registers.count + count, 2 * registers.capacity))
    }

    mutating func occurrences(of identifier: ModelIdentifier) -> Occurrences {
        // One look-up, whether or not it is there.
        func entry(_ place: inout Occurrences) -> Occurrences { place }
        return entry(&registers[identifier, default: Occurrences(identifier)])
    }

    /// Notes that `identifier`, which had no place, gets one.
    func hold(_ identifier: ModelIdentifier) {
        if released != nil { held.insert(identifier) }
    }

    /// Takes `top` and its descendants out of the index.
    ///
    /// - Parameter tree: the tree that keeps the models of the identified ones.
    mutating func detach(_ top: TreeNode, leaving tree: Tree? = nil) {
        var waiting = [top]
        while let node = waiting.popLast() {
            waiting.append(contentsOf: node.children)
            node.children = []
            node.isDetached = true
            guard let occurrences = node.occurrences else { continue }
            tree?.left.append(node.model)
            occurrences.remove(node)
            if occurrences.nodes.isEmpty { released?.append(occurrences.identifier) }
            forget(occurrences)
        }
    }

    /// Takes a tree out of the index.
    mutating func remove(_ tree: Tree) {
        if let occurrences = tree.root.occurrences {
            occurrences.trees.removeAll { $0 === tree }
        }
        detach(tree.root)
    }

    /// Removes a register if it is not used any more.
    mutating func forget(_ occurrences: Occurrences) {
        if occurrences.nodes.count <= 1, !mixed.isEmpty { mixed.remove(occurrences.identifier) }
        if occurrences.isUnused, occurrences.pending.isEmpty { registers[occurrences.identifier] = nil }
    }
}
