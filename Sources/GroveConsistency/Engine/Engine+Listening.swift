import GroveModel

extension Engine {
    /// Lets `subscription` listen to `model` instead of its former model.
    func listen(_ subscription: Subscription, to model: any Model) {
        stopAwaiting(subscription)
        if let membership = subscription.membership, let tree = membership.tree {
            if tree.root.isSame(as: model) { return }
            if tree.memberships.count == 1, tree.root.isPlace(of: model), shareable(model) == nil {
                change.begin()
                if let occurrences = tree.root.occurrences, occurrences.nodes.count > 1 {
                    index.mixed.insert(occurrences.identifier)
                    change.hasContradiction = true
                }
                reindex(tree.root, model, nil)
                return
            }
        }
        leave(subscription)
        subscription.membership = join(subscription, model, handle: 0)
    }

    /// Lets `subscription` listen to an element.
    func listen(_ subscription: Subscription, to model: any Model, handle: Int) {
        leave(subscription, handle: handle)
        // An element that cannot be listened to has a membership without a tree; a deleted one has none.
        subscription.elements[handle] =
            join(subscription, model, handle: handle) ?? Membership(subscription, handle: handle)
    }

    private func join(_ subscription: Subscription, _ model: any Model, handle: Int) -> Membership? {
        guard let tree = shareable(model) ?? makeTree(model) else { return nil }
        let membership = Membership(subscription, handle: handle)
        tree.add(membership)
        return membership
    }

    /// A tree with the same root and value that already has a listener.
    private func shareable(_ model: any Model) -> Tree? {
        guard let identifier = model.modelIdentifier, let trees = index.registers[identifier]?.trees else { return nil }
        return trees.suffix(8).first { $0.root.isSame(as: model) }
    }

    /// Ends listening to a tree.
    func leave(_ subscription: Subscription) {
        guard let membership = subscription.membership else { return }
        subscription.membership = nil
        leave(membership)
    }

    /// Ends listening to an element.
    func leave(_ subscription: Subscription, handle: Int) {
        if let occurrences = subscription.awaitedElements.removeValue(forKey: handle) {
            occurrences.awaitingElements[ElementKey(subscription: subscription.key, handle: handle)] = nil
            index.forget(occurrences)
        }
        guard let membership = subscription.elements.removeValue(forKey: handle) else { return }
        leave(membership)
    }

    private func leave(_ membership: Membership) {
        guard let tree = membership.tree else { return }
        tree.remove(membership)
        if tree.memberships.isEmpty { index.remove(tree) }
    }

    /// Lets `subscription` wait for a model of `identifier`.
    func wait(for identifier: ModelIdentifier, _ subscription: Subscription) {
        let occurrences = index.occurrences(of: identifier)
        occurrences.awaiting[subscription.key] = subscription
        subscription.awaited = occurrences
    }

    func stopAwaiting(_ subscription: Subscription) {
        guard let occurrences = subscription.awaited else { return }
        subscription.awaited = nil
        occurrences.awaiting[subscription.key] = nil
        index.forget(occurrences)
    }

    /// Lets a place of a collection wait for a model of `identifier`.
    func wait(for identifier: ModelIdentifier, _ subscription: Subscription, handle: Int) {
        let occurrences = index.occurrences(of: identifier)
        occurrences.awaitingElements[ElementKey(subscription: subscription.key, handle: handle)] = subscription
        subscription.awaitedElements[handle] = occurrences
    }

    /// Ends everything that `subscription` listens to.
    func end(_ subscription: Subscription) {
        stopAwaiting(subscription)
        leave(subscription)
        leaveAll(subscription)
    }

    /// Ends listening to all elements.
    func leaveAll(_ subscription: Subscription) {
        for handle in Array(subscription.elements.keys) + Array(subscription.awaitedElements.keys) {
            leave(subscription, handle: handle)
        }
    }

    /// The first held version of `identifier` that `subscription` can take.
    func held(_ identifier: ModelIdentifier, for subscription: Subscription) -> (any Model)? {
        index.registers[identifier]?.nodes.prefix(64).map(\.model).first { subscription.accepts($0) }
    }

    /// Forgets a subscription.
    func forget(_ key: Int) {
        guard let subscription = subscriptions.removeValue(forKey: key) else { return }
        end(subscription)
    }
}

extension TreeNode {
    /// Whether this place holds `model`, in the same type.
    func isSame(as model: any Model) -> Bool {
        ObjectIdentifier(type(of: self.model)) == ObjectIdentifier(type(of: model)) && self.model.isEqual(to: model)
    }
}
