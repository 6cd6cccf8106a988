/// A cache that tells what it commits, so that what is shown is what it has.
///
/// A data model manager over such a cache follows it. A cache that is only a ``CacheDelegate`` is told what providers do, and
/// what happens to it otherwise shows when it is read again.
public protocol FollowableCache: CacheDelegate {
    /// The cache, for one who follows it.
    ///
    /// - Parameter tell: told of every commit, in their order, on a queue of the cache, but for those of calls that the follower
    ///   made by what is returned here. It is let go of with that.
    func followed(by tell: @escaping @Sendable (any CommittedChanges) -> Void) -> any FollowedCache

    /// The cache, for a follower that shows models and lists.
    ///
    /// If the cache has to evict, the records that the follower shows go last, after every record that no follower
    /// shows.
    ///
    /// - Parameter isShown: says whether the follower shows a model or a list. Called for what is about to be evicted only, while the
    ///   cache writes: it must be quick, and must not call the cache. A cache that may evict calls it once at first, so that the
    ///   follower can prepare for it; one that never evicts never does.
    func followed(
        by tell: @escaping @Sendable (any CommittedChanges) -> Void,
        isShown: @escaping @Sendable (ShownItem) -> Bool
    ) -> any FollowedCache
}

extension FollowableCache {
    /// The cache, for one who follows it; what the follower shows goes like everything else.
    public func followed(
        by tell: @escaping @Sendable (any CommittedChanges) -> Void,
        isShown: @escaping @Sendable (ShownItem) -> Bool
    ) -> any FollowedCache {
        followed(by: tell)
    }
}

/// What a follower may show.
public enum ShownItem: Sendable, Hashable {
    /// The model of an identifier, as a root or in a tree.
    case model(ModelIdentifier)
    /// The list under a cache key.
    case list(ModelIdentifier)
}

/// A cache as one who follows it uses it: what is written by it is not told back.
public protocol FollowedCache: CacheDelegate {
    /// What became of a call.
    typealias Settled = @Sendable (SaveOutcome) -> Void

    /// Runs `call` soon, on a queue of the cache: behind what any follower passed before, and before writes that others call
    /// from now on.
    ///
    /// So the place of a call in the order of calls is that of this one, and the work of it is done elsewhere.
    func inOrder(_ call: @escaping @Sendable () -> Void)

    /// A place behind the calls that were passed before; its number is known once they have reached the cache.
    func place() -> StoredPlace

    /// Which life the cache is in: a wipe, or other files, begin another, by whichever process.
    var life: UInt64 { get }

    /// How often a call of this process emptied the cache, or deleted all models of a type. Files that were replaced, as by
    /// another process's wipe, do not count: they begin another ``life`` only.
    var wipes: UInt64 { get }

    /// Stores `model` and every identified model in its tree, and lets `cacheKey` find it.
    ///
    /// - Parameters:
    ///   - place: the place that it is as of, if it is an answer of the network, which confirms it; `nil` for a call.
    ///   - settled: called once, on any thread.
    func save(
        _ model: any SimpleModel, forKey cacheKey: String, asOf place: StoredPlace?, settled: @escaping Settled)

    /// Edits the list of a cache key, and stores the models that the edit brings.
    ///
    /// If there is no list to edit, or the part that the edit is about was lost, the outcome is a refusal with code `outOfRange`.
    ///
    /// - Parameters:
    ///   - ticket: the follower's number of the edit, higher than those of its edits before: ``CommittedChanges/ticket`` and
    ///     ``ListRead/ticket`` name it when it is committed.
    ///   - place: as for ``save(_:forKey:asOf:settled:)``; edits that were committed since are applied again to a whole list.
    ///   - fillsOnly: whether of the models only those are stored that the cache has no record of: others may be newer.
    ///   - wipes: what ``wipes`` was when the edit was made, if that was before this call: after another wipe it is refused, `cancelled`.
    func edit(
        _ edit: ListEdit, forKey cacheKey: String, ticket: UInt64, asOf place: StoredPlace?, fillsOnly: Bool,
        madeAt wipes: UInt64?, settled: @escaping Settled)

    /// Deletes the model of `identifier`, and what `cacheKey` names is found no more.
    func delete(
        _ identifier: ModelIdentifier?, forKey cacheKey: String?, asOf place: StoredPlace?, settled: @escaping Settled)

    /// Empties the cache, behind the calls before it and before those after it; returns at once.
    ///
    /// - Parameter completion: called once, on any thread, when nothing is left, or with why something is.
    func wipe(_ completion: @escaping @Sendable (CacheError?) -> Void)

    /// Asks for the model of a cache key, in one view, every write that was called before included; returns at once.
    ///
    /// - Parameters:
    ///   - maxAge: in seconds.
    ///   - completion: called once, on a queue of the cache.
    func read<T: SimpleModel>(
        _ cacheKey: String, as type: T.Type, maxAge: Double?,
        completion: @escaping @Sendable (Result<AgedRead<T>, CacheError>) -> Void)

    /// Asks for the collection of a cache key, as ``read(_:as:maxAge:completion:)`` does for a model.
    ///
    /// - Parameter missing: what an element means that the cache does not have.
    func readList<T: SimpleModel>(
        _ cacheKey: String, of type: T.Type, missing: MissingElements,
        completion: @escaping @Sendable (Result<CacheRead<ListRead<T>>, CacheError>) -> Void)

    /// Says whether the cache has a collection and everything in it, confirmed within `maxAge` seconds; counts as no read.
    func isListFresh<T: SimpleModel>(
        _ cacheKey: String, of type: T.Type, maxAge: Double, completion: @escaping @Sendable (Bool) -> Void)

    /// Runs `body` on one view of the cache, every write that was called before included, to read again what is shown; returns at
    /// once.
    ///
    /// These reads count neither as hits nor as misses.
    ///
    /// - Parameter body: called once, on a queue of the cache; with `nil` if the cache cannot be read.
    func readAgain(_ body: @escaping @Sendable ((any FollowedView)?) -> Void)

    /// Calls `body`, on a queue of the cache, when the follower was told of every commit that was made before; returns at once.
    func afterTelling(_ body: @escaping @Sendable () -> Void)
}

extension FollowedCache {
    /// Whether everything was emptied or replaced since `place`.
    package func isOver(_ place: StoredPlace) -> Bool { life != place.life }
}

/// The outcome of a read, and whether it is young enough.
public struct AgedRead<Value: Sendable>: Sendable {
    /// The value, or why there is none.
    public let outcome: CacheRead<Value>
    /// Whether all of it was confirmed within the age that was asked for.
    public let isFresh: Bool

    /// Makes an outcome.
    public init(_ outcome: CacheRead<Value>, isFresh: Bool) {
        self.outcome = outcome
        self.isFresh = isFresh
    }
}

/// What became of a call that writes.
public enum SaveOutcome: Sendable {
    /// It is stored, as of a place; not whole if some of its nodes were changed or deleted since.
    case stored(isWhole: Bool, StoredPlace)
    /// It is not, and why. Saved again as of `place`, it does not overwrite what was changed since the call.
    case refused(CacheError, StoredPlace)
}

/// One view of a cache, as one who follows it reads again what is shown.
public protocol FollowedView {
    /// Lets trees that are read hold `models` where they hold one of their identifiers, so that those are not read.
    func know(_ models: [any SimpleModel])

    /// The model of a cache key; `nil` if it could not be read.
    func model(_ cacheKey: ModelIdentifier, as type: any SimpleModel.Type) -> CacheRead<any SimpleModel>?

    /// The collection of a cache key as it was committed, its elements in their newest versions; `nil` if it could not be read.
    func list<T: SimpleModel>(
        _ cacheKey: ModelIdentifier, of type: T.Type, missing: MissingElements
    ) -> CacheRead<ListRead<T>>?
}

/// What one commit to a cache changed.
public protocol CommittedChanges: Sendable {
    /// How much changed.
    var extent: ChangeExtent { get }

    /// Whether what was asked for before does not come back: everything was emptied, or all models of a type were deleted.
    var beginsLife: Bool { get }

    /// Whether all models of `type` were deleted, those too that the cache had not got.
    func deletesAll(of type: any SimpleModel.Type) -> Bool

    /// How many nodes, lists and cache keys are named.
    var count: Int { get }

    /// The nodes that were deleted.
    var deletedModelIds: Set<ModelIdentifier> { get }

    /// The keys of the collections that were set, edited or forgotten; `nil` if any may have been.
    var changedLists: Set<ModelIdentifier>? { get }

    /// What became of those collections, as far as it is told, one after the other; those that are not named here are to be read again.
    var lists: [ListChange] { get }

    /// The number of the call: what was called later, in every process, has a higher one; zero if that is not known.
    var sequence: CallNumber { get }

    /// The number of the commit, by which ``lists`` are put in order with lists that were read.
    var commitNumber: CommitNumber { get }

    /// The follower's own number of the edit of a list that the call was; 0 if it was none of its own.
    ///
    /// Of its own edits a follower is told what became of lists, and nothing else.
    var ticket: UInt64 { get }

    /// Those of `held` that were changed or deleted, and cache keys that name another model now; what was only evicted is none of
    /// them.
    ///
    /// - Parameter isHeld: whether an identifier is in `held`; of many changes and few held ones, or the other way round, the
    ///   fewer are looked at.
    func changed(
        among held: some Collection<ModelIdentifier>, isHeld: (ModelIdentifier) -> Bool
    ) -> [ModelIdentifier]
}

extension CommittedChanges {
    /// By default, only what is named was deleted.
    public func deletesAll(of type: any SimpleModel.Type) -> Bool { false }

    /// By default, nothing is told.
    public var lists: [ListChange] { [] }

    /// By default, it is not known.
    public var sequence: CallNumber { .zero }

    /// By default, it is not known.
    public var commitNumber: CommitNumber { CommitNumber(rawValue: 0) }

    /// By default, it was no edit of the follower's own.
    public var ticket: UInt64 { 0 }
}

/// How much a commit changed.
public enum ChangeExtent: Sendable {
    /// What it names.
    case named
    /// Anything may be different, or forgotten: the files were replaced.
    case anything
    /// The cache was emptied.
    case emptied
}
