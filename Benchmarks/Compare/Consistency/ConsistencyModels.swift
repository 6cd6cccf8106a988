import GroveConsistency
import GroveModel

/// A child with a value, as `@Cacheable` would make it.
struct ConsistencyLeaf: Model, Equatable {
    var modelIdentifier: ModelIdentifier?
    var value = 0

    func map(_ transform: (any Model) -> (any Model)?) -> ConsistencyLeaf? { self }

    func forEach(_ visit: (any Model) -> Void) {}
}

/// A model with children, as `@Cacheable` would make it.
struct ConsistencyTree: Model, Equatable {
    var modelIdentifier: ModelIdentifier?
    var children: [ConsistencyLeaf]

    init(_ name: String, _ count: Int, first: Int = 0) {
        modelIdentifier = ModelIdentifier(name)
        children = (0..<count).map { ConsistencyLeaf(modelIdentifier: "\(name).\($0)", value: $0 == 0 ? first : 0) }
    }

    func map(_ transform: (any Model) -> (any Model)?) -> ConsistencyTree? {
        var copy = self
        copy.children = children.compactMap { transform($0) as? ConsistencyLeaf }
        return copy
    }

    func forEach(_ visit: (any Model) -> Void) { for child in children { visit(child) } }

    func replacingChild(at position: Int, with child: any Model) -> ConsistencyTree? {
        guard let child = child as? ConsistencyLeaf, children.indices.contains(position) else { return nil }
        var copy = self
        copy.children[position] = child
        return copy
    }
}

/// A model with two children of its own kind.
struct ConsistencyBranch: Model, Equatable {
    var modelIdentifier: ModelIdentifier?
    var value = 0
    var children: [ConsistencyBranch]

    init(_ number: Int, depth: Int) {
        modelIdentifier = "branch.\(number)"
        children = depth == 1 ? [] : [0, 1].map { ConsistencyBranch(number * 2 + $0, depth: depth - 1) }
    }

    func map(_ transform: (any Model) -> (any Model)?) -> ConsistencyBranch? {
        var copy = self
        copy.children = children.compactMap { transform($0) as? ConsistencyBranch }
        return copy
    }

    func forEach(_ visit: (any Model) -> Void) { for child in children { visit(child) } }
}

/// A listener that holds what it was told.
@MainActor
final class ConsistencyHolder: ConsistencyManagerListener {
    private var model: (any Model)?
    private(set) var told = 0

    init(_ model: any Model) { self.model = model }

    func currentModel() -> (any ConsistencyManagerModel)? { model }

    func modelUpdated(_ model: (any ConsistencyManagerModel)?, updates: ModelUpdates, context: (any Sendable)?) {
        self.model = model
        told += 1
    }
}
