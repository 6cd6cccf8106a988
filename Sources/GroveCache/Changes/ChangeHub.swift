import GroveModel

/// The streams and followers that read the changes of a cache, by the models that they read.
final class ChangeHub: Sendable {
    private struct State {
        /// The number of streams and followers so far, from which each gets its own number.
        var count: UInt64 = 0
        var models: [ModelIdentifier: [StreamID: Weak<CacheChange>]] = [:]
        var all: [StreamID: Weak<ChangeSet>] = [:]
        var followers: [FollowerID: @Sendable (any CommittedChanges) -> Void] = [:]
        /// The followers' closures that tell whether they show an item, of those that have one.
        var shows: [FollowerID: @Sendable (ShownItem) -> Bool] = [:]
    }

    /// The number of a stream of changes.
    ///
    /// The hub gives it; its order means nothing.
    private struct StreamID: Hashable {
        let rawValue: UInt64
    }

    private struct Weak<Element: Sendable>: Sendable {
        weak var subscription: ChangeSubscription<Element>?
    }

    private let state = Lock(State())

    /// The most change sets that a reader may fall behind before it is told only that something changed.
    static let unreadChangeSets = 256

    /// The most models that those change sets may name.
    static let unreadModels = 16_384

    /// Whether there is neither a stream of changes nor a follower.
    var isIdle: Bool { state.withLock { $0.models.isEmpty && $0.all.isEmpty && $0.followers.isEmpty } }

    /// Whether there is a follower.
    var isFollowed: Bool { state.withLock { !$0.followers.isEmpty } }

    /// Adds a follower: `tell` gets every change set in turn, except those whose origin is the follower returned.
    func follow(
        _ tell: @escaping @Sendable (any CommittedChanges) -> Void, shows: (@Sendable (ShownItem) -> Bool)?
    ) -> FollowerID {
        state.withLock { state in
            state.count += 1
            let follower = FollowerID(rawValue: state.count)
            state.followers[follower] = tell
            state.shows[follower] = shows
            return follower
        }
    }

    /// Whether a follower shows something; `nil` if none shows anything.
    var shows: (@Sendable (ShownItem) -> Bool)? {
        let all = state.withLock { Array($0.shows.values) }
        guard !all.isEmpty else { return nil }
        return { item in all.contains { shows in shows(item) } }
    }

    /// Removes a follower.
    func unfollow(_ origin: FollowerID) {
        // The closures are released outside the lock: an object that they hold may call the cache when it is freed.
        let left = state.withLock { ($0.followers.removeValue(forKey: origin), $0.shows.removeValue(forKey: origin)) }
        extendLifetime(left)
    }

    /// A new reader of the model of `identifier`.
    ///
    /// Only the last change that it has not read is kept.
    func subscribe(to identifier: ModelIdentifier, handle: HandleID) -> ChangeSubscription<CacheChange> {
        state.withLock { state in
            state.count += 1
            let key = StreamID(rawValue: state.count)
            let subscription = ChangeSubscription<CacheChange>(
                handle: handle, add: { $0 = [$1] },
                forget: { [weak self] in
                    self?.state.withLock { state in
                        state.models[identifier]?[key] = nil
                        if state.models[identifier]?.isEmpty == true { state.models[identifier] = nil }
                    }
                })
            state.models[identifier, default: [:]][key] = Weak(subscription: subscription)
            return subscription
        }
    }

    /// A new reader of everything.
    ///
    /// Every change set that it has not read is kept, until there are too many.
    func subscribe(handle: HandleID) -> ChangeSubscription<ChangeSet> {
        state.withLock { state in
            state.count += 1
            let key = StreamID(rawValue: state.count)
            let subscription = ChangeSubscription<ChangeSet>(
                handle: handle, add: ChangeHub.add,
                forget: { [weak self] in self?.state.withLock { $0.all[key] = nil } })
            state.all[key] = Weak(subscription: subscription)
            return subscription
        }
    }

    @Sendable
    private static func add(_ unread: inout [ChangeSet], _ changes: ChangeSet) {
        let models = unread.reduce(changes.nameCount) { $0 + $1.nameCount }
        if unread.last?.changesEverything == true || unread.count >= unreadChangeSets
            || !unread.isEmpty && models > unreadModels
        {
            unread = [.everything(changes.sequence, changes.token)]
        } else {
            // A written tree is not kept merely for the names in it.
            unread.append(changes.withoutTree)
        }
    }

    /// Tells every follower; the one that made the call hears only of its edit of a list.
    func tellFollowers(_ changes: ChangeSet) {
        let followers = state.withLock(\.followers)
        let others = followers.filter { $0.key != changes.origin }
        if changes.isNews, !others.isEmpty {
            // A follower may keep the change set as long as a request is open, so it gets the names without the written
            // tree.
            var names = changes.withoutTree
            names.ticket = .none
            for tell in others.values { tell(names) }
        }
        if changes.ticket != .none { followers[changes.origin]?(changes.ownEdit) }
    }

    /// Tells every reader of something in `changes`.
    ///
    /// - Complexity: O(*n*) for *n* models in `changes`, if there is a stream of a single model's changes.
    func publish(_ changes: ChangeSet) {
        let (all, isModelRead) = state.withLock { (Array($0.all.values), !$0.models.isEmpty) }
        tellFollowers(changes)
        guard !changes.isEmpty else { return }
        for reader in all { reader.subscription?.yield(changes) }
        guard isModelRead else { return }
        let named: [(identifiers: Set<ModelIdentifier>, change: CacheChange)] = [
            (changes.changedModelIds, .changed), (changes.changedAliases, .changed),
            (changes.deletedModelIds, .deleted), (changes.evictedModelIds, .evicted),
        ]
        let told = state.withLock { state -> [(Weak<CacheChange>, CacheChange)] in
            guard !changes.changesEverything else {
                return state.models.values.flatMap { $0.values.map { ($0, .unknown) } }
            }
            return named.flatMap { (identifiers, change) in
                identifiers.flatMap { state.models[$0]?.values.map { ($0, change) } ?? [] }
            }
        }
        for (reader, change) in told { reader.subscription?.yield(change) }
    }

    /// Ends the streams that the handle made.
    func end(_ handle: HandleID) {
        let (all, models) = state.withLock { (Array($0.all.values), $0.models.values.flatMap(\.values)) }
        for reader in all where reader.subscription?.handle == handle { reader.subscription?.finish() }
        for reader in models where reader.subscription?.handle == handle { reader.subscription?.finish() }
    }
}
