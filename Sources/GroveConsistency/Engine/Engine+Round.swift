import GroveModel

extension Engine {
    /// Applies the changes that `body` makes and delivers their news: at most one hop, to all receivers in one turn.
    func round(context: (any Sendable)?, extra: Mailbox.Item? = nil, _ body: () -> Void) {
        round = round.next
        body()
        while let occurrences = reached.popLast() {
            adopt(occurrences) { self.held(occurrences.identifier, for: $0) }
        }
        var news: [(any DeliveryReceiver, Delivery)] = []
        for membership in adoptedElements {
            guard let tree = membership.tree, !tree.isDeleted else { continue }
            noteElement(membership.subscription, ElementChange(handle: membership.handle, model: tree.root.model))
        }
        for tree in roundTrees where !tree.updates.isEmpty || tree.isDeleted {
            tree.noteMoves()
            collectNews(of: tree, context, &news)
        }
        for subscription in roundSubscriptions {
            send(
                .elements(subscription.changedElements), subscription.updates, to: subscription, context, &news)
            subscription.changedElements = []
            subscription.updates = ModelUpdates()
        }
        for subscription in adopted {
            guard let model = subscription.membership?.tree?.root.model else { continue }
            let updates = ModelUpdates(
                changedModelIds: Set([model.modelIdentifier].compactMap(\.self)), deletedModelIds: [])
            send(.tree(model), updates, to: subscription, context, &news)
        }
        let replaced = replacements
        let (told, turn) = (reportReplacements, turn)
        roundTrees = []
        roundSubscriptions = []
        adopted = []
        adoptedElements = []
        replacements = []
        guard !news.isEmpty || !replaced.isEmpty || extra != nil else { return }
        deliver(isNews: true) { [news] in
            turn.deliver {
                if !replaced.isEmpty { told(replaced, context) }
                for (receiver, delivery) in news { receiver.receive(delivery) }
                for (receiver, _) in news { receiver.finishUpdate(context: context) }
            }
            extra?()
        }
    }

    private func collectNews(
        of tree: Tree, _ context: (any Sendable)?, _ news: inout [(any DeliveryReceiver, Delivery)]
    ) {
        let model: (any Model)? = tree.isDeleted ? nil : tree.root.model
        for membership in tree.memberships {
            let subscription = membership.subscription
            if subscription.membership === membership {
                guard subscription.ownRound != round, subscription.adoptedRound != round || tree.isDeleted else {
                    continue
                }
                send(.tree(model), tree.updates, to: subscription, context, &news)
            } else {
                if membership.adoptedRound == round, !tree.isDeleted { continue }
                noteElement(subscription, ElementChange(handle: membership.handle, model: model))
                subscription.updates.merge(tree.updates)
            }
        }
        guard tree.isDeleted else { return }
        for membership in tree.memberships {
            let subscription = membership.subscription
            if subscription.membership === membership {
                subscription.membership = nil
                if let identifier = subscription.awaitedIdentifier { wait(for: identifier, subscription) }
            } else {
                subscription.elements[membership.handle] = nil
            }
            membership.tree = nil
        }
    }

    /// Adds a subscription that has a model now, of which it is told in the version that it has at the end.
    func noteAdopted(_ subscription: Subscription) {
        guard subscription.adoptedRound != round else { return }
        subscription.adoptedRound = round
        adopted.append(subscription)
    }

    /// Adds one element's news to the round.
    func noteElement(_ subscription: Subscription, _ change: ElementChange) {
        if subscription.round != round {
            subscription.round = round
            roundSubscriptions.append(subscription)
        }
        subscription.changedElements.append(change)
    }

    private func send(
        _ content: Delivery.Content, _ updates: ModelUpdates, to subscription: Subscription,
        _ context: (any Sendable)?, _ news: inout [(any DeliveryReceiver, Delivery)]
    ) {
        let delivery = Delivery(
            content: content, updates: updates, context: context, generation: subscription.generation,
            sequence: sequence, time: time)
        subscription.lastNews = sequence
        switch subscription.sink {
        case .main(let receiver): news.append((receiver, delivery))
        case .stream(let yield): yield(delivery)
        }
    }

    /// Gives the subscriptions that wait for an identifier the model that `find` has for each.
    func adopt(_ occurrences: Occurrences, _ find: (Subscription) -> (any Model)?) {
        for subscription in occurrences.awaiting.values {
            guard let model = find(subscription) else { continue }
            listen(subscription, to: model)
            if subscription.ownRound != round { noteAdopted(subscription) }
        }
        for (key, subscription) in occurrences.awaitingElements {
            guard let model = find(subscription) else { continue }
            adopt(model, subscription, key.handle)
        }
    }

    /// Gives a place of a collection the model that it waited for.
    func adopt(_ model: any Model, _ subscription: Subscription, _ handle: Int) {
        listen(subscription, to: model, handle: handle)
        guard let membership = subscription.elements[handle] else { return }
        membership.adoptedRound = round
        adoptedElements.append(membership)
    }
}
