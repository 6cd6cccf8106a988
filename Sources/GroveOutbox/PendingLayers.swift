import GroveConsistency
import GroveModel
import GroveProviders

/// The layers of all pending mutations, in order, and their results.
///
/// A layer is the result of one mutation over the confirmed models and the layers below it. If one of those changes,
/// all layers are made again, once, when they are shown next. Submitting a mutation makes its layer alone.
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
        /// Whether its confirmation could not be stored: then its changes to models are still applied, as the cache
        /// lacks them.
        fileprivate(set) var isUnsaved = false
        var tell: ((any Error)?) -> Void = { _ in }

        fileprivate init(_ number: Int, _ apply: @escaping (inout Draft) throws -> Void) {
            self.number = number
            self.apply = apply
        }
    }

    /// The progress of the update of which screens are being told.
    private enum Update {
        case none
        /// An update is being told, and no layer has changed in it.
        case unmoved
        /// An update is being told, at the end of which the layers are shown.
        case moved
    }

    weak var manager: DataModelManager?
    private(set) var layers: [Layer] = []
    private var lastNumber = 0
    private let confirmed = ConfirmedModels()
    private var made = LayeredModels { _, _, _ in .unknown }
    /// Whether the layers are to be made again before they are shown.
    private var isStale = true
    /// The news to tell once no layer is being made: the application may submit and discard then.
    private var news: [() -> Void] = []
    private var update = Update.none
    /// Whether each mutation is applied twice, to find out whether that is the same as once.
    private let checksTwice: Bool
    private var standIns: StandIns
    /// The outbox, which the manager's layers may outlive.
    weak var delegate: (any PendingLayersDelegate)?

    init(_ store: OutboxStore, checksTwice: Bool) {
        (standIns, self.checksTwice) = (StandIns(store), checksTwice)
    }

    var isEmpty: Bool { layers.isEmpty }

    // MARK: Changes of the layers

    /// A layer with a number of its own, which is put on top later.
    func makeLayer(_ apply: @escaping (inout Draft) throws -> Void) -> Layer {
        lastNumber += 1
        return Layer(lastNumber, apply)
    }

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
        if layers.isEmpty {
            confirmed.clear()
            standIns.clear()
        }
        made = LayeredModels { [unowned self] in confirmed.find($0, $1, $2, on: manager) }
        confirmed.beginPass()
        for layer in layers { apply(layer) }
        confirmed.endPass()
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
        if !isSame { news.append { [weak delegate] in delegate?.tellNotIdempotent(layer.number) } }
    }

    /// Lets every screen show the layers: in this turn, or at the end of the update that is being told.
    private func show() {
        if update == .none { showNow() } else { update = .moved }
    }

    private func showNow() {
        guard let manager else { return }
        // Even if no screen is there, mutations that cannot be applied are reported.
        refresh()
        manager.showLayers()
    }

    // MARK: Confirmed models

    func learn(_ model: (any Model)?, of identifier: ModelIdentifier?) {
        if confirmed.learn(model, of: identifier) { moved() }
    }

    /// A confirmed model changed: the layers over it are made again, and all other screens that show it are told.
    private func moved() {
        isStale = true
        if update == .none {
            // The provider that is given the model shows it now; the others are told of the model behind this too.
            manager?.consistencyManager.afterDelivery { [weak self] in self?.showNow() }
        } else {
            update = .moved
        }
    }

    func begin(_ context: (any Sendable)?) {
        if update == .none, !layers.isEmpty, let manager {
            update = .unmoved
            manager.consistencyManager.afterUpdate { [weak self] in self?.endUpdate() }
        }
        if let landing = context as? Landing { delegate?.land(landing) }
    }

    private func endUpdate() {
        let isMoved = update == .moved
        update = .none
        if isMoved { showNow() }
    }

    func clear() {
        layers = []
        isStale = true
        delegate?.noteWipe()
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
        if standIns.note(key, identifiers) { takeNames(key, identifiers) }
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
                if let new = standIns.elements[identifier], there.contains(new) { continue }
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

    /// Finds the elements that another process has made of pending ones, in the turn in which the confirmed list is
    /// shown.
    private func takeNames(_ key: String, _ identifiers: [ModelIdentifier?]) {
        let (confirmed, changes) = (Set(identifiers.compactMap(\.self)), made.lists[key] ?? [])
        let pending = Set(
            changes.compactMap { if case .insert(let identifier, _, _, _) = $0 { identifier } else { nil } })
        guard !pending.isSubset(of: confirmed) else { return }
        for name in standIns.names() where confirmed.contains(name.new) && pending.contains(name.old) {
            guard standIns.take(name), delegate?.rename(name).isEmpty == false else { continue }
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
