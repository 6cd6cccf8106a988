import Dispatch
import GroveConsistency
import GroveModel

/// The one state that all collection providers of a cache key share.
///
/// Every edit applies here, to the newest state. Elements have handles, so that an edit that was meant for an older
/// state (a paused provider's) finds its element or its place; nothing is replayed by index.
@MainActor
final class CollectionStore<T: SimpleModel> {
    let cacheKey: String?
    let manager: DataModelManager
    let key: SubscriptionKey
    var entries = PersistentVector<Entry<T>>()
    /// Whether the content is known: set, edited or fetched.
    var isLoaded = false
    /// Counts the times that everything was replaced.
    var resets = 0
    /// Who shares this store, held weakly.
    private var viewers: [ObjectIdentifier: WeakViewer] = [:]
    private var waiters: [@MainActor ([T]?, (any Error)?) -> Void] = []
    var isLoading = false
    /// While loading: elements that were appended, and belong behind what is fetched.
    var appendedWhileLoading: Set<Int> = []
    private var nextHandle = 0
    /// Index by handle, less `firstHandle`, right below `staleFrom`.
    private var positions: [Int] = []
    private var firstHandle = 0
    private var staleFrom = 0

    struct WeakViewer {
        weak var viewer: CollectionDataProvider<T>?
    }

    init(cacheKey: String?, manager: DataModelManager) {
        self.cacheKey = cacheKey
        self.manager = manager
        let relay = ProviderRelay()
        key = manager.consistencyManager.subscribe(relay) { _ in false }
        relay.target = self
    }

    deinit { manager.consistencyManager.unsubscribe(key) }

    func add(_ viewer: CollectionDataProvider<T>) { viewers[ObjectIdentifier(viewer)] = WeakViewer(viewer: viewer) }

    func remove(_ viewer: CollectionDataProvider<T>) { viewers[ObjectIdentifier(viewer)] = nil }

    // MARK: Handles

    func entry(_ model: T) -> Entry<T> {
        defer { nextHandle += 1 }
        return Entry(handle: nextHandle, model: model)
    }

    /// The index of the element of `handle`, or `nil` where it is gone.
    ///
    /// O(1) but for the first after an edit.
    func position(of handle: Int) -> Int? {
        refreshPositions()
        let offset = handle - firstHandle
        guard positions.indices.contains(offset) else { return nil }
        let position = positions[offset]
        guard position >= 0, position < entries.count, entries[position].handle == handle else { return nil }
        return position
    }

    private func refreshPositions() {
        guard staleFrom < entries.count else { return }
        if positions.count < nextHandle - firstHandle {
            positions.append(contentsOf: repeatElement(-1, count: nextHandle - firstHandle - positions.count))
        }
        for (offset, entry) in entries.slice(staleFrom, entries.count).enumerated() {
            positions[entry.handle - firstHandle] = staleFrom + offset
        }
        staleFrom = entries.count
    }

    // MARK: Edits of the newest state

    func reset(_ new: [Entry<T>]) {
        firstHandle = new.map(\.handle).min() ?? nextHandle
        positions = []
        staleFrom = 0
        entries = PersistentVector(new)
        resets += 1
        isLoaded = true
    }

    func insert(_ new: [Entry<T>], at index: Int) {
        entries.replace(index, index, with: new)
        staleFrom = min(staleFrom, index)
    }

    func remove(at index: Int) {
        entries.replace(index, index + 1, with: [])
        staleFrom = min(staleFrom, index)
    }

    func replace(_ model: T, at index: Int) {
        var entry = entries[index]
        entry.model = model
        entry.revision += 1
        entries[index] = entry
    }

    // MARK: Telling

    /// Tells everybody but `actor`, of whom only streams are told, of a change.
    func tell(_ change: CollectionChange, by actor: CollectionDataProvider<T>?, context: (any Sendable)?) {
        for holder in Array(viewers.values) {
            holder.viewer?.storeDidChange(change, isOwn: holder.viewer === actor, context: context)
        }
    }

    private func finish(_ context: (any Sendable)?) {
        for holder in Array(viewers.values) { holder.viewer?.batchListener?.finishUpdate(context: context) }
    }

    /// Ends a synchronous edit for the batches of others.
    func finishEdit(by actor: CollectionDataProvider<T>?, context: (any Sendable)?) { finish(context) }

    // MARK: Loading

    /// Calls `completion` with the content, which is fetched from the cache where it is not known.
    func load(context: (any Sendable)?, _ completion: @escaping @MainActor ([T]?, (any Error)?) -> Void) {
        guard !isLoaded || isLoading else { return completion(Array(CollectionElements(entries: entries)), nil) }
        waiters.append(completion)
        guard !isLoading else { return }
        isLoading = true
        let resets = resets
        let consistency = manager.consistencyManager
        manager.fetchCollection(cacheKey, context) { [manager, key] (fetch, epoch, models: [T]?, error) in
            consistency.graftFetched(fetch, models: (models ?? []).map { Leaf.node($0) }) { newest in
                let found = models.map { _ in newest.compactMap { $0.flatMap { Leaf.base($0) as? T } } }
                let isFresh = !manager.isOver(epoch) && self.resets == resets
                let wasEdited = self.entries.count > 0
                let joined = isFresh ? self.accept(found, context) : []
                consistency.joinFetched(fetch, key, joined)
                if isFresh, wasEdited { manager.inOrder { _ in self.save(context) } }
                self.isLoading = false
                self.appendedWhileLoading = []
                let waiters = self.waiters
                self.waiters = []
                let answer = self.isLoaded ? Array(CollectionElements(entries: self.entries)) : found
                for waiter in waiters {
                    manager.isOver(epoch)
                        ? waiter(nil, error ?? CacheError.wiped) : waiter(answer, self.isLoaded ? nil : error)
                }
            }
        }
    }

    /// Takes what was fetched, under what was edited meanwhile.
    private func accept(_ found: [T]?, _ context: (any Sendable)?) -> [(handle: Int, model: any Model)] {
        guard let found else {
            isLoaded = isLoaded || entries.count > 0
            return []
        }
        let base = found.map { entry($0) }
        let edited = entries.slice(0, entries.count)
        reset(
            edited.filter { !appendedWhileLoading.contains($0.handle) } + base
                + edited.filter { appendedWhileLoading.contains($0.handle) })
        tell(.reset, by: nil, context: context)
        finish(context)
        return base.map { ($0.handle, Leaf.node($0.model)) }
    }

    /// Stores the whole collection, each element in the version that is the newest at this place in the order of calls.
    ///
    /// Called within ``DataModelManager/inOrder(_:)``. Flattened off the main actor.
    func save(_ context: (any Sendable)?) {
        guard let cacheKey else { return }
        let (entries, cache) = (entries, manager.cacheDelegate)
        let newest = Handover<[any SimpleModel]>()
        manager.consistencyManager.newestElements(
            key, of: { entries.slice(0, entries.count).map { ($0.handle, $0.model) } }, then: newest.put)
        manager.cacheQueue.async { cache.setCollection(newest.take(), forKey: cacheKey, context: context) }
    }
}

extension CollectionStore: DeliveryReceiver {
    func receive(_ delivery: Delivery) {
        guard case .elements(let changes) = delivery.content else { return }
        let found = changes.compactMap { change -> (Int, (any Model)?)? in
            guard let index = position(of: change.handle), entries[index].editedAt < delivery.sequence else {
                return nil
            }
            return (index, change.model)
        }
        var information: [CollectionChangeInformation] = []
        for (index, model) in found.sorted(by: { $0.0 > $1.0 }) {
            if let model {
                guard let value = Leaf.base(model) as? T else {
                    manager.misuse("Two types that cannot be merged share an identifier.")
                    continue
                }
                replace(value, at: index)
                information.append(.update(index: index))
            } else {
                remove(at: index)
                information.append(.delete(index: index))
            }
        }
        guard !information.isEmpty else { return }
        tell(.changes(information), by: nil, context: delivery.context)
    }

    func finishUpdate(context: (any Sendable)?) { finish(context) }
}

extension CollectionStore: WipeableProvider {
    func clearForWipe() {
        manager.consistencyManager.edit(key, leaving: nil, joining: [], posting: [], context: nil)
        reset([])
        isLoaded = false
        tell(.reset, by: nil, context: nil)
    }
}

/// What finds a shared store.
struct StoreKey: Hashable {
    let type: ObjectIdentifier
    let cacheKey: ModelIdentifier
}

struct WeakStore {
    weak var store: (any WipeableProvider)?
}

extension DataModelManager {
    /// The store of `cacheKey`, made where nobody has it; one of its own where there is no key.
    @MainActor
    func store<T>(_ cacheKey: String?, of type: T.Type) -> CollectionStore<T> {
        guard let cacheKey else { return CollectionStore(cacheKey: nil, manager: self) }
        let key = StoreKey(type: ObjectIdentifier(type), cacheKey: ModelIdentifier(cacheKey))
        if let found = stores[key]?.store as? CollectionStore<T> { return found }
        let store = CollectionStore<T>(cacheKey: cacheKey, manager: self)
        if stores.count > 64 { stores = stores.filter { $0.value.store != nil } }
        stores[key] = WeakStore(store: store)
        return store
    }
}
