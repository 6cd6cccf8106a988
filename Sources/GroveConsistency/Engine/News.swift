import GroveModel

/// The news of the delivery under way, and the subscriptions and trees that have some.
struct News {
    private(set) var round = Round.none
    private(set) var trees: [Tree] = []
    /// The collections of which elements have changed.
    private(set) var collections: [Subscription] = []
    /// The subscriptions that have got the model that they waited for.
    private(set) var adopted: [Subscription] = []
    var adoptedElements: [Membership] = []
    /// Identifiers that a subscription waits for and that have a place now.
    var reached: [Occurrences] = []
    private(set) var replacements: [Replacement] = []
    var wantsReplacements = false

    /// A model that is replaced, or deleted.
    struct Replacement: Sendable {
        let old: any Model
        let new: (any Model)?
    }

    /// Begins the next delivery.
    mutating func begin() { round = round.next }

    /// Forgets the news, which are on their way.
    mutating func end() {
        trees = []
        collections = []
        adopted = []
        adoptedElements = []
        replacements = []
    }

    /// The tree of `node`, which now has news.
    mutating func touch(_ node: TreeNode) -> Tree? {
        guard let tree = node.root.tree else { return nil }
        if tree.round != round {
            tree.begin(round)
            trees.append(tree)
        }
        return tree
    }

    /// Adds a subscription that has a model now, of which it is told in the version that it has at the end.
    mutating func noteAdopted(_ subscription: Subscription) {
        guard subscription.acquired != .adopted(round) else { return }
        subscription.acquired = .adopted(round)
        adopted.append(subscription)
    }

    /// Adds one element's news.
    mutating func noteElement(_ subscription: Subscription, _ change: ElementChange) {
        if subscription.news.changes.isEmpty { collections.append(subscription) }
        subscription.news.changes.append(change)
    }

    mutating func noteReplacement(of old: any Model, by new: (any Model)?) {
        if wantsReplacements { replacements.append(Replacement(old: old, new: new)) }
    }
}
