import GroveConsistency
public import GroveModel

/// The shown models and lists, for a mutation to change: the confirmed ones, with the earlier mutations applied.
///
/// A draft is valid for one call of ``Mutation/apply(to:)``. If that call throws, all its changes are dropped.
public struct Draft {
    /// The version of a confirmed model that screens show.
    enum Found {
        case model(any Model)
        case deleted
        /// No screen shows it.
        case unknown
    }

    struct Override {
        /// One version of each type.
        var versions: [any Model] = []
        var isDeleted = false
    }

    /// The models that this mutation has changed; those of the mutations before it are in ``below``.
    private(set) var overrides: [ModelIdentifier: Override] = [:]
    private(set) var created: [ModelIdentifier: any Model] = [:]
    /// The changes that this mutation has made to lists.
    private(set) var steps: [ListStep] = []
    private let below: LayeredModels

    init(over below: LayeredModels) { self.below = below }

    /// Begins the same mutation again.
    mutating func begin() { steps = [] }

    // MARK: Models

    /// The model of type `M` whose identity is `id`; `nil` if no screen shows it, or if it is deleted.
    public func model<M: KeyedModel>(_ type: M.Type, id: M.ModelID) -> M? {
        try? find(M.modelIdentifier(for: id))
    }

    /// Changes the model of type `M` whose identity is `id`.
    ///
    /// - Returns: whether the model was found. A model that no screen shows need not be changed: when a screen shows
    ///   it, the mutation is applied again.
    /// - Throws: the error of `change`; ``CacheError`` with code `missing` if the model was deleted.
    @discardableResult
    public mutating func update<M: KeyedModel>(
        _ type: M.Type, id: M.ModelID, _ change: (inout M) throws -> Void
    ) throws -> Bool {
        let identifier = M.modelIdentifier(for: id)
        guard var model: M = try find(identifier) else { return false }
        try change(&model)
        put(model, identifier)
        return true
    }

    /// Deletes the model of type `M` whose identity is `id`, also from all lists and models that hold it.
    public mutating func delete<M: KeyedModel>(_ type: M.Type, id: M.ModelID) {
        overrides[M.modelIdentifier(for: id)] = Override(isDeleted: true)
    }

    private func find<M: SimpleModel>(_ identifier: ModelIdentifier) throws -> M? {
        let override = overrides[identifier] ?? below.overrides[identifier]
        if override?.isDeleted == true { throw CacheError(CacheMiss(.deleted, identifier)) }
        for version in override?.versions ?? [] {
            if let model = Leaf.base(version) as? M { return model }
        }
        let found = below.confirmed(identifier, ObjectIdentifier(M.self)) { Leaf.base($0) is M }
        if case .model(let model) = found { return Leaf.base(model) as? M }
        let created = (created[identifier] ?? below.created[identifier]).flatMap { Leaf.base($0) as? M }
        if created == nil, case .deleted = found {
            throw CacheError(CacheMiss(.deleted, identifier))
        }
        return created
    }

    private mutating func put(_ model: some SimpleModel, _ identifier: ModelIdentifier) {
        let node = Leaf.node(model)
        var override = overrides[identifier] ?? below.overrides[identifier] ?? Override()
        override.versions.removeAll { $0.projectionIdentifier == node.projectionIdentifier }
        override.versions.append(node)
        overrides[identifier] = override
    }

    // MARK: Lists

    /// Adds `model` at the end of the list under `key`, unless the list has an element with its identifier.
    ///
    /// - Throws: ``CacheError`` with code `unidentified` if `model` has no identifier.
    public mutating func append(_ model: some SimpleModel, toCollection key: String) throws {
        try insert(model, at: .last, inCollection: key)
    }

    /// Adds `model` to the list under `key`, unless the list has an element with its identifier.
    ///
    /// - Parameter place: the place in the list. If the list does not have the element that it names, `model` is added
    ///   at the end.
    /// - Throws: ``CacheError`` with code `unidentified` if `model` has no identifier.
    public mutating func insert(
        _ model: some SimpleModel, at place: ElementPlace, inCollection key: String
    ) throws {
        guard let identifier = model.modelIdentifier else {
            throw CacheError(.unidentified, "An element that is pending needs an identifier.")
        }
        let node = Leaf.node(model)
        // A confirmed version of it, or one that another pending mutation has created, counts instead.
        if created[identifier] == nil, below.created[identifier] == nil { created[identifier] = node }
        note(.insert(identifier, node, place, former: nil), key)
    }

    /// Removes the element with this identifier from the list under `key`; the model stays.
    ///
    /// With a cache of your own, a list that no screen shows is changed only if the call names the type of its
    /// elements: use ``remove(_:id:fromCollection:)``.
    public mutating func remove(_ identifier: ModelIdentifier, fromCollection key: String) {
        note(.remove(identifier), key)
    }

    /// Moves the element with this identifier in the list under `key`.
    ///
    /// With a cache of your own, use ``move(_:id:to:inCollection:)``; see ``remove(_:fromCollection:)``.
    public mutating func move(_ identifier: ModelIdentifier, to place: ElementPlace, inCollection key: String) {
        note(.move(identifier, place), key)
    }

    /// Removes the element of type `M` whose identity is `id` from the list of `M` under `key`; the model stays.
    public mutating func remove<M: KeyedModel>(_ type: M.Type, id: M.ModelID, fromCollection key: String) {
        note(.remove(M.modelIdentifier(for: id)), key, of: type)
    }

    /// Moves the element of type `M` whose identity is `id` in the list of `M` under `key`.
    public mutating func move<M: KeyedModel>(
        _ type: M.Type, id: M.ModelID, to place: ElementPlace, inCollection key: String
    ) {
        note(.move(M.modelIdentifier(for: id), place), key, of: type)
    }

    private mutating func note(_ change: ListChange, _ key: String, of type: (any SimpleModel.Type)? = nil) {
        steps.append(ListStep(key: key, change: change, type: type))
    }
}

/// The confirmed models with the changes of all layers, each applied over those before it.
///
/// A draft changes this only when its mutation has been applied. So nothing is copied for a draft, however much is
/// pending.
final class LayeredModels {
    private(set) var overrides: [ModelIdentifier: Draft.Override] = [:]
    private(set) var created: [ModelIdentifier: any Model] = [:]
    private(set) var lists: [String: [ListChange]] = [:]
    /// Finds a confirmed model by its identifier and type; the closure must accept it.
    let confirmed: (ModelIdentifier, ObjectIdentifier, (any Model) -> Bool) -> Draft.Found

    init(_ confirmed: @escaping (ModelIdentifier, ObjectIdentifier, (any Model) -> Bool) -> Draft.Found) {
        self.confirmed = confirmed
    }

    /// Adds the changes of a mutation.
    func take(_ draft: Draft) {
        for (identifier, override) in draft.overrides { overrides[identifier] = override }
        for (identifier, node) in draft.created { created[identifier] = node }
        for step in draft.steps { lists[step.key, default: []].append(step.change) }
    }

    /// Applies the list changes of a confirmed mutation again, until the confirmed lists have them.
    func repeatSteps(_ steps: [ListStep]) {
        for step in steps {
            if case .insert(let identifier, let node, _, _) = step.change { created[identifier] = node }
            lists[step.key, default: []].append(step.change)
        }
    }
}

/// One change that a mutation makes to a list.
struct ListStep: Sendable {
    let key: String
    let change: ListChange
    /// The type of the list's elements, if a removal or a move names it.
    let type: (any SimpleModel.Type)?

    /// This step with `new` and the model `node` in place of `old`, which the server has renamed.
    func replacing(_ old: ModelIdentifier, _ new: ModelIdentifier, _ node: any Model) -> ListStep {
        func renamed(_ place: ElementPlace) -> ElementPlace {
            switch place {
            case .before(old): .before(new)
            case .after(old): .after(new)
            default: place
            }
        }
        let changed: ListChange =
            switch change {
            case .insert(old, _, let place, _): .insert(new, node, renamed(place), former: old)
            case .insert(let identifier, let model, let place, let former):
                .insert(identifier, model, renamed(place), former: former)
            case .remove(let identifier): .remove(identifier == old ? new : identifier)
            case .move(let identifier, let place): .move(identifier == old ? new : identifier, renamed(place))
            }
        return ListStep(key: key, change: changed, type: type)
    }
}

enum ListChange: Sendable {
    case insert(ModelIdentifier, any Model, ElementPlace, former: ModelIdentifier?)
    case remove(ModelIdentifier)
    case move(ModelIdentifier, ElementPlace)
}
