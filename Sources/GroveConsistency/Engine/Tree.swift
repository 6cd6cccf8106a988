import GroveModel

/// A tree that listeners of the same root and value share.
final class Tree {
    let root: TreeNode
    /// The memberships of the listeners, in no order; each knows its slot.
    private(set) var memberships: [Membership] = []

    /// The round in which `updates` were made.
    var round = Round.none
    var updates = ModelUpdates()
    /// The identified places that the round made, and the models of those that it removed.
    var joined: [TreeNode] = []
    var left: [any Model] = []
    var isDeleted = false

    init(root: TreeNode) {
        self.root = root
        root.tree = self
    }

    /// Begins to collect the changes of `round`.
    func begin(_ round: Round) {
        self.round = round
        (updates, joined, left) = (ModelUpdates(), [], [])
    }

    /// Adds the models that changed as they moved from one place of the tree to another.
    func noteMoves() {
        defer { (joined, left) = ([], []) }
        guard !joined.isEmpty, !left.isEmpty else { return }
        var old: [ModelIdentifier: any Model] = [:]
        for model in left {
            if let identifier = model.modelIdentifier, old[identifier] == nil { old[identifier] = model }
        }
        for node in joined where !node.isDetached {
            guard let identifier = node.occurrences?.identifier, let model = old[identifier] else { continue }
            if !model.merge(node.model).isEqual(to: model) { updates.changedModelIds.insert(identifier) }
        }
    }

    func add(_ membership: Membership) {
        membership.slot = memberships.count
        membership.tree = self
        memberships.append(membership)
    }

    func remove(_ membership: Membership) {
        let last = memberships.removeLast()
        if last !== membership {
            memberships[membership.slot] = last
            last.slot = membership.slot
        }
        membership.tree = nil
    }
}

/// One subscription's share in one tree: the whole of it, or one element of its collection.
final class Membership {
    let subscription: Subscription
    /// The handle of the element, in a collection.
    let handle: Int
    var tree: Tree?
    var slot = 0
    /// The round in which the element got the model that it waited for.
    var adoptedRound = Round.none

    init(_ subscription: Subscription, handle: Int) {
        self.subscription = subscription
        self.handle = handle
    }
}
