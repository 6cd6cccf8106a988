import GroveModel

/// The register of one identifier: every place at which it is listened to, and the subscriptions that wait for it.
final class Occurrences {
    let identifier: ModelIdentifier
    /// The places, in no order; each node knows its slot.
    private(set) var nodes: [TreeNode] = []
    /// The trees whose root has this identifier.
    var trees: [Tree] = []
    /// Subscriptions that listen to the identifier and have no model yet.
    var awaiting: [Int: Subscription] = [:]
    /// Collections that have a place for the model and wait for it.
    var awaitingElements: [ElementKey: Subscription] = [:]

    /// The models that the current update brings for this identifier, one per projection.
    var pending: [any Model] = []
    /// The change that brings a version that one of its holders does not have.
    var newMark = ChangeMark.none

    init(_ identifier: ModelIdentifier) { self.identifier = identifier }

    var isUnused: Bool { nodes.isEmpty && isAwaitedByNobody }

    var isAwaitedByNobody: Bool { awaiting.isEmpty && awaitingElements.isEmpty }

    func add(_ node: TreeNode) {
        node.slot = nodes.count
        node.occurrences = self
        nodes.append(node)
    }

    func remove(_ node: TreeNode) {
        let last = nodes.removeLast()
        if last !== node {
            nodes[node.slot] = last
            last.slot = node.slot
        }
        node.occurrences = nil
    }
}

/// A place in a collection.
struct ElementKey: Hashable {
    let subscription: Int
    let handle: Int
}
