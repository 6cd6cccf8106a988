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
/// Providers of one cache key are siblings: they share one list, and an edit by one is told to the others, in the same
/// call. An edit by a paused sibling, which sees an older list, is applied to the newest list where its element or its
/// neighbours are; so siblings agree whatever the interleaving. Editing is synchronous; the cache follows behind.
@MainActor
@Observable
public final class CollectionDataProvider<T: SimpleModel>: BatchListenable {
    /// Told of changes by others; held weakly, not observed.
    @ObservationIgnored public weak var delegate: (any CollectionDataProviderDelegate)?

    /// The manager whose cache and engine are used.
    @ObservationIgnored public let dataModelManager: DataModelManager

    /// The batch that this provider is in.
    ///
    /// Set by the batch.
    @ObservationIgnored public weak var batchListener: BatchDataProviderListener?

    /// When the data last changed, or was set; `nil` before.
    public internal(set) var lastUpdated: Date?

    @ObservationIgnored var store: CollectionStore<T>
    /// What a paused provider shows, and how often the store was reset by then.
    @ObservationIgnored var snapshot: (entries: PersistentVector<Entry<T>>, resets: Int)?
    @ObservationIgnored var missedContext: (any Sendable)?
    @ObservationIgnored let broadcast = Broadcast<CollectionDataChange>()
    /// Counts changes, for observation.
    var revision = 0

    /// Makes a provider without data and without a cache key.
    public init(dataModelManager: DataModelManager) {
        self.dataModelManager = dataModelManager
        store = CollectionStore(cacheKey: nil, manager: dataModelManager)
        store.add(self)
        dataModelManager.register(self, store.key)
    }

    /// The key under which the collection is cached and shared; `nil` for neither.
    public var cacheKey: String? { store.cacheKey }

    /// The models now: a view that costs nothing to take.
    public var elements: CollectionElements<T> {
        _ = revision
        return CollectionElements(entries: entries)
    }

    /// The models now, as an array.
    ///
    /// O(*n*); see ``elements``.
    public var data: [T] { Array(elements) }

    /// The number of models.
    public var count: Int { elements.count }

    /// The model at `index`, which must be in the collection.
    public subscript(index: Int) -> T { elements[index] }

    /// Whether changes by others are kept until this is false again; then they come as one, before the setter returns.
    ///
    /// Not to be set while the provider is in a batch: then the batch is paused.
    public var isPaused: Bool {
        get {
            _ = revision
            return snapshot != nil
        }
        set {
            if batchListener != nil {
                dataModelManager.misuse("Pause the batch listener, not a provider that is in it.")
            }
            setPaused(newValue)
        }
    }

    /// The changes of the data from this call on, own ones included.
    ///
    /// The stream does not retain the provider.
    public func changes() -> AsyncStream<CollectionDataChange> { broadcast.stream() }

    /// The data now and its changes from now on, without a gap between them.
    public func currentAndChanges() -> (elements: CollectionElements<T>, changes: AsyncStream<CollectionDataChange>) {
        (elements, changes())
    }

    var entries: PersistentVector<Entry<T>> { snapshot?.entries ?? store.entries }

    func join(_ newStore: CollectionStore<T>) {
        guard newStore !== store else { return }
        store.remove(self)
        store = newStore
        store.add(self)
        if snapshot != nil { snapshot = (store.entries, store.resets) }
    }

    /// The shared list changed.
    func storeDidChange(_ change: CollectionChange, isOwn: Bool, context: (any Sendable)?) {
        if snapshot != nil {
            missedContext = context
            if isOwn { note(change, isOwn: true, context) }
            return
        }
        note(change, isOwn: isOwn, context)
    }

    func note(_ change: CollectionChange, isOwn: Bool, _ context: (any Sendable)?) {
        revision += 1
        lastUpdated = Date()
        if !isOwn {
            batchListener?.note(self, context)
            delegate?.collectionDataProviderHasUpdatedData(self, collectionChanges: change, context: context)
        }
        broadcast.send(CollectionDataChange(changes: change, origin: isOwn ? .own : .other, context: context))
    }

    /// Pauses or resumes.
    public func setPaused(_ isPaused: Bool) {
        guard isPaused != (snapshot != nil) else { return }
        revision += 1
        guard !isPaused else {
            snapshot = (store.entries, store.resets)
            return
        }
        guard let old = snapshot else { return }
        snapshot = nil
        let context = missedContext
        missedContext = nil
        guard let change = Self.change(from: old, to: (store.entries, store.resets)) else { return }
        note(change, isOwn: false, context)
    }

    /// What leads from one state of the list to a later one; `nil` where they are the same.
    ///
    /// O(*n*).
    private static func change(
        from old: (entries: PersistentVector<Entry<T>>, resets: Int),
        to new: (entries: PersistentVector<Entry<T>>, resets: Int)
    ) -> CollectionChange? {
        guard old.resets == new.resets else { return .reset }
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
    func clearForWipe() {
        if store.cacheKey == nil { store.clearForWipe() }
        guard snapshot != nil else { return }
        snapshot = (store.entries, store.resets)
        note(.reset, isOwn: false, nil)
    }
}
