import GroveConsistency
import GroveModel
import GroveProviders

/// The layers of all pending mutations, in order, and their results.
///
/// A layer is the result of one mutation over the confirmed models and the layers below it. If one of those changes, all layers are made
/// again, once, when they are shown next. Submitting a mutation makes its layer alone.
@MainActor
final class PendingLayers: ShownLayers {
    /// The layer of one mutation.
    final class Layer {
        let number: Int
        let apply: (inout Draft) throws -> Void
        /// The error because of which nothing of it is shown, if there is one.
        fileprivate(set) var failure: (any Error)?
        fileprivate(set) var steps: [ListStep] = []
        /// The list steps that are left of it, with the server's identifiers, until the lists are confirmed.
        fileprivate(set) var landed: [ListStep]?
        /// Whether its confirmation could not be stored: then its changes to models are still applied, as the cache lacks them.
        fileprivate(set) var isUnsaved = false
        var tell: ((any Error)?) -> Void = { _ in }

        init(_ number: Int, _ apply: @escaping (inout Draft) throws -> Void) {
            self.number = number
            self.apply = apply
        }
    }

    weak var manager: DataModelManager?
    private(set) var layers: [Layer] = []
    /// The confirmed models that mutations asked for.
    private var known: [ModelIdentifier: [any Model]] = [:]
    private var deleted: Set<ModelIdentifier> = []
    /// The types of which mutations asked for a model.
    ///
    /// Screens are asked once: the versions that they show from then on are learned.
    private var watched: [ModelIdentifier: [ObjectIdentifier]] = [:]
    private var made = LayeredModels { _, _, _ in .unknown }
    /// Whether the layers are to be made again before they are shown.
    private var isStale = true
    /// The confirmed models that screens show, while all layers are made.
    private var shownModels: [ModelIdentifier: [any Model]]?
    /// Whether all layers are being made: then one pass over the screens finds every model.
    private var isMakingAll = false
    /// The news to tell once no layer is being made: the application may submit and discard then.
    private var news: [() -> Void] = []
    private var isInUpdate = false
    private var isMoved = false
    /// Whether each mutation is applied twice, to find out whether that is the same as once.
    var checksTwice = false
    var tellNotIdempotent: (Int) -> Void = { _ in }
    /// The closure that is told of a confirmation that is being shown.
    var land: (Landing) -> Void = { _ in }
    var wiped: () -> Void = {}
    /// The identifiers that other processes were given lately for those that applications made up.
    var confirmedNames: () -> [(old: ModelIdentifier, new: ModelIdentifier)] = { [] }
    /// Lets mutations name a model by the identifier that another process was given; returns whether one did.
    var rename: ((old: ModelIdentifier, new: ModelIdentifier)) -> Bool = { _ in false }
    /// The confirmed lists as they were shown last, if something is pending in them.
    private var lastLists: [String: [ModelIdentifier?]] = [:]
    /// The elements of confirmed lists that stand for pending ones: another process has confirmed those.
    private var confirmedElsewhere: [ModelIdentifier: ModelIdentifier] = [:]

    var isEmpty: Bool { layers.isEmpty }

    // MARK: Changes of the layers

    /// Puts a layer on top, and shows it.
    func add(_ layer: Layer) {
        refresh()
        layers.append(layer)
        apply(layer)
        tellNews()
        show()
    }

    /// Puts several layers on top; no screen shows them yet, and they are made when one does.
    func add(contentsOf new: [Layer]) {
        layers += new
        isStale = true
    }

    /// Takes layers away, and shows the result.
    func remove(where isGone: (Layer) -> Bool) {
        let count = layers.count
        layers.removeAll(where: isGone)
        if layers.count < count { remake() }
    }

    /// Reduces layers to the steps that their lists need until they are confirmed.
    func land(_ numbers: [Int], _ steps: (Layer) -> [ListStep]) {
        let landing = layers.filter { numbers.contains($0.number) && ($0.landed == nil || $0.isUnsaved) }
        guard !landing.isEmpty else { return }
        refresh()
        for layer in landing { (layer.landed, layer.isUnsaved) = (steps(layer), false) }
        remake()
    }

    /// Goes on to apply layers that have landed, as their confirmation could not be stored.
    func keep(_ landed: [Layer]) {
        for layer in landed { layer.isUnsaved = true }
        remake()
    }

    /// The identifiers that the server gave in confirmations that could not be stored.
    var unsavedNames: [(old: ModelIdentifier, new: ModelIdentifier)] {
        layers.filter(\.isUnsaved).flatMap { $0.landed ?? [] }.compactMap { step in
            if case .insert(let new, _, _, let old?) = step.change { (old, new) } else { nil }
        }
    }

    /// Puts the layers into the order of `order`, which has all that are not landed, and shows them.
    func sort(like order: [Layer]) {
        let places = Dictionary(order.enumerated().map { ($1.number, $0) }, uniquingKeysWith: { first, _ in first })
        layers = layers.enumerated().sorted { one, other in
            (places[one.element.number] ?? -1, one.offset) < (places[other.element.number] ?? -1, other.offset)
        }.map(\.element)
        remake()
    }

    /// Makes all layers again, which have changed, and shows them.
    func remake() {
        isStale = true
        show()
    }

    /// Makes all layers again, if they are to be.
    private func refresh() {
        guard isStale else { return }
        isStale = false
        if layers.isEmpty { (known, deleted, watched, lastLists, confirmedElsewhere) = ([:], [], [:], [:], [:]) }
        made = LayeredModels { [unowned self] in find($0, $1, $2) }
        isMakingAll = true
        for layer in layers { apply(layer) }
        (isMakingAll, shownModels) = (false, nil)
        tellNews()
    }

    private func tellNews() {
        let news = news
        self.news = []
        for tell in news { tell() }
    }

    private func apply(_ layer: Layer) {
        if let landed = layer.landed {
            made.repeatSteps(landed)
            guard layer.isUnsaved else { return }
        }
        var draft = Draft(over: made)
        let failed = layer.failure != nil
        do {
            try layer.apply(&draft)
            (layer.steps, layer.failure) = (draft.steps, nil)
            if checksTwice { checkTwice(layer, draft) }
            // The lists have its steps already, with the server's identifiers.
            if layer.landed != nil { draft.begin() }
            made.take(draft)
        } catch {
            (layer.steps, layer.failure) = ([], error)
        }
        if failed || layer.failure != nil { news.append { layer.tell(layer.failure) } }
    }

    private func checkTwice(_ layer: Layer, _ draft: Draft) {
        var again = draft
        again.begin()
        let isSame =
            (try? layer.apply(&again)) != nil
            && again.overrides.allSatisfy { identifier, override in
                guard let once = draft.overrides[identifier], once.isDeleted == override.isDeleted else { return false }
                return zip(once.versions, override.versions).allSatisfy { $0.isEqual(to: $1) }
                    && once.versions.count == override.versions.count
            }
        if !isSame { news.append { [tellNotIdempotent] in tellNotIdempotent(layer.number) } }
    }

    /// Lets every screen show the layers: in this turn, or at the end of the update that is being told.
    private func show() {
        if isInUpdate { isMoved = true } else { showNow() }
    }

    private func showNow() {
        guard let manager else { return }
        // Even if no screen is there, mutations that cannot be applied are reported.
        refresh()
        manager.showLayers()
    }

    // MARK: Confirmed models

    private func find(
        _ identifier: ModelIdentifier, _ type: ObjectIdentifier, _ accept: (any Model) -> Bool
    ) -> Draft.Found {
        if deleted.contains(identifier) { return .deleted }
        if let found = known[identifier]?.first(where: accept) { return .model(found) }
        if watched[identifier]?.contains(type) == true { return .unknown }
        watched[identifier, default: []].append(type)
        guard let found = onScreen(identifier, accept) else { return .unknown }
        known[identifier, default: []].append(found)
        return .model(found)
    }

    private func onScreen(_ identifier: ModelIdentifier, _ accept: (any Model) -> Bool) -> (any Model)? {
        guard isMakingAll else { return manager?.confirmedModel(identifier, where: accept) }
        if shownModels == nil {
            var found: [ModelIdentifier: [any Model]] = [:]
            manager?.forEachConfirmed { tree in
                visit(tree) { node, identifier in found[identifier, default: []].append(node) }
            }
            shownModels = found
        }
        return shownModels?[identifier]?.first(where: accept)
    }

    func learn(_ model: (any Model)?, of identifier: ModelIdentifier?) {
        guard !watched.isEmpty else { return }
        guard let model else {
            guard let identifier, watched[identifier] != nil, deleted.insert(identifier).inserted else { return }
            known[identifier] = nil
            return moved()
        }
        var isNews = false
        visit(model) { node, identifier in
            guard watched[identifier] != nil else { return }
            var versions = known[identifier] ?? []
            let place = versions.firstIndex { $0.projectionIdentifier == node.projectionIdentifier }
            if let place, versions[place].isEqual(to: node) { return }
            if let place { versions[place] = node } else { versions.append(node) }
            known[identifier] = versions
            deleted.remove(identifier)
            isNews = true
        }
        if isNews { moved() }
    }

    private func visit(_ node: any Model, _ body: (any Model, ModelIdentifier) -> Void) {
        if let identifier = node.modelIdentifier { body(node, identifier) }
        node.forEach { visit($0, body) }
    }

    /// A confirmed model changed: the layers over it are made again, and all other screens that show it are told.
    private func moved() {
        isStale = true
        if isInUpdate {
            isMoved = true
        } else {
            // The provider that is given the model shows it now; the others are told of the model behind this too.
            manager?.consistencyManager.afterDelivery { [weak self] in self?.showNow() }
        }
    }

    func begin(_ context: (any Sendable)?) {
        if !isInUpdate, !layers.isEmpty, let manager {
            isInUpdate = true
            manager.consistencyManager.afterUpdate { [weak self] in self?.endUpdate() }
        }
        if let landing = context as? Landing { land(landing) }
    }

    private func endUpdate() {
        isInUpdate = false
        guard isMoved else { return }
        isMoved = false
        showNow()
    }

    func clear() {
        layers = []
        isStale = true
        wiped()
    }

    // MARK: What is shown

    func shown(_ model: any Model) -> (any Model)? {
        refresh()
        return made.overrides.isEmpty ? model : graft(model, depth: 0).model
    }

    private func graft(_ model: any Model, depth: Int) -> (model: (any Model)?, isChanged: Bool) {
        // Screens show no trees that are so deep.
        guard depth < 64 else { return (model, false) }
        var node = model
        var isChanged = false
        if let identifier = node.modelIdentifier, let override = made.overrides[identifier] {
            if override.isDeleted { return (nil, true) }
            for version in override.versions { node = node.merge(version) }
            isChanged = true
        }
        var children: [(any Model)?] = []
        var isAnyChanged = false
        node.forEach { child in
            let grafted = graft(child, depth: depth + 1)
            children.append(grafted.model)
            isAnyChanged = isAnyChanged || grafted.isChanged
        }
        guard isAnyChanged else { return (node, isChanged) }
        var next = 0
        let mapped = node.map { _ -> (any Model)? in
            defer { next += 1 }
            return next < children.count ? children[next] : nil
        }
        return (mapped, true)
    }

    func list(_ key: String, _ identifiers: [ModelIdentifier?], _ ends: ShownEnds) -> [LayeredElement]? {
        refresh()
        guard made.lists[key] != nil else { return nil }
        if lastLists[key] != identifiers {
            lastLists[key] = identifiers
            takeNames(key, identifiers)
        }
        guard let changes = made.lists[key] else { return nil }
        var elements: [(identifier: ModelIdentifier?, element: LayeredElement)] = identifiers.enumerated().map {
            ($1, .confirmed($0))
        }
        var there = Set(identifiers.compactMap(\.self))
        func position(_ place: ElementPlace) -> Int? {
            let last = ends.isAtLast ? elements.count : nil
            // Only the whole list says whether an element is missing.
            let instead = ends.isAtFirst ? last : nil
            return switch place {
            case .first: ends.isAtFirst ? 0 : nil
            case .last: last
            case .before(let other): elements.firstIndex { $0.identifier == other } ?? instead
            case .after(let other): elements.firstIndex { $0.identifier == other }.map { $0 + 1 } ?? instead
            }
        }
        for change in changes {
            switch change {
            case .insert(let identifier, let node, let place, let former):
                if let new = confirmedElsewhere[identifier], there.contains(new) { continue }
                guard there.insert(identifier).inserted, let position = position(place) else { continue }
                elements.insert((identifier, .pending(node, former: former)), at: position)
            case .remove(let identifier):
                guard there.remove(identifier) != nil else { continue }
                elements.removeAll { $0.identifier == identifier }
            case .move(let identifier, let place):
                guard let from = elements.firstIndex(where: { $0.identifier == identifier }), !names(place, identifier)
                else { continue }
                let moved = elements.remove(at: from)
                if let position = position(place) { elements.insert(moved, at: position) }
            }
        }
        return elements.map(\.element)
    }

    /// Finds the elements that another process has made of pending ones, in the turn in which the confirmed list is shown.
    private func takeNames(_ key: String, _ identifiers: [ModelIdentifier?]) {
        let (confirmed, changes) = (Set(identifiers.compactMap(\.self)), made.lists[key] ?? [])
        let pending = Set(
            changes.compactMap { if case .insert(let identifier, _, _, _) = $0 { identifier } else { nil } })
        guard !pending.isSubset(of: confirmed) else { return }
        for name in confirmedNames() where confirmed.contains(name.new) && pending.contains(name.old) {
            guard confirmedElsewhere.updateValue(name.new, forKey: name.old) == nil, rename(name) else { continue }
            moved()
        }
        refresh()
    }

    private func names(_ place: ElementPlace, _ identifier: ModelIdentifier) -> Bool {
        place == .before(identifier) || place == .after(identifier)
    }
}

/// The confirmation of mutations, as the context of the update that shows it.
struct Landing: Sendable {
    /// The numbers of their layers.
    let numbers: [Int]
    let answer: Answer
}
