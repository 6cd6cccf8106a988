import GroveModel

/// The changes of several calls, one after the other, as one change set: for each node, the last of its changes.
struct ChangeSetUnion {
    private var sequence: CallNumber
    private var changed: Set<ModelIdentifier> = []
    private var deleted: Set<ModelIdentifier> = []
    private var evicted: Set<ModelIdentifier> = []
    private var evictedLists: Set<ModelIdentifier> = []
    private var collections: Set<ModelIdentifier> = []
    private var aliases: Set<ModelIdentifier> = []
    private var lists: [ListChange] = []
    private var changesEverything = false

    init(sequence: CallNumber) { self.sequence = sequence }

    /// Adds the changes of the next call.
    mutating func add(_ set: ChangeSet) {
        sequence = max(sequence, set.sequence)
        if set.changesEverything { changesEverything = true }
        set.forEachChanged { identifier in
            if !deleted.isEmpty { deleted.remove(identifier) }
            if !evicted.isEmpty { evicted.remove(identifier) }
            changed.insert(identifier)
        }
        guard !set.namesNodesAlone else { return }
        for identifier in set.deletedModelIds {
            changed.remove(identifier)
            evicted.remove(identifier)
            deleted.insert(identifier)
        }
        evict(set.evictedModelIds)
        evictedLists.subtract(set.changedCollectionKeys)
        evictedLists.formUnion(set.evictedCollectionKeys)
        collections.formUnion(set.changedCollectionKeys)
        aliases.formUnion(set.changedAliases)
        lists += set.lists
    }

    /// Adds the evicted nodes and collections.
    mutating func evict(_ names: EvictedNames) {
        evict(names.nodes)
        evictedLists.formUnion(names.lists)
    }

    /// Adds evicted nodes.
    private mutating func evict(_ identifiers: some Sequence<ModelIdentifier>) {
        for identifier in identifiers {
            changed.remove(identifier)
            deleted.remove(identifier)
            evicted.insert(identifier)
        }
    }

    /// The change set of all calls so far.
    var changeSet: ChangeSet {
        ChangeSet(
            sequence: sequence,
            names: ChangeSet.Names(
                changed: changed, deleted: Array(deleted),
                evicted: EvictedNames(nodes: Array(evicted), lists: evictedLists),
                collections: Array(collections), aliases: Array(aliases), lists: lists),
            changesEverything: changesEverything)
    }
}
