/// A cache that reports its commits, so that screens follow it.
///
/// A data model manager over such a cache follows it. A cache that is only a ``CacheDelegate`` is told of the calls of
/// providers; changes by others show when it is read again.
package protocol FollowableCache: CacheDelegate {
    /// Makes a handle of the cache for a follower that shows models and lists.
    ///
    /// If the cache has to evict, the records that the follower shows go last, after every record that no follower
    /// shows.
    ///
    /// - Parameters:
    ///   - tell: told of every commit, in order, on a queue of the cache, except for the commits of calls that the
    ///     follower made through the returned handle. It is released with the handle.
    ///   - isShown: says whether the follower shows a model or a list; `nil` if it shows nothing. It is called only for
    ///     records that are about to be evicted, while the cache writes: it must be quick, and must not call the cache.
    ///     A cache that may evict calls it once at first, so that the follower can prepare for it; a cache that never
    ///     evicts never calls it.
    func followed(
        by tell: @escaping @Sendable (any CommittedChanges) -> Void, isShown: (@Sendable (ShownItem) -> Bool)?
    ) -> any FollowedCache

    /// Reads the model of `identifier`, lets `change` change it, and stores it if it differs then; returns at once.
    ///
    /// No other writer comes between. Every follower of the cache is told, the caller too.
    ///
    /// - Parameters:
    ///   - change: called once, on a queue of the cache, unless the model is missing.
    ///   - completion: called once, on any thread: with the model as it is stored, with ``CacheError`` of code
    ///     `missing` if it is missing, or with the error that `change` throws.
    func update<T: SimpleModel>(
        _ identifier: ModelIdentifier, as type: T.Type, _ change: @escaping @Sendable (inout T) throws -> Void,
        completion: @escaping @Sendable (Result<T, any Error>) -> Void)
}

extension FollowableCache {
    /// Makes a handle of the cache for a follower that shows nothing.
    package func followed(by tell: @escaping @Sendable (any CommittedChanges) -> Void) -> any FollowedCache {
        followed(by: tell, isShown: nil)
    }
}

/// An item that a follower may show.
package enum ShownItem: Sendable, Hashable {
    /// The model of an identifier, as a root or in a tree.
    case model(ModelIdentifier)
    /// The list under a cache key.
    case list(ModelIdentifier)
}

/// A follower's handle of a cache: writes through it are not told back to the follower.
package protocol FollowedCache: Sendable {
    /// A closure that is told the outcome of a call.
    typealias Settled = @Sendable (SaveOutcome) -> Void

    /// Runs `call` soon, on a queue of the cache: after the calls that any follower passed before, and before writes
    /// that others call from now on.
    ///
    /// So the call takes its place in the order of calls now, and its work is done elsewhere.
    func inOrder(_ call: @escaping @Sendable () -> Void)

    /// A place behind the calls that were passed before; its number is known once they have reached the cache.
    func place() -> StoredPlace

    /// The cache's present life: a wipe or a replacement of its files begins another, by any process.
    var life: LifeID { get }

    /// The number of times that other processes were found to have emptied the cache.
    var wipesByOthers: WipeCount { get }

    /// Stores `model` and every identified model in its tree, and makes `cacheKey` name it.
    ///
    /// - Parameters:
    ///   - place: if `model` is an answer of the network, the place at which it was asked for; the answer confirms the
    ///     model. `nil` for a call.
    ///   - settled: called once, on any thread.
    func save(
        _ model: any SimpleModel, forKey cacheKey: String, asOf place: StoredPlace?, settled: @escaping Settled)

    /// Edits the list of a cache key, and stores the models that the edit brings.
    ///
    /// If there is no list to edit, or if the part that the edit concerns was lost, the outcome is a refusal with code
    /// `outOfRange`.
    ///
    /// - Parameters:
    ///   - ticket: the follower's number of the edit, higher than those of its earlier edits.
    ///     ``CommittedChanges/ticket`` and ``ListRead/ticket`` name it when the edit is committed.
    ///   - place: as for ``save(_:forKey:asOf:settled:)``; edits that were committed since are applied again to a whole
    ///     list.
    ///   - fillsOnly: whether only those models are stored that the cache has no record of, because its records may be
    ///     newer.
    ///   - wipes: the wipes of ``life`` when the edit was made, if that was before this call. After another wipe the
    ///     edit is refused with code `cancelled`.
    func edit(
        _ edit: ListEdit, forKey cacheKey: String, ticket: EditTicket, asOf place: StoredPlace?, fillsOnly: Bool,
        madeAt wipes: WipeCount?, settled: @escaping Settled)

    /// Deletes the model of `identifier`; `cacheKey` names no model any more.
    func delete(
        _ identifier: ModelIdentifier?, forKey cacheKey: String?, asOf place: StoredPlace?, settled: @escaping Settled)

    /// Empties the cache, after the calls before this one and before those after it; returns at once.
    ///
    /// - Parameter completion: called once, on any thread, when nothing is left, or with the error if some is.
    func wipe(_ completion: @escaping @Sendable (CacheError?) -> Void)

    /// Reads the model of a cache key in one view, which includes every write that was called before; returns at once.
    ///
    /// - Parameters:
    ///   - maxAge: the greatest age, in seconds.
    ///   - completion: called once, on a queue of the cache.
    func read<T: SimpleModel>(
        _ cacheKey: String, as type: T.Type, maxAge: Double?,
        completion: @escaping @Sendable (Result<AgedRead<T>, CacheError>) -> Void)

    /// Reads the collection of a cache key, as ``read(_:as:maxAge:completion:)`` reads a model.
    ///
    /// - Parameter missing: whether an element that the cache does not have makes the read a miss or is left out.
    func readList<T: SimpleModel>(
        _ cacheKey: String, of type: T.Type, missing: MissingElements,
        completion: @escaping @Sendable (Result<CacheRead<ListRead<T>>, CacheError>) -> Void)

    /// Says whether the cache has a collection and everything in it, confirmed within `maxAge` seconds; counts as no
    /// read.
    func isListFresh<T: SimpleModel>(
        _ cacheKey: String, of type: T.Type, maxAge: Double, completion: @escaping @Sendable (Bool) -> Void)

    /// Runs `body` on one view of the cache, which includes every write that was called before; returns at once.
    ///
    /// It is for reading shown models again: these reads count neither as hits nor as misses.
    ///
    /// - Parameter body: called once, on a queue of the cache; with `nil` if the cache cannot be read.
    func readAgain(_ body: @escaping @Sendable ((any FollowedView)?) -> Void)

    /// Calls `body`, on a queue of the cache, after the follower was told of every commit that was made before; returns
    /// at once.
    func afterTelling(_ body: @escaping @Sendable () -> Void)
}

extension FollowedCache {
    /// Whether everything was emptied or replaced since `place`.
    package func isOver(_ place: StoredPlace) -> Bool { life != place.life }
}

/// The outcome of a read, and whether it is young enough.
package struct AgedRead<Value: Sendable>: Sendable {
    /// The value, or the miss.
    package let outcome: CacheRead<Value>
    /// Whether all of it was confirmed within the age that was asked for.
    package let isFresh: Bool

    /// Makes an outcome.
    package init(_ outcome: CacheRead<Value>, isFresh: Bool) {
        self.outcome = outcome
        self.isFresh = isFresh
    }
}

/// The outcome of a call that writes.
package enum SaveOutcome: Sendable {
    /// The write is stored as of a place; it is not whole if some of its nodes were changed or deleted since.
    case stored(isWhole: Bool, StoredPlace)
    /// The write was refused with this error. Saved again as of `place`, it does not overwrite changes that were made
    /// since the call.
    case refused(CacheError, StoredPlace)
}

/// One view of a cache, in which a follower reads the models that it shows again.
package protocol FollowedView {
    /// Gives the view `models`: a tree that is read holds them in the places of their identifiers, which are not read.
    func know(_ models: [any SimpleModel])

    /// The model of a cache key; `nil` if it could not be read.
    func model(_ cacheKey: ModelIdentifier, as type: any SimpleModel.Type) -> CacheRead<any SimpleModel>?

    /// The collection of a cache key as it was committed, its elements in their newest versions; `nil` if it could not
    /// be read.
    func list<T: SimpleModel>(
        _ cacheKey: ModelIdentifier, of type: T.Type, missing: MissingElements
    ) -> CacheRead<ListRead<T>>?

    /// Some rows of the collection of a cache key as it was committed, in their newest versions; `nil` if it could not
    /// be read.
    ///
    /// Elements that the cache does not have are left out.
    func rows<T: SimpleModel>(
        _ cacheKey: ModelIdentifier, of type: T.Type, _ wanted: WantedRows
    ) -> CacheRead<FoundRows<T>>?
}

/// The changes of one commit to a cache.
package protocol CommittedChanges: Sendable {
    /// The extent of the changes.
    var extent: ChangeExtent { get }

    /// Whether answers that were asked for before are void: everything was emptied, or all models of a type were
    /// deleted.
    var beginsLife: Bool { get }

    /// Whether all models of `type` were deleted, including those that the cache did not have.
    func deletesAll(of type: any SimpleModel.Type) -> Bool

    /// The number of nodes, lists and cache keys that are named.
    var count: Int { get }

    /// The nodes that were deleted.
    var deletedModelIds: Set<ModelIdentifier> { get }

    /// The keys of the collections that were set, edited or forgotten; `nil` if any may have been.
    var changedLists: Set<ModelIdentifier>? { get }

    /// The changes of those collections, as far as they are told, in order; a collection that is not in it is to be
    /// read again.
    var lists: [ListChange] { get }

    /// The number of the call: calls made later, in any process, have higher ones; zero if it is not known.
    var sequence: CallNumber { get }

    /// The number of the commit, by which ``lists`` are put in order with lists that were read.
    var commitNumber: CommitNumber { get }

    /// The follower's own number of the list edit that was committed; none if it was no edit of its own.
    ///
    /// Of its own edits a follower is told only how lists changed.
    var ticket: EditTicket { get }

    /// Those of `held` that were changed or deleted, and cache keys that name another model now; evictions do not
    /// count.
    ///
    /// - Parameter isHeld: whether an identifier is in `held`. Either the changes or the held identifiers are looked
    ///   through, whichever are fewer.
    func changed(
        among held: some Collection<ModelIdentifier>, isHeld: (ModelIdentifier) -> Bool
    ) -> [ModelIdentifier]
}

extension CommittedChanges {
    /// By default, only the named models were deleted.
    package func deletesAll(of type: any SimpleModel.Type) -> Bool { false }

    /// By default, no change of a list is told.
    package var lists: [ListChange] { [] }

    /// By default, it is not known.
    package var sequence: CallNumber { .zero }

    /// By default, it is not known.
    package var commitNumber: CommitNumber { CommitNumber(rawValue: 0) }

    /// By default, it was no edit of the follower's own.
    package var ticket: EditTicket { .none }
}

/// The extent of a commit's changes.
package enum ChangeExtent: Sendable {
    /// The commit changed the nodes, lists and keys that it names.
    case named
    /// Anything may be different or forgotten: the files were replaced.
    case anything
    /// The cache was emptied.
    case emptied
}
