public import GroveConsistency
public import GroveModel
public import Observation

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Holds a list of models, each in its newest version, for a screen.
///
/// Providers of one cache key are siblings: they share one list, and an edit by one is told to the others within the
/// same call. A paused sibling shows an older list, so its edit is applied to the newest list, beside the same element
/// or neighbours. So siblings agree in whatever order their edits come. Editing is synchronous; the cache is written
/// afterwards.
///
/// A view reads ``rows``, each of which is observed by itself, and ``state``: see Docs/Guides/Screens.md.
@MainActor
@Observable
public final class CollectionDataProvider<T: SimpleModel>: BatchListenable {
    /// Told of changes by others, not by this provider; held weakly, not observed.
    @ObservationIgnored public weak var delegate: (any CollectionDataProviderDelegate)?

    /// The manager whose cache and engine are used.
    public var dataModelManager: DataModelManager { store.manager }

    /// The batch that this provider is in; the batch sets it.
    @ObservationIgnored public weak var batchListener: BatchDataProviderListener?

    /// The time at which the data last changed or were set; `nil` before.
    ///
    /// All providers that one update changes have the same time.
    public internal(set) var lastUpdated: Date?

    /// The progress of the last fetch or load.
    ///
    /// Changes by others do not change it, unless there were no data.
    public private(set) var state: ProviderState {
        get {
            access(keyPath: \.state)
            return request.state.told
        }
        set { withMutation(keyPath: \.state) { request.state.told = newValue } }
    }
    @ObservationIgnored var request = ListRequest<T>()

    @ObservationIgnored var store: CollectionStore<T>
    @ObservationIgnored var following = ListFollowing<T>()
    @ObservationIgnored var layered = LayeredList<T>()
    /// The arrangements of the rows.
    @ObservationIgnored var arrangements = RowFollowers()
    @ObservationIgnored let broadcast = Broadcast<CollectionDataChange>()
    /// The number of changes, for observation.
    var revision = 0

    /// Whether the list holds each identifier once: an inserted element that is already there is updated in place.
    ///
    /// If one provider of a key has it, the list does so for all of them, as long as that provider shows the list. If
    /// an array or an answer has an identifier twice, the first place counts. If another writer adds an element twice
    /// with `cache.append`, it is shown twice: use `cache.upsert` there.
    @ObservationIgnored public let holdsEachOnce: Bool

    /// Makes a provider without data and without a cache key.
    ///
    /// - Parameter holdsEachOnce: see ``holdsEachOnce``.
    public init(dataModelManager: DataModelManager, holdsEachOnce: Bool = false) {
        self.holdsEachOnce = holdsEachOnce
        store = CollectionStore(cacheKey: nil, manager: dataModelManager)
        store.audience.add(self)
        dataModelManager.screens.register(self, store.key)
    }

    /// The key under which the collection is cached and shared; `nil` if it is neither.
    public var cacheKey: String? { store.cacheKey }

    /// The models now, as a collection that costs nothing to get.
    ///
    /// A view that reads it is told of every change; see ``rows``.
    public var elements: CollectionElements<T> {
        _ = revision
        return CollectionElements(entries: entries)
    }

    /// The models now, as an array.
    ///
    /// - Complexity: O(*n*); ``elements`` costs nothing.
    public var data: [T] { Array(elements) }

    /// Whether changes by others are held back.
    ///
    /// When this becomes false, they come as one change, before the setter returns.
    ///
    /// Do not set it while the provider is in a batch: pause the batch instead.
    public var isPaused: Bool {
        get {
            _ = revision
            return following.isPaused
        }
        set {
            if batchListener != nil {
                dataModelManager.misuse("Pause the batch listener, not a provider that is in it.")
            }
            setPaused(newValue)
            batchListener?.finishResuming()
        }
    }

    /// The changes of the data from this call on, including the provider's own.
    ///
    /// The stream does not retain the provider.
    public func changes() -> AsyncStream<CollectionDataChange> { broadcast.stream() }

    var entries: PersistentVector<Entry<T>> { layered.entries ?? confirmedEntries }

    /// The list without the layers over it.
    var confirmedEntries: PersistentVector<Entry<T>> { following.snapshot?.entries ?? store.rows.entries }

    func join(_ newStore: CollectionStore<T>) {
        guard newStore !== store else { return }
        store.audience.remove(self)
        store = newStore
        store.audience.add(self)
        let unsaved = store.unsaved
        updateState { $0.unsaved = unsaved }
        followStore()
    }

    /// Shows the newest list; a paused provider stays with the state that the list has now.
    func followStore() {
        if dataModelManager.layers != nil, following.snapshot == nil, layered.entries == nil {
            layered.lastShown = store.rows.entries
        }
        following.showNewest(store)
    }

    /// Shows the newest list, which the owner asked for.
    func showNewest(_ context: (any Sendable)?, at time: Date) {
        followStore()
        note(.reset, isOwn: true, context, at: time)
    }

    /// Edits the list that is shown, if it is not the newest one.
    func editShown(_ body: (inout PersistentVector<Entry<T>>) -> Void) {
        guard following.snapshot != nil else { return }
        guard layered.entries == nil else {
            layered.entries.modify { body(&$0) }
            following.isDiverged = true
            return
        }
        following.snapshot.modify { body(&$0.entries) }
        following.isDiverged = true
    }

    /// Takes one change of the shared list, of which the provider was not told yet.
    func take(_ news: CollectionNews<T>) {
        guard news.number > following.toldThrough, !following.isPaused else { return }
        guard !following.isDiverged else { return catchUp(news.context, at: news.time) }
        following.toldThrough = news.number
        following.snapshot = store.audience.lastNews == news.number ? nil : news.after
        note(news.change, isOwn: false, news.context, at: news.time)
    }

    /// Goes from the list that is shown to the newest one.
    private func catchUp(_ context: (any Sendable)?, at time: Date) {
        guard let old = following.snapshot else { return }
        followStore()
        guard let change = Self.change(from: old, to: store.rows.state) else { return showLayers(context: context) }
        note(change, isOwn: false, context, at: time)
    }

    /// - Parameter updated: the handles of the elements that changed, if `change` is a reset and they are known.
    func note(
        _ change: CollectionChange, isOwn: Bool, _ context: (any Sendable)?, at time: Date, updated: [Int]? = nil
    ) {
        var (change, updated) = (change, updated)
        if let layers = dataModelManager.layers {
            let wasLayered = layered.entries != nil
            layer(by: layers, isNews: true)
            if wasLayered || layered.entries != nil {
                updated = nil
                guard let difference = LayeredList.change(from: layered.lastShown, to: entries) else {
                    layered.lastShown = entries
                    return
                }
                change = difference
            }
            layered.lastShown = entries
        }
        tellViews(change, updated: updated)
        lastUpdated = time
        if store.isLoaded { updateState { $0.noteData() } }
        if !isOwn {
            batchListener?.note(self, context)
            delegate?.collectionDataProviderHasUpdatedData(self, collectionChanges: change, context: context)
        }
        broadcast.send(CollectionDataChange(changes: change, origin: isOwn ? .own : .other, context: context))
    }

    func updateState(_ body: (inout RequestState) -> Void) {
        body(&request.state)
        if !state.isSame(as: request.state.shown) { state = request.state.shown }
    }

    /// Pauses or resumes.
    public func setPaused(_ isPaused: Bool) {
        guard isPaused != following.isPaused else { return }
        revision += 1
        following.isPaused = isPaused
        guard isPaused else {
            let last = following.missed
            following.missed = nil
            catchUp(last?.context, at: last?.time ?? dataModelManager.now())
            return showLayers(context: nil)
        }
        if following.snapshot == nil { following.snapshot = store.rows.state }
    }

    /// The changes from one state of the list to a later one; `nil` if there are none.
    ///
    /// O(*n*).
    private static func change(
        from old: ListState<T>, to new: ListState<T>
    ) -> CollectionChange? {
        guard old.resets == new.resets else {
            let (before, after) = (CollectionElements(entries: old.entries), CollectionElements(entries: new.entries))
            return before.isEqual(to: after) ? nil : .reset
        }
        let before = old.entries.slice(0, old.entries.count)
        let after = new.entries.slice(0, new.entries.count)
        let revisions = Dictionary(uniqueKeysWithValues: before.map { ($0.handle, $0.revision) })
        let kept = Set(after.map(\.handle))
        var changes: [CollectionChangeInformation] = []
        for (index, entry) in before.enumerated().reversed() where !kept.contains(entry.handle) {
            changes.append(.delete(index: index))
        }
        for (index, entry) in after.enumerated() where revisions[entry.handle] == nil {
            changes.append(.insert(index: index))
        }
        for (index, entry) in after.enumerated() {
            if let revision = revisions[entry.handle], revision != entry.revision {
                changes.append(.update(index: index))
            }
        }
        return changes.isEmpty ? nil : .changes(changes)
    }
}

extension CollectionDataProvider: ConsistencyManagerListener {
    /// The models as one.
    ///
    /// O(*n*).
    public func currentModel() -> (any ConsistencyManagerModel)? {
        BatchUpdateModel(
            models: elements.map { Leaf.node($0) }, modelIdentifier: cacheKey.map { ModelIdentifier($0) })
    }

    /// Does nothing: the provider listens to its elements one by one.
    public func modelUpdated(
        _ model: (any ConsistencyManagerModel)?, updates: ModelUpdates, context: (any Sendable)?
    ) {}
}

extension CollectionDataProvider: WipeableProvider {
    func note(missing misses: [ModelIdentifier: CacheMiss], whole: Set<ModelIdentifier>, readAt time: Date) {
        // A list with a key is told once for all providers that show it.
        if store.cacheKey == nil { store.note(missing: misses, whole: whole, readAt: time) }
    }

    func clearForWipe(at time: Date) {
        if store.cacheKey == nil { store.clearForWipe(at: time) }
        guard following.isPaused else { return }
        layered.entries = nil
        followStore()
        note(.reset, isOwn: false, nil, at: time)
    }
}

extension Optional {
    /// Changes the value in place, if there is one.
    fileprivate mutating func modify(_ body: (inout Wrapped) -> Void) {
        guard var value = self else { return }
        self = nil
        body(&value)
        self = value
    }
}
