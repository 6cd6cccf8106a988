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
    private var evicted: [ModelIdentifier]
    private let collections: [ModelIdentifier]
    /// The follower whose call it was, which is not told; 0 for none.
    var origin: UInt64 = 0
    /// Whether a call emptied the cache.
    var isWipe = false

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
        var set = self
        set.evicted += identifiers
        return set
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

extension ChangeSet: CommittedChanges {
    /// How much changed.
    public var extent: ChangeExtent { isWipe ? .emptied : changesEverything ? .anything : .named }

    /// The keys of the collections that changed; `nil` where any may have.
    public var changedLists: Set<ModelIdentifier>? { changesEverything ? nil : changedCollectionKeys }

    /// Those of `held` that were changed or deleted.
    ///
    /// - Complexity: O(min(*n*, *m*)) look-ups for *n* changes and *m* that are held.
    public func changed(
        among held: some Collection<ModelIdentifier>, isHeld: (ModelIdentifier) -> Bool
    ) -> [ModelIdentifier] {
        guard !changesEverything else { return Array(held) }
        let gone = deleted.filter(isHeld)
        guard let tree else {
            return gone + (named.count < held.count ? named.filter(isHeld) : held.filter(named.contains))
        }
        guard changed.count > held.count else { return gone + changedModelIds.filter(isHeld) }
        var isChanged = [Bool](repeating: false, count: tree.count)
        for index in changed { isChanged[index] = true }
        return gone
            + held.filter { identifier in
                var index = tree.find(identifier)
                while index >= 0, !isChanged[index] { index = tree.entries[index].previous }
                return index >= 0
            }
    }
}

extension NodeTree {
    /// The last entry of `identifier`, or one below 0.
    fileprivate func find(_ identifier: ModelIdentifier) -> Int {
        unsafe identifier.withUTF8 { unsafe find($0, hash: NodeTree.hash($0)) }
    }
}
