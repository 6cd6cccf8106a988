import GroveConsistency
import GroveModel
import Testing

/// A tree of any shape: an optional identifier, a value, an optional child, children, and a required child.
struct Node: Model, Equatable {
    var id: String?
    var value = 0
    var children: [Node] = []
    var optional: [Node] = []
    var required: [Node] = []

    var modelIdentifier: ModelIdentifier? { id.map { ModelIdentifier($0) } }

    func map(_ transform: (any Model) -> (any Model)?) -> Node? {
        var copy = self
        copy.children = children.compactMap { transform($0) as? Node }
        copy.optional = optional.compactMap { transform($0) as? Node }
        copy.required = required.compactMap { transform($0) as? Node }
        return copy.required.count == required.count ? copy : nil
    }

    func forEach(_ visit: (any Model) -> Void) {
        children.forEach(visit)
        optional.forEach(visit)
        required.forEach(visit)
    }

    /// This tree with `change` applied by the definition, without any index.
    func grafted(_ change: [String: Node]) -> Node {
        if let id, let new = change[id] { return new }
        var copy = self
        copy.children = children.map { $0.grafted(change) }
        copy.optional = optional.map { $0.grafted(change) }
        copy.required = required.map { $0.grafted(change) }
        return copy
    }

    func without(_ deleted: String) -> Node? {
        if id == deleted { return nil }
        var copy = self
        copy.children = children.compactMap { $0.without(deleted) }
        copy.optional = optional.compactMap { $0.without(deleted) }
        copy.required = required.compactMap { $0.without(deleted) }
        return copy.required.count == required.count ? copy : nil
    }

    var nodes: [Node] { [self] + (children + optional + required).flatMap(\.nodes) }

    /// The last version of each identified model in this tree.
    var versions: [String: Node] {
        var found: [String: Node] = [:]
        for node in nodes { if let id = node.id { found[id] = node } }
        return found
    }

    /// The models of this tree that `newer` holds in another version.
    func changes(to newer: Node?) -> Set<ModelIdentifier> {
        let new = newer?.versions ?? [:]
        return Set(versions.filter { id, old in new[id].map { $0 != old } ?? false }.keys.map { ModelIdentifier($0) })
    }

    /// The models that are deleted with `deleted`: it, and those above it that cannot be without it.
    func deletions(of deleted: String) -> Set<ModelIdentifier> {
        if id == deleted { return [ModelIdentifier(deleted)] }
        var found = (children + optional + required).reduce(into: Set<ModelIdentifier>()) {
            $0.formUnion($1.deletions(of: deleted))
        }
        if let modelIdentifier, without(deleted) == nil { found.insert(modelIdentifier) }
        return found
    }
}

/// A person and the same person seen smaller.
struct Person: Model, Equatable {
    var id: String
    var name: String
    var age: Int
    var modelIdentifier: ModelIdentifier? { "Person:\(id)" }
    func map(_ transform: (any Model) -> (any Model)?) -> Person? { self }
    func forEach(_ visit: (any Model) -> Void) {}
    func merge(_ model: any Model) -> any Model {
        switch model {
        case let person as Person: person
        case let badge as Badge: Person(id: id, name: badge.name, age: age)
        default: self
        }
    }
}

struct Badge: Model, Equatable {
    var id: String
    var name: String
    var modelIdentifier: ModelIdentifier? { "Person:\(id)" }
    func map(_ transform: (any Model) -> (any Model)?) -> Badge? { self }
    func forEach(_ visit: (any Model) -> Void) {}
    func merge(_ model: any Model) -> any Model {
        switch model {
        case let badge as Badge: badge
        case let person as Person: Badge(id: id, name: person.name)
        default: self
        }
    }
}

/// A listener that remembers what it was told.
@MainActor
final class Listener<M: Model>: ConsistencyManagerListener {
    var model: M?
    var told: [(model: M?, updates: ModelUpdates, context: String?)] = []
    var onUpdate: (() -> Void)?

    init(_ model: M?) { self.model = model }

    func currentModel() -> (any ConsistencyManagerModel)? { model }

    func modelUpdated(_ model: (any ConsistencyManagerModel)?, updates: ModelUpdates, context: (any Sendable)?) {
        self.model = model as? M
        told.append((self.model, updates, context as? String))
        onUpdate?()
    }
}
