public import GroveModel

/// What one write changed: the identifiers whose stored bytes are not what they were.
///
/// A node that was written with what it already held is not in it. The identifiers are made when they are asked for.
public struct ChangeSet: Sendable {
    /// The number of the write: later writes have higher numbers, in every process that shares the store.
    public let sequence: UInt64

    private let tree: NodeTree?
    private let changed: [Int]
    private let deleted: [ModelIdentifier]

    private let evicted: [ModelIdentifier]

    init(
        sequence: UInt64, tree: NodeTree? = nil, changed: [Int] = [], deleted: [ModelIdentifier] = [],
        evicted: [ModelIdentifier] = []
    ) {
        self.sequence = sequence
        self.tree = tree
        self.changed = changed
        self.deleted = deleted
        self.evicted = evicted
    }

    /// The nodes whose bodies changed.
    ///
    /// - Complexity: O(*n*) for *n* of them.
    public var changedModelIds: Set<ModelIdentifier> {
        guard let tree else { return [] }
        return Set(changed.map { tree.modelIdentifier(of: tree.entries[$0]) })
    }

    /// The nodes that were deleted.
    public var deletedModelIds: Set<ModelIdentifier> { Set(deleted) }

    /// The nodes that were evicted to make room; a node of the same write may be among them.
    public var evictedModelIds: Set<ModelIdentifier> { Set(evicted) }

    /// Whether nothing changed.
    public var isEmpty: Bool { changed.isEmpty && deleted.isEmpty && evicted.isEmpty }
}
