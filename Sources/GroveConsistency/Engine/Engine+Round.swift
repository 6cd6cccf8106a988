import GroveModel

extension Engine {
    /// Applies the changes that `body` makes and delivers their news: at most one hop, to all receivers in one turn.
    func round(context: (any Sendable)?, extra: Mailbox.Item? = nil, _ body: () -> Void) {
        news.begin()
        body()
        while let occurrences = news.reached.popLast() {
            adopt(occurrences) { self.held(occurrences.identifier, for: $0) }
        }
        var deliveries: [(any DeliveryReceiver, Delivery)] = []
        for membership in news.adoptedElements {
            guard let tree = membership.tree, !tree.isDeleted else { continue }
            news.noteElement(membership.subscription, ElementChange(handle: membership.handle, model: tree.root.model))
        }
        for tree in news.trees where !tree.updates.isEmpty || tree.isDeleted {
            tree.noteMoves()
            collectNews(of: tree, context, &deliveries)
        }
        for subscription in news.collections {
            let (changes, updates) = (subscription.news.changes, subscription.news.updates)
            send(.elements(changes), updates, to: subscription, context, &deliveries)
            subscription.news = Subscription.ElementNews()
        }
        for subscription in news.adopted {
            guard let model = subscription.membership?.tree?.root.model else { continue }
            let updates = ModelUpdates(
                changedModelIds: Set([model.modelIdentifier].compactMap(\.self)), deletedModelIds: [])
            send(.tree(model), updates, to: subscription, context, &deliveries)
        }
        let replaced = news.replacements
        let (reporter, turn) = (reporter, turn)
        news.end()
        guard !deliveries.isEmpty || !replaced.isEmpty || extra != nil else { return }
        deliver(isNews: true) { [deliveries] in
            turn.deliver {
                if !replaced.isEmpty { reporter.report(replaced, context: context) }
                for (receiver, delivery) in deliveries { receiver.receive(delivery) }
                for (receiver, _) in deliveries { receiver.finishUpdate(context: context) }
            }
            extra?()
        }
    }

    private func collectNews(
        of tree: Tree, _ context: (any Sendable)?, _ deliveries: inout [(any DeliveryReceiver, Delivery)]
    ) {
        let model: (any Model)? = tree.isDeleted ? nil : tree.root.model
        for membership in tree.memberships {
            let subscription = membership.subscription
            if subscription.membership === membership {
                guard subscription.acquired != .own(news.round),
                    subscription.acquired != .adopted(news.round) || tree.isDeleted
                else { continue }
                send(.tree(model), tree.updates, to: subscription, context, &deliveries)
            } else {
                if membership.adoptedRound == news.round, !tree.isDeleted { continue }
                news.noteElement(subscription, ElementChange(handle: membership.handle, model: model))
                subscription.news.updates.merge(tree.updates)
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

    private func send(
        _ content: Delivery.Content, _ updates: ModelUpdates, to subscription: Subscription,
        _ context: (any Sendable)?, _ deliveries: inout [(any DeliveryReceiver, Delivery)]
    ) {
        let delivery = Delivery(
            content: content, updates: updates, context: context, generation: subscription.generation,
            sequence: call.sequence, time: call.time)
        subscription.fetch = nil
        switch subscription.sink {
        case .main(let receiver): deliveries.append((receiver, delivery))
        case .stream(let yield): yield(delivery)
        }
    }

    /// Gives the subscriptions that wait for an identifier the model that `find` has for each.
    func adopt(_ occurrences: Occurrences, _ find: (Subscription) -> (any Model)?) {
        for subscription in occurrences.awaiting.values {
            guard let model = find(subscription) else { continue }
            listen(subscription, to: model)
            if subscription.acquired != .own(news.round) { news.noteAdopted(subscription) }
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
        membership.adoptedRound = news.round
        news.adoptedElements.append(membership)
    }
}
