import GroveModel
import GroveProviders

/// The confirmed models that mutations asked for, in the versions that screens show.
///
/// Screens are asked once for a model of a type: the versions that they show from then on are learned. While all layers
/// are made, one pass over the screens finds every model.
@MainActor
final class ConfirmedModels {
    private enum Pass {
        /// Not all layers are being made: each model is looked for by itself.
        case none
        /// The pass is made when the first model is asked for.
        case due
        /// The models that it has found.
        case made([ModelIdentifier: [any Model]])
    }

    private var known: [ModelIdentifier: [any Model]] = [:]
    private var deleted: Set<ModelIdentifier> = []
    /// The types of which mutations asked for a model.
    private var watched: [ModelIdentifier: [ObjectIdentifier]] = [:]
    private var pass = Pass.none

    func clear() { (known, deleted, watched) = ([:], [], [:]) }

    func beginPass() { pass = .due }

    func endPass() { pass = .none }

    func find(
        _ identifier: ModelIdentifier, _ type: ObjectIdentifier, _ accept: (any Model) -> Bool,
        on manager: @autoclosure () -> DataModelManager?
    ) -> Draft.Found {
        if deleted.contains(identifier) { return .deleted }
        if let found = known[identifier]?.first(where: accept) { return .model(found) }
        if watched[identifier]?.contains(type) == true { return .unknown }
        watched[identifier, default: []].append(type)
        guard let found = onScreen(identifier, accept, manager) else { return .unknown }
        known[identifier, default: []].append(found)
        return .model(found)
    }

    private func onScreen(
        _ identifier: ModelIdentifier, _ accept: (any Model) -> Bool, _ manager: () -> DataModelManager?
    ) -> (any Model)? {
        switch pass {
        case .none: return manager()?.confirmedModel(identifier, where: accept)
        case .made(let models): return models[identifier]?.first(where: accept)
        case .due:
            var found: [ModelIdentifier: [any Model]] = [:]
            manager()?.forEachConfirmed { tree in
                visit(tree) { node, identifier in found[identifier, default: []].append(node) }
            }
            pass = .made(found)
            return found[identifier]?.first(where: accept)
        }
    }

    /// Takes a confirmed tree that a screen holds from now on; `nil` if the model of `identifier` was deleted.
    ///
    /// - Returns: whether a model that a mutation asked for is another one now.
    func learn(_ model: (any Model)?, of identifier: ModelIdentifier?) -> Bool {
        guard !watched.isEmpty else { return false }
        guard let model else {
            guard let identifier, watched[identifier] != nil, deleted.insert(identifier).inserted else { return false }
            known[identifier] = nil
            return true
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
        return isNews
    }

    private func visit(_ node: any Model, _ body: (any Model, ModelIdentifier) -> Void) {
        if let identifier = node.modelIdentifier { body(node, identifier) }
        node.forEach { visit($0, body) }
    }
}
