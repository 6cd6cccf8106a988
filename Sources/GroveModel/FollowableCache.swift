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

    /// The same, for a follower who shows something: that goes last where the cache has to evict, after everything that nobody shows.
    ///
    /// - Parameter isShown: says whether the follower shows a model or a list. Called for what is about to be evicted only, while the
    ///   cache writes: it must be quick, and must not call the cache.
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
    /// Runs `call` soon, on a queue of the cache: behind what any follower passed before, and before writes that others call
    /// from now on.
    ///
    /// So the place of a call in the order of calls is that of this one, and the work of it is done elsewhere.
    func inOrder(_ call: @escaping @Sendable () -> Void)

    /// Empties the cache, behind the calls before it and before those after it; returns at once.
    ///
    /// - Parameter completion: called once, on any thread, when nothing is left, or with why something is.
    func wipe(_ completion: @escaping @Sendable (CacheError?) -> Void)

    /// Reads models now, in one view of the cache, every write that was called before included.
    ///
    /// Blocks the calling thread.
    ///
    /// - Parameters:
    ///   - models: what to read, and as what.
    ///   - known: models that are not read but used, where a tree that is read holds one of their identifiers.
    /// - Returns: the outcomes, in the order of `models`; `nil` where one could not be read.
    func readNow(
        _ models: [(identifier: ModelIdentifier, type: any SimpleModel.Type)], known: [any SimpleModel]
    ) -> [CacheRead<any SimpleModel>?]

    /// Reads a list now, as ``readNow(_:known:)`` reads models.
    ///
    /// - Parameter missing: what an element means that neither the cache nor `known` has.
    /// - Returns: `nil` where it could not be read.
    func readListNow<T: SimpleModel>(
        _ cacheKey: String, of type: T.Type, known: [T], missing: MissingElements
    ) -> CacheRead<[T]>?
}

/// What one commit to a cache changed.
public protocol CommittedChanges: Sendable {
    /// How much changed.
    var extent: ChangeExtent { get }

    /// The nodes that were deleted.
    var deletedModelIds: Set<ModelIdentifier> { get }

    /// The keys of the collections that were set, edited or forgotten; `nil` where any may have been.
    var changedLists: Set<ModelIdentifier>? { get }

    /// Those of `held` that were changed or deleted; what was only evicted is none of them.
    ///
    /// - Parameter isHeld: whether an identifier is in `held`; of many changes and few held ones, or the other way round, the
    ///   fewer are looked at.
    func changed(
        among held: some Collection<ModelIdentifier>, isHeld: (ModelIdentifier) -> Bool
    ) -> [ModelIdentifier]
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
