package import GroveModel
import Synchronization

/// What data providers need and listeners do not.
extension ConsistencyManager {
    /// Registers `receiver`, which is retained until it is forgotten.
    ///
    /// - Parameter accepts: which models the subscription can take when it waits for an identifier.
    package func subscribe(
        _ receiver: any DeliveryReceiver, accepts: @escaping @Sendable (any Model) -> Bool
    ) -> SubscriptionKey {
        let key = engine.takeKey()
        engine.enqueue { engine in
            let subscription = Subscription(key: key, sink: .main(receiver))
            subscription.accepts = accepts
            engine.subscriptions[key] = subscription
        }
        return SubscriptionKey(rawValue: key)
    }

    /// Forgets a subscription; safe from any thread.
    package func unsubscribe(_ key: SubscriptionKey) { forget(key.rawValue) }

    /// Lets a subscription listen to `model`, or to nothing, without posting it.
    package func listen(_ key: SubscriptionKey, to model: (any Model)?, generation: Int) {
        onSubscription(key) { engine, subscription in
            subscription.generation = generation
            subscription.awaitedIdentifier = model?.modelIdentifier
            if let model {
                engine.listen(subscription, to: model)
            } else {
                engine.end(subscription)
            }
        }
    }

    /// Lets a subscription listen to `identifier`: what somebody holds of it is delivered, and what comes later.
    package func listen(_ key: SubscriptionKey, toIdentifier identifier: ModelIdentifier, generation: Int) {
        onSubscription(key) { engine, subscription in
            subscription.generation = generation
            subscription.awaitedIdentifier = identifier
            engine.end(subscription)
            engine.round(context: nil) { engine.listenOrAwait(subscription, identifier) }
        }
    }

    /// Posts `model` as the subscription's own: it listens to it and is not told.
    @discardableResult
    package func post(_ model: any Model, by key: SubscriptionKey, generation: Int, context: (any Sendable)?) -> UInt64
    {
        post([model], context: context, from: key, generation: generation)
    }

    /// Changes which elements a subscription listens to, and posts `models`, in one step.
    ///
    /// - Parameters:
    ///   - left: elements that are no longer listened to, `nil` for all.
    ///   - joined: elements that are listened to from now on.
    package func edit(
        _ key: SubscriptionKey, leaving left: [Int]?, joining joined: [(handle: Int, model: any Model)],
        posting models: [any Model], context: (any Sendable)?
    ) {
        let (wantsReplacements, tellsListeners) = flags.withLock { ($0.hasDelegate, $0.hasUpdatesListeners) }
        cleanIfDue()
        let told = tellsListeners && !models.isEmpty
        engine.enqueue { [self] engine in
            let subscription = engine.subscriptions[key.rawValue]
            if let subscription {
                for handle in left ?? Array(subscription.elements.keys) { engine.leave(subscription, handle: handle) }
            }
            engine.wantsReplacements = wantsReplacements
            let changes = told ? telling(models, ModelChange.changes(of: models), context) : nil
            engine.round(context: context, extra: changes) { for model in models { engine.applyAll(model) } }
            if let subscription {
                for (handle, model) in joined { engine.listen(subscription, to: model, handle: handle) }
            }
        }
    }

    /// Marks the beginning of a fetch; what is posted from now on is grafted into what it brings.
    ///
    /// Every fetch that begins ends with ``endFetch(_:models:then:)``.
    package func beginFetch() -> UInt64 {
        engine.enqueue { $0.log.open() }
    }

    /// Ends the fetch that began at `fetch`, and hands over `models` in their newest version, on the main actor and in
    /// the order of updates; `nil` for those that were deleted meanwhile.
    ///
    /// - Parameter listen: given the models on the engine's queue, in the same step.
    package func endFetch(
        _ fetch: UInt64, models: [any Model], subscription key: SubscriptionKey? = nil, generation: Int = 0,
        handles: Int? = nil, then body: @escaping @MainActor @Sendable ([(any Model)?]) -> Void
    ) {
        engine.enqueue { engine in
            let newest = models.map { engine.graft($0, since: fetch) }
            engine.log.close()
            if let key, let subscription = engine.subscriptions[key.rawValue] {
                if let handles {
                    for (position, model) in newest.enumerated() {
                        guard let model else { continue }
                        engine.listen(subscription, to: model, handle: handles + position)
                    }
                } else if subscription.generation == generation, subscription.membership == nil,
                    let model = newest.first, let model
                {
                    subscription.awaitedIdentifier = model.modelIdentifier
                    engine.listen(subscription, to: model)
                }
            }
            engine.deliver { body(newest) }
        }
    }

    private func onSubscription(
        _ key: SubscriptionKey, _ body: @escaping @Sendable (Engine, Subscription) -> Void
    ) {
        engine.enqueue { engine in
            guard let subscription = engine.subscriptions[key.rawValue] else { return }
            body(engine, subscription)
        }
    }
}
