import GroveModel

/// A tree that listeners of the same root and value share.
final class Tree {
    let root: TreeNode
    /// Who listens, in no order; each membership knows its slot.
    private(set) var memberships: [Membership] = []

    /// The round in which `updates` were made.
    var round: UInt64 = 0
    var updates = ModelUpdates()
    var isDeleted = false

    init(root: TreeNode) {
        self.root = root
        root.tree = self
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
    /// The element, in a collection.
    let handle: Int
    var tree: Tree?
    var slot = 0
    /// The round in which the element got the model that it waited for.
    var adoptedRound: UInt64 = 0

    init(_ subscription: Subscription, handle: Int) {
        self.subscription = subscription
        self.handle = handle
    }
}
