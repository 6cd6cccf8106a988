import GroveCoding
public import GroveModel

/// What one write changed: the identifiers whose stored bytes are not what they were.
///
/// A node that was written with what it already held is not in it. The identifiers are made when they are asked for.
public struct ChangeSet: Sendable {
    /// The number of the write: later writes have higher numbers, in every process that shares the store.
    public let sequence: UInt64

    /// Whether anything may be different from what was read before, and not only what is named.
    ///
    /// So it is after a wipe, after another process emptied or replaced the store, and where a stream's reader fell behind.
    public let changesEverything: Bool

    private let tree: NodeTree?
    private let changed: [Int]
    private let named: Set<ModelIdentifier>
    private let deleted: [ModelIdentifier]
    private let evicted: [ModelIdentifier]
    private let collections: [ModelIdentifier]

    init(
        sequence: UInt64, tree: NodeTree? = nil, changed: [Int] = [], named: Set<ModelIdentifier> = [],
        deleted: [ModelIdentifier] = [], evicted: [ModelIdentifier] = [], collections: [ModelIdentifier] = [],
        changesEverything: Bool = false
    ) {
        self.sequence = sequence
        self.tree = tree
        self.changed = changed
        self.deleted = deleted
        self.evicted = evicted
        self.collections = collections
        self.changesEverything = changesEverything
        self.named = named
    }

    /// The same, with `identifiers` evicted.
    func evicting(_ identifiers: [ModelIdentifier]) -> ChangeSet {
        guard !identifiers.isEmpty else { return self }
        return ChangeSet(
            sequence: sequence, tree: tree, changed: changed, named: named, deleted: deleted,
            evicted: evicted + identifiers, collections: collections, changesEverything: changesEverything)
    }

    /// What `other` says, without holding on to the tree that was written.
    private init(withoutTreeOf other: ChangeSet) {
        sequence = other.sequence
        changesEverything = other.changesEverything
        tree = nil
        changed = []
        named = other.changedModelIds
        deleted = other.deleted
        evicted = other.evicted
        collections = other.collections
    }

    /// The same, without holding on to the tree that was written.
    var withoutTree: ChangeSet { tree == nil ? self : ChangeSet(withoutTreeOf: self) }

    /// How many models are named.
    var modelCount: Int { changed.count + named.count + deleted.count + evicted.count }

    /// The nodes whose bodies changed.
    ///
    /// - Complexity: O(*n*) for *n* of them.
    public var changedModelIds: Set<ModelIdentifier> {
        guard let tree else { return named }
        return Set(changed.map { tree.modelIdentifier(of: tree.entries[$0]) })
    }

    /// The nodes that were deleted.
    public var deletedModelIds: Set<ModelIdentifier> { Set(deleted) }

    /// The nodes that were forgotten: evicted, or named by a write that could not be kept.
    ///
    /// To make room a node of the same write may be among them.
    public var evictedModelIds: Set<ModelIdentifier> { Set(evicted) }

    /// The keys of the collections that were replaced, edited or forgotten; a change to an element is not a change to its
    /// collection.
    public var changedCollectionKeys: Set<ModelIdentifier> { Set(collections) }

    /// Whether nothing changed.
    public var isEmpty: Bool {
        !changesEverything && changed.isEmpty && named.isEmpty && deleted.isEmpty && evicted.isEmpty
            && collections.isEmpty
    }
}
