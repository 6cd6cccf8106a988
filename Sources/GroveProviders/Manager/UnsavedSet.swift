import GroveConsistency
import GroveModel

/// The saves that the cache has refused, so that the data shown are ahead of it.
///
/// They are made again when the cache takes calls, or has room, again.
struct UnsavedSet {
    /// The error of a refused save, and the place at which it was called.
    struct Refusal {
        let error: CacheError
        let place: StoredPlace
        /// The nodes below the refused model.
        var below: [Node] = []
    }

    /// A node of a tree, and its projection.
    struct Node: Hashable {
        let identifier: ModelIdentifier
        let projection: String
    }

    /// The projection and the cache key under which an item was to be saved.
    struct Name: Hashable {
        var projection = ""
        var cacheKey: String?
    }

    /// The refused saves, by their items and names.
    private var refusals: [StaleSet.Key: [Name: Refusal]] = [:]
    /// The places of the deletions that the cache has refused.
    private var deletions: [ModelIdentifier: StoredPlace] = [:]
    /// The number of events in the cache since the last attempt, and the number after which the next one is made.
    private var (events, patience) = (0, 1)
    /// The number of models that were saved again and of which the outcome is not known: the others wait for them.
    private var awaited = 0
    /// The number of times that the cache has begun to take calls again.
    ///
    /// A call that it refused before is saved again at once if this has changed when the refusal is noted: the event
    /// that would bring it back has passed.
    private(set) var resumptions = 0
    /// Whether ``takeDue(isNow:)`` has just found that it is time.
    private(set) var isDue = false

    var isEmpty: Bool { refusals.isEmpty && deletions.isEmpty }

    /// Makes the refused saves due: the event that they would wait for has passed.
    mutating func endPatience() { patience = 1 }

    /// Notes the outcome of a save, `nil` if it is not to be made any more; returns whether that is news for the
    /// owners.
    ///
    /// Of several the last counts: a call may be told of after a later one. What was below the others only is to be
    /// saved by itself, for other screens may show it.
    ///
    /// - Parameter below: the nodes below the model, as it was saved.
    mutating func note(
        _ key: StaleSet.Key, as name: Name = Name(), _ outcome: SaveOutcome?, below: [Node] = []
    ) -> Bool {
        let before = refusals[key]?[name]
        let isLater = outcome.map { before?.place.order ?? .zero <= $0.place.order } ?? true
        guard let outcome, let error = outcome.refusal else {
            guard let before, isLater else { return false }
            refusals[key]?[name] = nil
            if refusals[key]?.isEmpty == true { refusals[key] = nil }
            noteNodes(of: before, outside: below)
            patience = 1
            return true
        }
        let refusal = Refusal(error: error, place: outcome.place, below: below)
        guard let before else {
            refusals[key, default: [:]][name] = refusal
            return true
        }
        let (last, other) = isLater ? (refusal, before) : (before, refusal)
        refusals[key]?[name] = Refusal(error: error, place: last.place, below: last.below)
        noteNodes(of: other, outside: last.below)
        return before.error.code != error.code
    }

    /// The nodes of a refused save: if they are read meanwhile, they are not shown.
    func nodes(of key: StaleSet.Key, as name: Name) -> [ModelIdentifier] {
        guard case .model(let identifier) = key, let refusal = refusals[key]?[name] else { return [] }
        return [identifier] + refusal.below.map(\.identifier)
    }

    /// Notes the nodes below a save that is not to be made any more as refused themselves, but for those in `saved`.
    private mutating func noteNodes(of refusal: Refusal, outside saved: [Node] = []) {
        guard !refusal.below.isEmpty else { return }
        let saved = Set(saved)
        for node in refusal.below where !saved.contains(node) {
            let (key, name) = (StaleSet.Key.model(node.identifier), Name(projection: node.projection))
            let known = refusals[key]?[name]
            if let known, known.place.order >= refusal.place.order { continue }
            refusals[key, default: [:]][name] = Refusal(
                error: refusal.error, place: refusal.place, below: known?.below ?? [])
        }
    }

    /// Notes the outcome of a deletion.
    mutating func note(deletionOf identifier: ModelIdentifier, _ outcome: SaveOutcome) {
        let place = outcome.place
        guard deletions[identifier]?.order ?? .zero <= place.order else { return }
        deletions[identifier] = outcome.refusal.map { _ in place }
        // Earlier saves of it are not to be made any more.
        guard outcome.refusal != nil, let before = refusals[.model(identifier)] else { return }
        let after = before.filter { $0.value.place.order > place.order }
        refusals[.model(identifier)] = after.isEmpty ? nil : after
        for refusal in before.values where refusal.place.order <= place.order { noteNodes(of: refusal) }
    }

    /// The models that are newer in memory than in the cache, with the number of the last refused call of each.
    var models: [ModelIdentifier: CallNumber] {
        var found: [ModelIdentifier: CallNumber] = [:]
        for case (.model(let identifier), let names) in refusals {
            for refusal in names.values {
                for name in [identifier] + refusal.below.map(\.identifier) {
                    found[name] = max(found[name] ?? .zero, refusal.place.order)
                }
            }
        }
        return found
    }

    /// The deletions that are due with the saves that ``takeDue(isNow:)`` returns.
    mutating func takeDeletions() -> [ModelIdentifier: StoredPlace] {
        defer { deletions = [:] }
        return deletions
    }

    /// The error with which each of the models was refused.
    var modelErrors: [ModelIdentifier: CacheError] {
        var found: [ModelIdentifier: CacheError] = [:]
        for case (.model(let identifier), let names) in refusals { found[identifier] = names.values.first?.error }
        return found
    }

    func error(of key: StaleSet.Key) -> CacheError? { refusals[key]?.values.first?.error }

    /// The saves to make again, now that something has happened in the cache: at first each time, then less and less
    /// often.
    ///
    /// - Parameter isNow: whether the cache has just begun to take calls again.
    mutating func takeDue(isNow: Bool) -> [StaleSet.Key: [Name: StoredPlace]] {
        isDue = false
        if isNow { (resumptions, patience) = (resumptions + 1, 1) }
        guard !isEmpty, awaited == 0 else { return [:] }
        events += 1
        guard events >= patience else { return [:] }
        (events, patience, isDue) = (0, min(2 * patience, 64), true)
        return refusals.mapValues { $0.mapValues(\.place) }
    }

    /// Notes that `count` models are being saved again.
    mutating func await(_ count: Int) { awaited += count }

    /// Notes the outcome of a save that was made again; returns whether it was the last.
    mutating func endWait() -> Bool {
        awaited = max(0, awaited - 1)
        return awaited == 0
    }
}

extension DataModelManager {
    /// The number of times that the cache has begun to take calls again; see ``note(_:as:_:below:since:)``.
    var resumptions: Int { calls.unsaved.withLock { $0.resumptions } }

    /// Notes the outcome of a save of `key`; `nil` if it is not to be made any more.
    ///
    /// - Parameter resumptions: the number when the save was called.
    func note(
        _ key: StaleSet.Key?, as name: UnsavedSet.Name = UnsavedSet.Name(), _ outcome: SaveOutcome?,
        below: [UnsavedSet.Node] = [], since resumptions: Int
    ) {
        guard let key else { return }
        defer { if case .refused? = outcome { saveAgain(after: resumptions) } }
        // A model that can never be stored is reported to the observer, and a wiped one is gone: neither counts as
        // unsaved.
        let isStored = outcome?.refusal == nil
        if isStored, calls.unsaved.withLock({ $0.isEmpty }) { return }
        let (isNews, covered) = calls.unsaved.withLock { unsaved in
            let covered = unsaved.nodes(of: key, as: name)
            return (unsaved.note(key, as: name, outcome, below: below), covered)
        }
        guard isNews else {
            // There may be room now.
            if case .stored? = outcome { saveAgain() }
            return
        }
        // The cache's versions of it, and of the nodes below it, were not shown meanwhile.
        if isStored, case .model = key { markStale(covered.map { .model($0) }) }
        switch key {
        case .model(let identifier):
            consistencyManager.findLists(of: identifier) { [weak self] lists in
                guard let self else { return }
                let error = calls.unsaved.withLock { $0.error(of: key) }
                for holder in screens.showing[identifier] ?? [] {
                    (holder.provider as? any ModelHolder)?.note(unsaved: error)
                }
                for store in screens.stores.values.compactMap(\.store) {
                    store.note(unsaved: lists.contains(store.key) ? error : nil, of: identifier)
                }
            }
        case .list(let name):
            consistencyManager.afterDelivery { [weak self] in
                guard let self else { return }
                let error = calls.unsaved.withLock { $0.error(of: key) }
                for (key, holder) in screens.stores where key.cacheKey == name {
                    holder.store?.note(unsaved: error, of: nil)
                }
            }
        // A window saves nothing.
        case .window: break
        }
        if isStored { saveAgain() }
    }

    /// Notes the outcome of a save of a model, under its identifier or under a cache key too.
    func note(
        saving model: any SimpleModel, forKey cacheKey: String? = nil, _ outcome: SaveOutcome, since resumptions: Int
    ) {
        guard let identifier = model.modelIdentifier else { return }
        let key = cacheKey == identifier.rawValue ? nil : cacheKey
        let name = UnsavedSet.Name(projection: Leaf.node(model).projectionIdentifier, cacheKey: key)
        var below: [UnsavedSet.Node] = []
        if outcome.refusal != nil || calls.unsaved.withLock({ $0.error(of: .model(identifier)) }) != nil {
            Leaf.node(model).forEachInOrder { node in
                guard let found = node.modelIdentifier, found != identifier else { return }
                below.append(UnsavedSet.Node(identifier: found, projection: node.projectionIdentifier))
            }
        }
        note(.model(identifier), as: name, outcome, below: below, since: resumptions)
    }

    /// Notes the outcome of a deletion.
    func note(deletionOf identifier: ModelIdentifier, _ outcome: SaveOutcome, since resumptions: Int) {
        calls.unsaved.withLock { $0.note(deletionOf: identifier, outcome) }
        if case .refused = outcome { saveAgain(after: resumptions) }
    }

    /// Makes the refused saves again, at once, if the cache has begun to take calls again since there were
    /// `resumptions`.
    private func saveAgain(after resumptions: Int) {
        guard resumptions != self.resumptions else { return }
        calls.unsaved.withLock { $0.endPatience() }
        saveAgain()
    }

    /// Makes the refused saves again that came while others were made again, if that was the last of these.
    private func endWait() {
        if calls.unsaved.withLock({ $0.endWait() }) { saveAgain() }
    }

    /// Makes the refused saves again, of models that are still held: something has happened in the cache.
    ///
    /// - Parameter isNow: whether the cache has just begun to take calls again.
    func saveAgain(isNow: Bool = false) {
        let (keys, deletions) = calls.unsaved.withLock { unsaved in
            let keys = unsaved.takeDue(isNow: isNow)
            for case (.model, let names) in keys { unsaved.await(names.count) }
            return (keys, unsaved.isDue ? unsaved.takeDeletions() : [:])
        }
        for (identifier, place) in deletions {
            inOrder { _ in
                onCache { [self] in followed?.delete(identifier, forKey: nil, asOf: place, for: WeakManager(self)) }
            }
        }
        guard !keys.isEmpty else { return }
        var models: [(identifier: ModelIdentifier, name: UnsavedSet.Name, place: StoredPlace)] = []
        for case (.model(let identifier), let names) in keys {
            for (name, place) in names { models.append((identifier, name, place)) }
        }
        models.sort { $0.place.order < $1.place.order }
        inOrder { [models] _ in
            let held = Future<[(any SimpleModel)?]>()
            consistencyManager.newest(models.map { ($0.identifier, $0.name.projection) }, then: held.put)
            onCache { [self] in
                let (held, resumptions) = (held.take(), resumptions)
                for ((identifier, name, place), model) in zip(models, held) {
                    guard let model else {
                        note(.model(identifier), as: name, nil, since: resumptions)
                        endWait()
                        continue
                    }
                    let key = name.cacheKey ?? identifier.rawValue
                    followed?.save(model, forKey: key, asOf: place) { [weak self] in
                        self?.note(saving: model, forKey: name.cacheKey, $0, since: resumptions)
                        self?.markStale([model], after: $0)
                        self?.endWait()
                    }
                }
            }
        }
        let lists = Set(keys.keys.compactMap { if case .list(let name) = $0 { name } else { nil } })
        guard !lists.isEmpty else { return }
        consistencyManager.afterDelivery { [weak self] in
            guard let self else { return }
            for name in lists {
                let holders = screens.stores.filter { $0.key.cacheKey == name }.compactMap(\.value.store)
                if holders.isEmpty { note(.list(name), nil, since: resumptions) }
                for holder in holders { holder.saveRefused(asOf: keys[.list(name)]?.values.first) }
            }
        }
    }
}

extension CacheError {
    /// The codes of a refusal after which the same call may succeed.
    static let refusals: Set<Code> = [
        .suspended, .full, .overBudget, .queueFull, .locked, .inputOutput, .permissionDenied,
    ]
}

extension SaveOutcome {
    /// The place that it is as of.
    fileprivate var place: StoredPlace {
        switch self {
        case .stored(_, let place), .refused(_, let place): place
        }
    }

    /// The error of the refusal, if the same call may succeed later.
    fileprivate var refusal: CacheError? {
        guard case .refused(let error, _) = self, CacheError.refusals.contains(error.code) else { return nil }
        return error
    }
}

extension StoredPlace {
    fileprivate var order: CallNumber { numbers?.number ?? .zero }
}
