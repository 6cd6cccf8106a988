import Dispatch
import GroveConsistency
import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
    /// The number of times that everything was replaced.
    var resets = 0
    /// The time at which the network last brought the list as it is; an edit does not confirm it.
    var confirmed: Date?
    /// The turn at which the list was last edited or set.
    var editedAt = Turn.zero
    /// The turn as of which a change by others was last shown.
    var changedAt = Turn.zero
    /// The turn at which the whole list was set, or asked for.
    var setAt = Turn.zero
    /// The commit as of which the cache's list is known; `nil` if it is not known, so that news of it do not help.
    var commit: CommitNumber?
    /// The edits that are shown and that the cache was not told to have made yet, in order.
    var pending: [PendingEdit<T>] = []
    /// The number of wipes of the cache when the whole list was set or read.
    var wipes = WipeCount.zero
    /// The number of wipes by other processes at that time.
    var wipesByOthers = WipeCount.zero
    /// Whether rows from before the cache was emptied are shown.
    var showsRowsOfBefore = false
    /// The number of the last edit that replaced the whole list.
    var lastWhole = EditTicket.none
    /// The list without the pending edits; `nil` if there are none.
    var committed: PersistentVector<Entry<T>>?
    /// Elements whose models were deleted since one of the pending edits.
    var gone: Set<Int> = []
    /// The elements of the cache's list that are not shown.
    var hidden: [HiddenElement] = []
    /// Whether the cache has the list, as far as is known, so that an edit of it will do.
    var isInCache = false
    /// The last edits, for answers that were asked for before.
    var recent: [(turn: Turn, edit: EntryEdit<T>)] = []
    /// Whether others changed the list while it was being loaded.
    var isStale = false
    /// The viewers that show nothing and asked for the list when neither memory nor the cache had it.
    var interested: [WeakViewer] = []
    /// The errors with which the cache refused elements or, under `nil`, the list itself.
    private var refused: [ModelIdentifier?: CacheError] = [:]
    /// The error with which the cache refused something that is shown, if it did.
    var unsaved: CacheError? { refused[nil] ?? refused.values.first }
    /// The providers that share this store, held weakly, in the order in which they came.
    var viewers: [WeakViewer] = []
    /// The number of changes that were told.
    var lastNews = 0
    /// The changes that are being told, in order.
    var news: [CollectionNews<T>] = []
    var isTelling = false
    var waiters: [Waiter] = []
    var isLoading = false
    /// The reason why the last load brought nothing, if it did not fail.
    var miss: CacheMiss?
    /// The treatment of an element that a read does not find: it is left out, once one viewer of the list wants that.
    let missing = Lock(MissingElements.miss)
    /// The indices of models by their identifiers, as of ``changes``.
    private var places: (changes: Int, indices: [ModelIdentifier: Int])?
    /// The number of loads; a wipe raises it, which ends a load under way.
    var loads = 0
    /// The places that wait for a model, by handle.
    var awaited: [Int: AwaitedElement] = [:]
    /// The places that got a model while others still wait, by handle.
    var arrivedPlaces: [Int: AwaitedElement] = [:]
    /// The number of changes of elements or of their places.
    var changes = 0
    private(set) var nextHandle = 0
    private var positions = HandlePositions()
    /// The handles of elements that are pending, by their identifiers: an element goes on as the same row when it is confirmed.
    var pendingHandles: [ModelIdentifier: Int] = [:]
    /// The elements over which something is pending, as they are shown.
    var drafts: [Int: Entry<T>] = [:]
    /// The revision of the newest of them.
    var layeredRevision = 0

    struct WeakViewer {
        weak var viewer: CollectionDataProvider<T>?
    }

    struct Waiter {
        weak var viewer: CollectionDataProvider<T>?
        let completion: @MainActor ([T]?, (any Error)?) -> Void
    }

    init(cacheKey: String?, manager: DataModelManager) {
        self.cacheKey = cacheKey
        self.manager = manager
        let relay = ProviderRelay()
        key = manager.consistencyManager.subscribe(relay, to: T.self)
        relay.target = self
        if manager.followed != nil, let cacheKey {
            let reader = reader(of: ModelIdentifier(cacheKey))
            manager.screens.listReaders.withLock { $0[key] = reader }
        }
    }

    deinit {
        manager.consistencyManager.unsubscribe(key)
        manager.screens.listReaders.withLock { $0[key] = nil }
    }

    func add(_ viewer: CollectionDataProvider<T>) { viewers.append(WeakViewer(viewer: viewer)) }

    /// Whether a provider that shares the list says that it holds each identifier once.
    var holdsEachOnce: Bool { viewers.contains { $0.viewer?.holdsEachOnce == true } }

    /// The indices of the `models` that the list has if it is set to them: all, or the first of each identifier.
    func kept(of models: [T]) -> [Int] {
        guard holdsEachOnce else { return Array(models.indices) }
        var seen: Set<ModelIdentifier> = []
        return models.indices.filter { models[$0].modelIdentifier.map { seen.insert($0).inserted } ?? true }
    }

    func remove(_ viewer: CollectionDataProvider<T>) {
        viewers.removeAll { $0.viewer == nil || $0.viewer === viewer }
    }

    // MARK: Handles

    func entry(_ model: T) -> Entry<T> { Entry(handle: handle(for: model), model: model) }

    func takeHandle() -> Int {
        defer { nextHandle += 1 }
        return nextHandle
    }

    /// The index of the element of `handle`, or `nil` if it is gone.
    func position(of handle: Int) -> Int? {
        guard let position = positions.position(of: handle), position < entries.count,
            entries[position].handle == handle
        else { return nil }
        return position
    }

    private func noteAllPositions() {
        positions = HandlePositions(entries.slice(0, entries.count).map(\.handle))
    }

    // MARK: Edits of the newest state

    func reset(_ new: [Entry<T>]) {
        entries = PersistentVector(new)
        noteAllPositions()
        resets += 1
        changes += 1
        isLoaded = true
        (wipes, wipesByOthers, showsRowsOfBefore) = (manager.wipesNow, manager.wipesByOthers, false)
    }

    func insert(_ new: [Entry<T>], at index: Int) { replace(index..<index, with: new[...]) }

    func remove(at index: Int) { replace(index..<index + 1, with: []) }

    /// Puts `new` in the place of the elements of `range`.
    func replace(_ range: Range<Int>, with new: ArraySlice<Entry<T>>) {
        entries.replace(range.lowerBound, range.upperBound, with: Array(new))
        notePlaces(range, new.lazy.map(\.handle))
    }

    /// Applies `splices` to the list, one after the other.
    func take(_ splices: [EntrySplice<T>]) {
        for splice in splices {
            entries.replace(splice.start, splice.start + splice.removed.count, with: splice.inserted)
            positions.note(splice.start, removed: splice.removed.count, splice.inserted.lazy.map(\.handle))
        }
        changes += 1
        if positions.isFull { noteAllPositions() }
    }

    private func notePlaces(_ range: Range<Int>, _ handles: some Sequence<Int>) {
        changes += 1
        positions.note(range.lowerBound, removed: range.count, handles)
        if positions.isFull { noteAllPositions() }
    }

    /// Puts another model, or an edited one, in the place of the element at `index`.
    func edit(_ model: T, at index: Int) {
        if entries[index].model.modelIdentifier != model.modelIdentifier { changes += 1 }
        replace(model, at: index)
    }

    /// Shows the newest version of the element at `index`.
    func replace(_ model: T, at index: Int) {
        var entry = entries[index]
        entry.model = model
        entry.revision += 1
        entries[index] = entry
    }

    /// The elements that are there, with equal models in their places.
    func entries(with models: [T]) -> [Entry<T>] {
        zip(entries.slice(0, entries.count), models).map { entry, model in
            var entry = entry
            entry.model = model
            return entry
        }
    }

    /// Elements for `models`; a model with the identifier of an element that is there goes on as that element.
    ///
    /// - Parameters:
    ///   - edits: edits whose elements go on too.
    ///   - coming: the handles of elements that are not there yet, though they may have the same identifiers.
    func successors(
        for models: [T], beside edits: [PendingEdit<T>] = [], except coming: Set<Int> = []
    ) -> [Entry<T>] {
        let others = edits.flatMap(\.edit.entries).filter { position(of: $0.handle) == nil }
        var known = entries.slice(0, entries.count) + others
        if !coming.isEmpty { known.removeAll { coming.contains($0.handle) } }
        guard !known.isEmpty else { return models.map { entry($0) } }
        var old: [ModelIdentifier: [Entry<T>]] = [:]
        for entry in known.reversed() {
            if let identifier = entry.model.modelIdentifier { old[identifier, default: []].append(entry) }
        }
        return models.map { model in
            guard let identifier = model.modelIdentifier, var entry = old[identifier]?.popLast() else {
                return entry(model)
            }
            if !entry.model.isEqual(to: model) { entry.revision += 1 }
            entry.model = model
            return entry
        }
    }

    /// The model of `identifier`, if it is in the list.
    func element(_ identifier: ModelIdentifier) -> T? { index(of: identifier).map { entries[$0].model } }

    /// The index of the first element of `identifier`; `nil` if it is not in the list.
    func index(of identifier: ModelIdentifier) -> Int? {
        if places?.changes != changes {
            let identifiers = entries.slice(0, entries.count).enumerated().compactMap { index, entry in
                entry.model.modelIdentifier.map { ($0, index) }
            }
            places = (changes, Dictionary(identifiers, uniquingKeysWith: { first, _ in first }))
        }
        return places?.indices[identifier]
    }

    /// Marks all elements as set by the edit at `sequence` in the order of calls: they ignore older news.
    func markEdited(at sequence: Turn) {
        for index in 0..<entries.count { entries[index].editedAt = sequence }
    }
}

extension CollectionStore: DeliveryReceiver {
    func receive(_ delivery: Delivery) {
        manager.begin(delivery.context)
        guard case .elements(let changes) = delivery.content else { return }
        let before = shownBeforeEdit
        var found: [(Int, (any Model)?)] = []
        var arrived: [ElementChange] = []
        for change in changes {
            if awaited[change.handle] != nil {
                arrived.append(change)
            } else if let index = position(of: change.handle), entries[index].editedAt < delivery.sequence {
                found.append((index, change.model))
            }
        }
        var information: [CollectionChangeInformation] = []
        for (index, model) in found.sorted(by: { $0.0 > $1.0 }) {
            let handle = entries[index].handle
            if let model {
                guard let value = Leaf.base(model) as? T else {
                    manager.misuse("Two types that cannot be merged share an identifier.")
                    continue
                }
                replace(value, at: index)
                update(handle, near: index, to: entries[index])
                information.append(.update(index: index))
            } else {
                hide(handle, at: index)
                information.append(.delete(index: index))
            }
        }
        information += take(arrived, context: delivery.context)
        guard !information.isEmpty else { return }
        tell(.changes(information), by: [], context: delivery.context, at: delivery.time, before: before)
    }

    func finishUpdate(context: (any Sendable)?) { finish(context) }
}

extension CollectionStore: SharedList {
    func clearForWipe(at time: Date) {
        manager.consistencyManager.edit(key, leaving: nil, joining: [], posting: [], context: nil)
        let before = shownBeforeEdit
        reset([])
        forgetAwaited()
        isLoaded = false
        isInCache = false
        (pending, committed, hidden, commit, recent) = ([], nil, [], nil, [])
        (confirmed, interested) = (nil, [])
        refused = [:]
        tellUnsaved()
        loads += 1
        for holder in viewers { holder.viewer?.updateState { $0.end(.idle) } }
        tell(.reset, by: [], context: nil, at: time, before: before)
        endLoad(nil, CacheError.wiped)
    }

    func note(unsaved error: CacheError?, of element: ModelIdentifier?) {
        guard refused[element] != nil || error != nil else { return }
        refused[element] = error
        tellUnsaved()
    }

    private func tellUnsaved() {
        let unsaved = unsaved
        for holder in viewers { holder.viewer?.updateState { $0.unsaved = unsaved } }
    }

    /// Notes which elements of the list the cache has refused, now that it may have others.
    ///
    /// - Complexity: linear in the list, if the cache has refused a model of this manager.
    func noteRefused() {
        let errors = manager.calls.unsaved.withLock(\.modelErrors)
        let elements = Set(refused.keys.compactMap(\.self)).union(errors.keys)
        guard !elements.isEmpty else { return }
        let there = Set(entries.slice(0, entries.count).compactMap(\.model.modelIdentifier))
        for element in elements { note(unsaved: there.contains(element) ? errors[element] : nil, of: element) }
    }
}
