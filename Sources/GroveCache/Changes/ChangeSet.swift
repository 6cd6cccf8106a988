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

    /// The token from which ``NormalizedCache/changes(since:)`` goes on after this change set.
    ///
    /// It is `nil` if the cache keeps no history, and after a wipe until something is written.
    ///
    /// If one commit gives several change sets, all but the last have the token of the commit before. So an application
    /// that goes on from any token gets each change at least once.
    public internal(set) var token: ChangeToken?

    private let tree: NodeTree?
    private let changed: [Int]
    /// The parts that most change sets do not have.
    private var rest: Rest?
    /// The follower whose call it was, which is not told; 0 for none.
    var origin = FollowerID.none
    /// The number that a follower gave to the call, if it edits a list; 0 for none.
    var editTicket = EditTicket.none
    /// The number of the commit; zero before it is known.
    package internal(set) var commitNumber = CommitNumber(rawValue: 0)
    /// Whether a call emptied the cache.
    var isWipe = false
    /// The types of which all models were deleted.
    var deletedTypes: Set<ObjectIdentifier> = []
    /// Whether the call had no say in some of its nodes, which were changed or deleted since it was made.
    var isSuperseded = false

    init(
        sequence: CallNumber, tree: NodeTree? = nil, changed: [Int] = [], named: Set<ModelIdentifier> = [],
        deleted: [ModelIdentifier] = [], evicted: EvictedNames = EvictedNames(), collections: [ModelIdentifier] = [],
        aliases: [ModelIdentifier] = [], lists: [ListChange] = [], changesEverything: Bool = false
    ) {
        self.sequence = sequence
        self.tree = tree
        self.changed = changed
        let hasRest =
            !(named.isEmpty && deleted.isEmpty && evicted.isEmpty && collections.isEmpty && aliases.isEmpty
            && lists.isEmpty)
        rest = hasRest ? Rest(named, deleted, evicted, collections, aliases, lists) : nil
        self.changesEverything = changesEverything
    }

    /// The names in a change set other than the nodes of its tree; kept apart, so that copying most change sets is
    /// cheap.
    private final class Rest: Sendable {
        let named: Set<ModelIdentifier>
        let deleted: [ModelIdentifier]
        let evicted: EvictedNames
        let collections: [ModelIdentifier]
        let aliases: [ModelIdentifier]
        /// The changes of collections, if a follower is told.
        let lists: [ListChange]

        init(
            _ named: Set<ModelIdentifier>, _ deleted: [ModelIdentifier], _ evicted: EvictedNames,
            _ collections: [ModelIdentifier], _ aliases: [ModelIdentifier], _ lists: [ListChange]
        ) {
            self.lists = lists
            self.named = named
            self.deleted = deleted
            self.evicted = evicted
            self.collections = collections
            self.aliases = aliases
        }

        var count: Int {
            named.count + deleted.count + evicted.nodes.count + evicted.lists.count + collections.count + aliases.count
        }
    }

    private var named: Set<ModelIdentifier> { rest?.named ?? [] }
    private var deleted: [ModelIdentifier] { rest?.deleted ?? [] }
    private var evicted: EvictedNames { rest?.evicted ?? EvictedNames() }
    private var collections: [ModelIdentifier] { rest?.collections ?? [] }
    private var aliases: [ModelIdentifier] { rest?.aliases ?? [] }

    /// The changes of collections: one for each edit, in order.
    ///
    /// They are known if data providers follow the cache, or if the cache keeps a history. A collection that is only in
    /// ``changedCollectionKeys`` changed in a way that is not known.
    package var lists: [ListChange] { rest?.lists ?? [] }

    /// A change set that says that anything may be different.
    static func everything(_ sequence: CallNumber, _ token: ChangeToken?) -> ChangeSet {
        var set = ChangeSet(sequence: sequence, changesEverything: true)
        set.token = token
        return set
    }

    /// The same, with `names` evicted.
    func evicting(_ names: EvictedNames) -> ChangeSet {
        guard !names.isEmpty else { return self }
        var set = self
        var evicted = evicted
        evicted.add(names)
        set.rest = Rest(named, deleted, evicted, collections, aliases, lists)
        return set
    }

    /// The change set `other`, without the tree that was written.
    private init(withoutTreeOf other: ChangeSet) {
        sequence = other.sequence
        changesEverything = other.changesEverything
        tree = nil
        changed = []
        rest = Rest(
            other.changedModelIds, other.deleted, other.evicted, other.collections, other.aliases, other.lists)
        token = other.token
        origin = other.origin
        editTicket = other.editTicket
        commitNumber = other.commitNumber
        isWipe = other.isWipe
        deletedTypes = other.deletedTypes
        isSuperseded = other.isSuperseded
    }

    /// The same change set, without the tree that was written.
    var withoutTree: ChangeSet { tree == nil ? self : ChangeSet(withoutTreeOf: self) }

    /// The number of models, collections and aliases that are named.
    var nameCount: Int { changed.count + (rest?.count ?? 0) }

    /// Whether it names nothing but nodes whose bodies changed.
    var namesNodesAlone: Bool { rest.map { $0.count == $0.named.count } ?? true }

    /// Visits the nodes whose bodies changed, some perhaps more than once.
    func forEachChanged(_ visit: (ModelIdentifier) -> Void) {
        if let tree { for index in changed { visit(tree.modelIdentifier(of: tree.entries[index])) } }
        for identifier in named { visit(identifier) }
    }

    /// The nodes whose bodies changed.
    ///
    /// - Complexity: O(*n*) for *n* of them.
    public var changedModelIds: Set<ModelIdentifier> {
        guard let tree else { return named }
        return Set(changed.map { tree.modelIdentifier(of: tree.entries[$0]) })
    }

    /// The nodes that were deleted.
    public var deletedModelIds: Set<ModelIdentifier> { Set(deleted) }

    /// The nodes that were evicted, and those of a write that could not be stored.
    ///
    /// A node of the same write may be among them, if it was evicted to make room.
    public var evictedModelIds: Set<ModelIdentifier> { Set(evicted.nodes) }

    /// The keys of the collections that were replaced, edited or removed by calls.
    ///
    /// A change to an element is not a change to its collection. A collection that was evicted to make room is in
    /// ``evictedCollectionKeys``.
    public var changedCollectionKeys: Set<ModelIdentifier> { Set(collections) }

    /// The keys of the collections that were evicted to make room, completely or in part.
    ///
    /// An evicted part is a gap in the list. The history of commits does not record these keys: streams and observers
    /// are told, but the earlier change sets of ``NormalizedCache/changes(since:)`` do not have them.
    public var evictedCollectionKeys: Set<ModelIdentifier> { evicted.lists }

    /// The cache keys, other than identifiers, that a call made name another model than before, or none.
    public var changedAliases: Set<ModelIdentifier> { Set(aliases) }

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
        let gone = deleted.filter(isHeld) + aliases.filter(isHeld)
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
