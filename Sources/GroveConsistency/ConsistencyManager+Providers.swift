package import GroveModel

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The calls that data providers need and listeners do not.
extension ConsistencyManager {
    /// Registers `receiver`, which is retained until it is forgotten.
    ///
    /// - Parameter type: the type of the models that the subscription takes when it waits for an identifier.
    package func subscribe<T: SimpleModel>(_ receiver: any DeliveryReceiver, to type: T.Type) -> SubscriptionKey {
        let key = engine.calls.takeKey()
        engine.enqueue { engine in
            engine.subscriptions[key] = Subscription(key: key, sink: .main(receiver), type: type)
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

    /// Lets a subscription listen to `identifier`: the version that another listener holds is delivered, and every
    /// later one.
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
    package func post(
        _ model: any Model, by key: SubscriptionKey, generation: Int, context: (any Sendable)?, at time: Date
    ) -> Turn {
        post([model], context: context, at: time, from: key, generation: generation)
    }

    /// Changes the elements that a subscription listens to, and posts `models`, in one step.
    ///
    /// - Parameters:
    ///   - left: elements that are no longer listened to, `nil` for all.
    ///   - joined: elements that are listened to from now on.
    ///   - time: the time of the edit; now if it is `nil`.
    /// - Returns: the call's place in the order of calls; news with an earlier one are older than it.
    @discardableResult
    package func edit(
        _ key: SubscriptionKey, leaving left: [Int]?, joining joined: [(handle: Int, model: any Model)],
        posting models: [any Model], context: (any Sendable)?, at time: Date? = nil
    ) -> Turn {
        let (wantsReplacements, tellsListeners) = flags.withLock { ($0.hasDelegate, $0.hasUpdatesListeners) }
        cleanIfDue()
        let told = tellsListeners && !models.isEmpty
        return engine.enqueue(at: time) { [self] engine in
            let subscription = engine.subscriptions[key.rawValue]
            if let subscription {
                if let left {
                    for handle in left { engine.leave(subscription, handle: handle) }
                } else {
                    engine.leaveAll(subscription)
                }
            }
            let isCancelled = engine.isCancelled
            engine.news.wantsReplacements = wantsReplacements
            let changes = told && !isCancelled ? telling(models, ModelChange.changes(of: models), context) : nil
            engine.round(context: context, extra: changes) {
                if !isCancelled { for model in models { engine.applyAll(model) } }
            }
            guard let subscription else { return }
            engine.change.hasContradiction = false
            for (handle, model) in joined { engine.listen(subscription, to: model, handle: handle) }
            guard engine.change.hasContradiction, !isCancelled else { return }
            // If two versions of one model were posted, the later counts, also for the poster.
            engine.round(context: context) { for model in models { engine.applyAll(model, isWhole: true) } }
        }
    }

    /// Lets places of a collection wait for the models of identifiers; a model that is held is given at once.
    package func await(_ key: SubscriptionKey, _ places: [(handle: Int, identifier: ModelIdentifier)]) {
        onSubscription(key) { engine, subscription in
            engine.round(context: nil) {
                for (handle, identifier) in places {
                    if let held = engine.held(identifier, for: subscription) {
                        engine.adopt(held, subscription, handle)
                    } else {
                        engine.wait(for: identifier, subscription, handle: handle)
                    }
                }
            }
        }
    }

    /// Gives `body`, on the engine's queue and at this call's place in the order, the newest version of the elements
    /// that `list` gives, less those that were deleted.
    package func newestElements(
        _ key: SubscriptionKey, of list: @escaping @Sendable () -> [(handle: Int, model: any SimpleModel)],
        then body: @escaping @Sendable ([any SimpleModel]) -> Void
    ) {
        engine.enqueue { engine in
            let subscription = engine.subscriptions[key.rawValue]
            body(
                list().compactMap { handle, model in
                    guard let subscription else { return model }
                    guard let membership = subscription.elements[handle] else { return nil }
                    return membership.tree.map { Leaf.base($0.root.model) } ?? model
                })
        }
    }

    /// Begins a fetch: models that are posted from now on are grafted into the trees that it brings.
    ///
    /// Every fetch that begins ends with ``endFetch(_:model:subscription:generation:then:)`` or
    /// ``joinFetched(_:_:_:leaving:over:)``.
    ///
    /// - Parameter key: the subscription that the fetch is for; it ignores the results of earlier fetches.
    package func beginFetch(for key: SubscriptionKey? = nil) -> Turn {
        engine.enqueue { engine in
            engine.recent.log.open()
            if let key { engine.subscriptions[key.rawValue]?.fetch = engine.call.sequence }
        }
    }

    /// Lets the subscription ignore the results of fetches that are under way.
    package func supersedeFetches(of key: SubscriptionKey) {
        onSubscription(key) { _, subscription in subscription.fetch = nil }
    }

    /// Runs `body` now, or after every receiver was told of the update that is being delivered.
    @MainActor
    package func afterUpdate(_ body: @escaping @MainActor () -> Void) {
        if engine.turn.isDelivering { engine.turn.afterwards.append(body) } else { body() }
    }

    /// Ends the fetch of one tree and hands it over in its newest version, on the main actor and in the order of
    /// updates; `nil` if it was deleted meanwhile.
    ///
    /// The subscription listens to it from the same step on, unless it was given something since the fetch began: then
    /// `body` is told `false`.
    package func endFetch(
        _ fetch: Turn, model: (any Model)?, subscription key: SubscriptionKey? = nil, generation: Int = 0,
        then body: @escaping @MainActor @Sendable ((any Model)?, Bool) -> Void
    ) {
        engine.enqueue { engine in
            let newest = model.flatMap { engine.graft($0, since: fetch) }
            engine.endRead(fetch, brought: [newest].compactMap(\.self).identifiers)
            var isAccepted = false
            if let key, let subscription = engine.subscriptions[key.rawValue],
                subscription.generation == generation, subscription.fetch == fetch
            {
                isAccepted = true
                if let newest {
                    subscription.fetch = nil
                    subscription.awaitedIdentifier = newest.modelIdentifier
                    engine.listen(subscription, to: newest)
                }
            }
            engine.deliver { [isAccepted] in body(newest, isAccepted) }
        }
    }

    /// Hands over `models`, which a fetch brought, in their newest version, on the main actor and in the order of
    /// updates; `nil` for those that were deleted meanwhile.
    ///
    /// The fetch goes on until ``joinFetched(_:_:_:leaving:over:)``.
    ///
    /// - Parameter fresh: for a read that follows a cache, the identifiers whose read versions win: see
    ///   ``Engine/graft(_:since:over:)``.
    package func graftFetched(
        _ fetch: Turn, models: [any Model], over fresh: Set<ModelIdentifier>? = nil,
        then body: @escaping @MainActor @Sendable ([(any Model)?]) -> Void
    ) {
        engine.enqueue { engine in
            let newest = models.map { engine.graft($0, since: fetch, over: fresh) }
            engine.deliver { body(newest) }
        }
    }

    /// Ends the fetch of a collection: its elements are listened to, and their changes since they were grafted are
    /// delivered.
    ///
    /// - Parameter left: elements that are no longer listened to.
    /// - Returns: the turn from which they are listened to; their changes since the read are delivered at it.
    @discardableResult
    package func joinFetched(
        _ fetch: Turn, _ key: SubscriptionKey?, _ joined: [(handle: Int, model: any Model)], leaving left: [Int] = [],
        over fresh: Set<ModelIdentifier>? = nil
    ) -> Turn {
        engine.enqueue { engine in
            engine.round(context: nil) {
                guard let key, let subscription = engine.subscriptions[key.rawValue] else { return }
                for handle in left { engine.leave(subscription, handle: handle) }
                for (handle, model) in joined {
                    let newest = engine.graft(model, since: fetch, over: fresh)
                    if let newest { engine.listen(subscription, to: newest, handle: handle) }
                    if newest.map({ !$0.isEqual(to: model) }) ?? true {
                        engine.news.noteElement(subscription, ElementChange(handle: handle, model: newest))
                    }
                }
            }
            engine.endRead(fetch, brought: joined.map(\.model).identifiers)
        }
    }

    /// Gives `body`, as ``afterDelivery(_:)`` does, the subscriptions to lists that have the model of `identifier` as
    /// an element.
    package func findLists(
        of identifier: ModelIdentifier, then body: @escaping @MainActor @Sendable (Set<SubscriptionKey>) -> Void
    ) {
        engine.enqueue { engine in
            let memberships = engine.index.registers[identifier]?.nodes.flatMap { $0.tree?.memberships ?? [] } ?? []
            let keys = memberships.map { SubscriptionKey(rawValue: $0.subscription.key) }
            engine.deliver { body(Set(keys)) }
        }
    }

    /// Runs `body` on the main actor, behind every delivery for calls made before.
    package func afterDelivery(_ body: @escaping @MainActor @Sendable () -> Void) {
        engine.enqueue { engine in engine.deliver(body) }
    }

    /// Takes every model away from every listener, as if all had been deleted, and drops calls that are queued or under
    /// way.
    package func wipe() {
        engine.cancelAll()
        engine.enqueue { engine in engine.round(context: nil) { engine.applyWipe() } }
    }

    /// Lets paused listeners forget the changes that they missed before a wipe.
    @MainActor
    package func forgetMissed() {
        for record in records.values { record.missed?.model = nil }
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
