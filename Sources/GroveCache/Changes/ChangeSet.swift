import GroveCoding
public import GroveModel

/// The changes of one write: the identifiers and keys whose stored bytes are different now.
///
/// A node that was written unchanged is not in it. The identifiers are made when a property asks for them.
public struct ChangeSet: Sendable {
    /// The number of the write: later writes have higher numbers, in every process that shares the store.
    package let sequence: CallNumber

    /// Whether anything may be different from an earlier read, and not only the models and lists that are named.
    ///
    /// It is true after a wipe, after another process emptied or replaced the store, and after
    /// ``CacheWriter/restore(_:durability:)`` of a deleted model. It is also true if the reader of a stream fell
    /// behind.
    public let changesEverything: Bool

    /// The token from which ``Cache/changes(since:)`` goes on after this change set.
    ///
    /// It is `nil` if the cache keeps no history, and after a wipe until something is written.
    ///
    /// If one commit gives several change sets, all but the last have the token of the commit before. So an application
    /// that goes on from any token gets each change at least once.
    public internal(set) var token: ChangeToken?

    private var tree: NodeTree?
    private var changed: [Int]
    /// The names of all but the nodes of its tree, which most change sets do not have.
    private var rest: Rest?
    /// The follower whose call it was, which is not told; 0 for none.
    var origin = FollowerID.none
    /// The number that the follower whose call it was gave to its edit of a list, for that follower; none for others.
    package internal(set) var ticket = EditTicket.none
    /// The number of the commit; zero before it is known.
    package internal(set) var commitNumber = CommitNumber(rawValue: 0)
    /// Whether a call emptied the cache.
    var isWipe = false
    /// The types of which all models were deleted.
    var deletedTypes: Set<ObjectIdentifier> = []
    /// Whether the call had no say in some of its nodes, which were changed or deleted since it was made.
    var isSuperseded = false

    init(
        sequence: CallNumber, tree: NodeTree? = nil, changed: [Int] = [], names: Names = Names(),
        changesEverything: Bool = false
    ) {
        self.sequence = sequence
        self.tree = tree
        self.changed = changed
        rest = names.count > 0 || !names.lists.isEmpty ? Rest(names) : nil
        self.changesEverything = changesEverything
    }

    /// The names in a change set other than the nodes of its tree.
    struct Names: Sendable {
        var changed: Set<ModelIdentifier> = []
        var deleted: [ModelIdentifier] = []
        var evicted = EvictedNames()
        var collections: [ModelIdentifier] = []
        var aliases: [ModelIdentifier] = []
        /// The changes of collections, if a follower is told.
        var lists: [ListChange] = []

        var count: Int {
            changed.count + deleted.count + evicted.nodes.count + evicted.lists.count + collections.count
                + aliases.count
        }
    }

    /// Names that are kept apart, so that copying a change set is cheap.
    private final class Rest: Sendable {
        let names: Names

        init(_ names: Names) { self.names = names }
    }

    private var names: Names { rest?.names ?? Names() }

    /// The changes of collections: one for each edit, in order.
    ///
    /// They are known if data providers follow the cache, or if the cache keeps a history. A collection that is only in
    /// ``changedCollectionKeys`` changed in a way that is not known.
    package var lists: [ListChange] { rest?.names.lists ?? [] }

    /// A change set that says that anything may be different.
    static func everything(_ sequence: CallNumber, _ token: ChangeToken?) -> ChangeSet {
        var set = ChangeSet(sequence: sequence, changesEverything: true)
        set.token = token
        return set
    }

    /// The same, with `evicted` evicted.
    func evicting(_ evicted: EvictedNames) -> ChangeSet {
        guard !evicted.isEmpty else { return self }
        var (set, names) = (self, names)
        names.evicted.add(evicted)
        set.rest = Rest(names)
        return set
    }

    /// The same change set, without the tree that was written.
    var withoutTree: ChangeSet {
        guard tree != nil else { return self }
        var (set, names) = (self, names)
        names.changed = changedModelIds
        set.rest = Rest(names)
        (set.tree, set.changed) = (nil, [])
        return set
    }

    /// The outcome of a follower's own edit of a list, as that follower is told.
    var ownEdit: ChangeSet {
        var set = ChangeSet(sequence: .zero, names: Names(lists: lists))
        (set.ticket, set.commitNumber) = (ticket, commitNumber)
        return set
    }

    /// The number of models, collections and aliases that are named.
    var nameCount: Int { changed.count + (rest?.names.count ?? 0) }

    /// Whether it names nothing but nodes whose bodies changed.
    var namesNodesAlone: Bool { rest.map { $0.names.count == $0.names.changed.count } ?? true }

    /// Visits the nodes whose bodies changed, some perhaps more than once.
    func forEachChanged(_ visit: (ModelIdentifier) -> Void) {
        if let tree { for index in changed { visit(tree.modelIdentifier(of: tree.entries[index])) } }
        for identifier in names.changed { visit(identifier) }
    }

    /// The nodes whose bodies changed.
    ///
    /// - Complexity: O(*n*) for *n* of them.
    public var changedModelIds: Set<ModelIdentifier> {
        guard let tree else { return names.changed }
        return Set(changed.map { tree.modelIdentifier(of: tree.entries[$0]) })
    }

    /// The nodes that were deleted.
    public var deletedModelIds: Set<ModelIdentifier> { Set(names.deleted) }

    /// The nodes that were evicted, and those of a write that could not be stored.
    ///
    /// A node of the same write may be among them, if it was evicted to make room.
    public var evictedModelIds: Set<ModelIdentifier> { Set(names.evicted.nodes) }

    /// The keys of the collections that were replaced, edited or removed by calls.
    ///
    /// A change to an element is not a change to its collection. A collection that was evicted to make room is in
    /// ``evictedCollectionKeys``.
    public var changedCollectionKeys: Set<ModelIdentifier> { Set(names.collections) }

    /// The keys of the collections that were evicted to make room, completely or in part.
    ///
    /// An evicted part is a gap in the list. The history of commits does not record these keys: streams and observers
    /// are told, but the earlier change sets of ``Cache/changes(since:)`` do not have them.
    public var evictedCollectionKeys: Set<ModelIdentifier> { names.evicted.lists }

    /// The cache keys, other than identifiers, that a call made name another model than before, or none.
    public var changedAliases: Set<ModelIdentifier> { Set(names.aliases) }

    /// Whether nothing changed.
    public var isEmpty: Bool { !changesEverything && nameCount == 0 }

    /// Whether followers that show models are told: they may hold models that the cache has evicted.
    var isNews: Bool { !isEmpty || beginsLife }
}

extension [ChangeSet] {
    /// The change sets of one commit with its token; all but the last with that of the commit before.
    func stamped(_ tokens: CommitTokens?) -> [ChangeSet] {
        guard let tokens else { return self }
        var sets = self
        for index in sets.indices { sets[index].commitNumber = tokens.commit }
        guard let last = lastIndex(where: { !$0.isEmpty }) else { return sets }
        for index in sets.indices { sets[index].token = index < last ? tokens.before : tokens.after }
        return sets
    }
}

extension ChangeSet: CommittedChanges {
    /// Whether the answers to earlier requests are refused from now on: after a wipe or a
    /// ``CacheTransaction/delete(allOf:)``.
    package var beginsLife: Bool { isWipe || !deletedTypes.isEmpty }

    /// Whether all models of `type` were deleted.
    package func deletesAll(of type: any SimpleModel.Type) -> Bool { deletedTypes.contains(ObjectIdentifier(type)) }

    /// The number of models, collections and cache keys that are named.
    package var count: Int { nameCount }

    /// Whether the named models changed, anything may have, or the cache was emptied.
    package var extent: ChangeExtent { isWipe ? .emptied : changesEverything ? .anything : .named }

    /// The keys of the collections that changed; `nil` if any collection may have changed.
    package var changedLists: Set<ModelIdentifier>? { changesEverything ? nil : changedCollectionKeys }

    /// The identifiers in `held` that were changed or deleted, and the cache keys that name another model now.
    ///
    /// - Complexity: O(min(*n*, *m*)) look-ups for *n* changes and *m* identifiers in `held`.
    package func changed(
        among held: some Collection<ModelIdentifier>, isHeld: (ModelIdentifier) -> Bool
    ) -> [ModelIdentifier] {
        guard !changesEverything else { return Array(held) }
        let gone = names.deleted.filter(isHeld) + names.aliases.filter(isHeld)
        guard let tree else {
            let named = names.changed
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
