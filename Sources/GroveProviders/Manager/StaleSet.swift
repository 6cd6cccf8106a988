import GroveConsistency
import GroveModel

/// The data that are shown and may be older than the cache's: they are to be read again.
///
/// One read is under way at a time. Data that become stale meanwhile are read next.
struct StaleSet {
    /// An item that is read by itself.
    enum Key: Hashable {
        /// A model that is shown, or waited for under a cache key.
        case model(ModelIdentifier)
        /// The list of a cache key.
        case list(ModelIdentifier)
        /// The rows of one window over a list.
        case window(SubscriptionKey)
    }

    /// The items of one read.
    struct Batch: Sendable {
        var models = StaleModels()
        var lists: Set<ModelIdentifier> = []
        /// The windows that are to show other rows.
        var windows: Set<SubscriptionKey> = []
        /// The news of lists that are not stale, in order.
        var news: [ModelIdentifier: [ListNews]] = [:]
        /// Whether every list is stale.
        var isEveryList = false
        /// The elements that lists may no longer hold, so that they are read too.
        var unknown: Set<ModelIdentifier> = []
        /// The models from before they, or everything, were deleted: they are gone if the cache does not have them.
        var emptied: Set<ModelIdentifier> = []

        var isEmpty: Bool { models.isEmpty && lists.isEmpty && windows.isEmpty && news.isEmpty && !isEveryList }

        /// The way in which a list that is shown is brought up to date; `nil` if it need not be.
        func reading(of list: ListReader) -> ListReading? {
            if isEveryList || lists.contains(list.name) { return .whole }
            if let news = news[list.name] { return .news(news) }
            return windows.contains(list.subscription) ? .news([]) : nil
        }
    }

    private var next = Batch()
    /// The models that could not be read, as the cache was suspended or failed: they are read with the next ones.
    private var unread = StaleModels()
    private var unreadEmptied: Set<ModelIdentifier> = []
    /// The items whose tree or list misses the node of an identifier, which the cache has forgotten, or never had.
    private var waiting: [ModelIdentifier: Set<Key>] = [:]
    /// The models that were committed, or saved by this manager, since the read under way began.
    private var since = StaleModels()
    private var isReading = false
    /// The closures to call once nothing is stale.
    private var idle: [@Sendable () -> Void] = []
    /// Models whose owners were told that they are not whole.
    private var told: Set<ModelIdentifier> = []

    /// The number of awaited names above which some items that wait may be gone, so that it is asked which.
    private var manyWaiting = StaleSet.fewWaiting
    private static let fewWaiting = 1_024
    /// The items that began to wait since that was asked; `nil` if it is not being asked.
    private var waitingSince: Set<Key>?

    // MARK: What becomes stale

    /// Marks the changes of a commit.
    mutating func mark(_ changes: any CommittedChanges) {
        if changes.ticket == .none {
            wake(by: changes)
            next.models.commits.append(changes)
        }
        for list in changes.lists {
            // Only a read knows which elements of another writer's whole list are deleted.
            guard let splices = list.splices, changes.ticket != .none || !list.isWhole else {
                next.lists.insert(list.name)
                continue
            }
            next.news[list.name, default: []].append(
                ListNews(
                    commit: changes.commitNumber, ticket: changes.ticket, splices: splices, isWhole: list.isWhole))
        }
        guard let lists = changes.changedLists else { return next.isEveryList = true }
        next.lists.formUnion(lists.subtracting(changes.lists.map(\.name)))
    }

    mutating func mark(_ keys: some Sequence<Key>) {
        for key in keys {
            switch key {
            case .model(let identifier): next.models.names.insert(identifier)
            case .list(let identifier): next.lists.insert(identifier)
            case .window(let key): next.windows.insert(key)
            }
        }
    }

    /// Marks models of an answer that the cache has refused because everything was emptied since the request.
    mutating func markEmptied(_ models: Set<ModelIdentifier>) {
        next.models.names.formUnion(models)
        next.emptied.formUnion(models)
    }

    /// Notes that `models`, which are marked, were deleted: of those that are there again, the lists and holders are
    /// read again.
    mutating func markDeleted(_ models: Set<ModelIdentifier>) { next.models.deleted.formUnion(models) }

    /// Marks every list, and that `elements` may be in them no more.
    mutating func markLists(except elements: Set<ModelIdentifier>) {
        next.isEveryList = true
        next.unknown.formUnion(elements)
    }

    /// Marks the items that wait for something in `changes`.
    mutating func wake(by changes: any CommittedChanges) {
        if isReading { since.commits.append(changes) }
        guard !waiting.isEmpty else { return }
        let named =
            changes.changed(among: waiting.keys) { waiting[$0] != nil }
            + (changes.changedLists.map { $0.filter { waiting[$0] != nil } } ?? Set(waiting.keys))
        for name in named { if let keys = waiting.removeValue(forKey: name) { mark(keys) } }
    }

    /// The number of names that are waited for.
    var waitingCount: Int { waiting.count }

    /// Whether saves by this manager matter.
    var watchesSaves: Bool { isReading || !waiting.isEmpty }

    /// Marks the items that wait for one of `names`, which this manager has saved.
    mutating func wake(by names: Set<ModelIdentifier>) {
        if isReading { since.names.formUnion(names) }
        for name in names { if let keys = waiting.removeValue(forKey: name) { mark(keys) } }
    }

    // MARK: Reading

    /// Begins a read, and returns its items; `nil` if there are none, or another read is under way.
    mutating func begin() -> Batch? {
        guard !isReading, !next.isEmpty else { return nil }
        defer { (next, since, isReading) = (Batch(), StaleModels(), true) }
        next.models.commits = unread.commits + next.models.commits
        next.models.names.formUnion(unread.names)
        next.emptied.formUnion(unreadEmptied)
        (unread, unreadEmptied) = (StaleModels(), [])
        return next
    }

    /// Keeps the items of a batch that could not be read: the names, the deletions, and that everything of a type is
    /// gone.
    ///
    /// The changes of other commits are read again with everything else, once the cache takes calls.
    mutating func keepUnread(_ batch: Batch) {
        let deleted = batch.models.deletedModelIds
        unread.commits += batch.models.commits.filter(\.beginsLife)
        unread.names.formUnion(batch.models.names.union(deleted))
        unreadEmptied.formUnion(batch.emptied.union(deleted))
    }

    /// The read under way is over.
    ///
    /// - Returns: the closures to call because nothing is stale any more.
    mutating func end() -> [@Sendable () -> Void] {
        isReading = false
        guard next.isEmpty else { return [] }
        defer { idle = [] }
        return idle
    }

    /// Lets `body` be called when nothing is stale any more; returns whether that is so now, and then it is not called.
    mutating func awaitIdle(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard isReading || !next.isEmpty else { return true }
        idle.append(body)
        return false
    }

    /// Lets `key` wait for its missing node; if that came while `key` was read, it is read once more.
    ///
    /// - Returns: whether it waits.
    mutating func wait(_ key: Key, for missing: ModelIdentifier) -> Bool {
        if isReading, since.names(missing) {
            mark([key])
            return false
        }
        waiting[missing, default: []].insert(key)
        waitingSince?.insert(key)
        return true
    }

    /// The items that wait, if so many do that some may have no owner any more; ``forget(_:)`` must follow.
    mutating func beginForgetting() -> Set<Key>? {
        guard waitingSince == nil, waiting.count > manyWaiting else { return nil }
        waitingSince = []
        return waiting.values.reduce(into: []) { $0.formUnion($1) }
    }

    /// Ends the waits of the `ownerless` items, unless they have begun again.
    mutating func forget(_ ownerless: Set<Key>) {
        let ownerless = ownerless.subtracting(waitingSince ?? [])
        waiting = waiting.compactMapValues { keys in
            let kept = keys.subtracting(ownerless)
            return kept.isEmpty ? nil : kept
        }
        (waitingSince, manyWaiting) = (nil, max(StaleSet.fewWaiting, 2 * waiting.count))
    }

    // MARK: Owners

    /// Whether no owner was told that a model is not whole.
    var isNobodyTold: Bool { told.isEmpty }

    /// Notes that the owners of `models` are told that they are not whole.
    mutating func tell(_ models: some Sequence<ModelIdentifier>) { told.formUnion(models) }

    /// The ones of `models`, which were read whole, of which owners were told that they are not whole.
    mutating func settle(_ models: Set<ModelIdentifier>) -> Set<ModelIdentifier> {
        defer { told.subtract(models) }
        return told.intersection(models)
    }
}

/// The way in which a list is brought up to date.
enum ListReading: Sendable {
    /// All of it is read again.
    case whole
    /// The news of it are applied.
    case news([ListNews])

    var isWhole: Bool {
        guard case .whole = self else { return false }
        return true
    }
}

/// Models that are to be read again: those that some commits changed, and some by name.
struct StaleModels: CommittedChanges {
    var commits: [any CommittedChanges] = []
    var names: Set<ModelIdentifier> = []
    /// Those of `names` that were deleted before.
    var deleted: Set<ModelIdentifier> = []

    var isEmpty: Bool { commits.isEmpty && names.isEmpty }

    var extent: ChangeExtent {
        if commits.contains(where: { $0.extent == .emptied }) { return .emptied }
        return commits.contains { $0.extent == .anything } ? .anything : .named
    }
    var beginsLife: Bool { commits.contains { $0.beginsLife } }
    func deletesAll(of type: any SimpleModel.Type) -> Bool { commits.contains { $0.deletesAll(of: type) } }
    var count: Int { commits.reduce(names.count) { $0 + $1.count } }
    var deletedModelIds: Set<ModelIdentifier> { commits.reduce(into: deleted) { $0.formUnion($1.deletedModelIds) } }
    /// The models that a commit deleted and no later one wrote again.
    var deletedAtLast: Set<ModelIdentifier> {
        commits.reduce(into: []) { gone, changes in
            gone.subtract(changes.changed(among: gone, isHeld: gone.contains))
            gone.formUnion(changes.deletedModelIds)
        }
    }
    var changedLists: Set<ModelIdentifier>? { [] }

    /// Whether `name` is one of these, as a model, a list or a cache key.
    func names(_ name: ModelIdentifier) -> Bool {
        names.contains(name)
            || commits.contains { changes in
                changes.changedLists?.contains(name) ?? true
                    || !changes.changed(among: CollectionOfOne(name), isHeld: { $0 == name }).isEmpty
            }
    }

    func changed(
        among held: some Collection<ModelIdentifier>, isHeld: (ModelIdentifier) -> Bool
    ) -> [ModelIdentifier] {
        var found = Set(names.filter(isHeld))
        for changes in commits { found.formUnion(changes.changed(among: held, isHeld: isHeld)) }
        return Array(found)
    }
}
