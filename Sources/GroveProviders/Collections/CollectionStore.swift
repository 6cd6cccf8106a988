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
    var rows = ListRows<T>()
    /// Whether the content is known: set, edited or fetched.
    var isLoaded = false
    var turns = ListTurns<T>()
    var cached = CachedList<T>()
    var loading = ListLoad<T>()
    var audience = ListAudience<T>()
    var awaited = AwaitedElements()
    var drafts = ListDrafts<T>()
    /// The errors with which the cache refused elements or, under `nil`, the list itself.
    private var refused: [ModelIdentifier?: CacheError] = [:]

    /// The error with which the cache refused something that is shown, if it did.
    var unsaved: CacheError? { refused[nil] ?? refused.values.first }

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

    /// The indices of the `models` that the list has if it is set to them: all, or the first of each identifier.
    func kept(of models: [T]) -> [Int] {
        guard audience.holdsEachOnce else { return Array(models.indices) }
        var seen: Set<ModelIdentifier> = []
        return models.indices.filter { models[$0].modelIdentifier.map { seen.insert($0).inserted } ?? true }
    }

    // MARK: Elements

    func entry(_ model: T) -> Entry<T> { Entry(handle: handle(for: model), model: model) }

    /// A handle for `model`: that of its pending element, if it had one.
    private func handle(for model: T) -> Int {
        guard let handle = drafts.takeHandle(of: model), rows.position(of: handle) == nil else {
            return rows.takeHandle()
        }
        return handle
    }

    func reset(_ new: [Entry<T>]) {
        rows.reset(new)
        isLoaded = true
        cached.noteWipes(manager.wipesNow, manager.wipesByOthers)
    }

    /// Elements for `models`; a model with the identifier of an element that is there goes on as that element.
    ///
    /// - Parameters:
    ///   - edits: edits whose elements go on too.
    ///   - coming: the handles of elements that are not there yet, though they may have the same identifiers.
    func successors(
        for models: [T], beside edits: [PendingEdit<T>] = [], except coming: Set<Int> = []
    ) -> [Entry<T>] {
        let others = edits.flatMap(\.edit.entries).filter { rows.position(of: $0.handle) == nil }
        var known = rows.entries.slice(0, rows.entries.count) + others
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
}

extension CollectionStore: DeliveryReceiver {
    func receive(_ delivery: Delivery) {
        manager.begin(delivery.context)
        guard case .elements(let changes) = delivery.content else { return }
        let before = shownBeforeEdit
        var found: [(Int, (any Model)?)] = []
        var arrived: [ElementChange] = []
        for change in changes {
            if awaited.waiting[change.handle] != nil {
                arrived.append(change)
            } else if let index = rows.position(of: change.handle), rows.entries[index].editedAt < delivery.sequence {
                found.append((index, change.model))
            }
        }
        var information: [CollectionChangeInformation] = []
        for (index, model) in found.sorted(by: { $0.0 > $1.0 }) {
            let handle = rows.entries[index].handle
            if let model {
                guard let value = Leaf.base(model) as? T else {
                    manager.misuse("Two types that cannot be merged share an identifier.")
                    continue
                }
                rows.replace(value, at: index)
                cached.update(handle, near: index, to: rows.entries[index])
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
        awaited = AwaitedElements()
        isLoaded = false
        cached.clear()
        (turns.recent, turns.confirmed) = ([], nil)
        audience.interested = []
        refused = [:]
        tellUnsaved()
        loading.count += 1
        for holder in audience.viewers { holder.viewer?.updateState { $0.end(.idle) } }
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
        for holder in audience.viewers { holder.viewer?.updateState { $0.unsaved = unsaved } }
    }

    /// Notes which elements of the list the cache has refused, now that it may have others.
    ///
    /// - Complexity: linear in the list, if the cache has refused a model of this manager.
    func noteRefused() {
        let errors = manager.calls.unsaved.withLock(\.modelErrors)
        let elements = Set(refused.keys.compactMap(\.self)).union(errors.keys)
        guard !elements.isEmpty else { return }
        let there = Set(rows.entries.slice(0, rows.entries.count).compactMap(\.model.modelIdentifier))
        for element in elements { note(unsaved: there.contains(element) ? errors[element] : nil, of: element) }
    }
}
