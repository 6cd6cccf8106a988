public import GroveModel

extension ConsistencyManager {
    /// The changes of `model` from this call on; each event has the whole tree.
    ///
    /// Events are delivered wherever the stream is iterated, without a turn of the main actor. Every change after the
    /// call is in the stream: there is no gap between the value and the changes. The stream ends with the task, with
    /// the iterator or with the manager, which it does not retain. Events that were not read by then can still be read.
    /// If the root is deleted, the event has a `nil` model, and the stream waits for the model to come back.
    public func changes<M: SimpleModel>(of model: M) -> AsyncStream<ModelEvent<M>> {
        changes(model.modelIdentifier, Leaf.node(model))
    }

    /// The changes of the model of `identifier`, which need not exist yet.
    ///
    /// If a listener holds the model, its newest version comes first. See ``changes(of:)``.
    public func changes<M: SimpleModel>(
        of identifier: ModelIdentifier, as type: M.Type = M.self
    ) -> AsyncStream<ModelEvent<M>> {
        changes(identifier, nil)
    }

    private func changes<M: SimpleModel>(
        _ identifier: ModelIdentifier?, _ model: (any Model)?
    ) -> AsyncStream<ModelEvent<M>> {
        let (stream, continuation) = AsyncStream.makeStream(of: ModelEvent<M>.self)
        let key = engine.calls.takeKey()
        continuation.onTermination = { [weak self] _ in self?.forget(key) }
        let source = StreamSource(continuation)
        engine.enqueue { engine in
            let subscription = Subscription(
                key: key,
                sink: .stream { delivery in
                    guard case .tree(let model) = delivery.content else { return }
                    let value = model.flatMap { Leaf.base($0) as? M }
                    guard value != nil || model == nil else { return }
                    source.yield(
                        ModelEvent(model: value, updates: delivery.updates, context: delivery.context))
                }, type: M.self)
            subscription.awaitedIdentifier = identifier
            engine.subscriptions[key] = subscription
            if let model {
                engine.listen(subscription, to: model)
            } else if let identifier {
                engine.round(context: nil) { engine.listenOrAwait(subscription, identifier) }
            }
        }
        return stream
    }

    /// The models of a type that satisfy a condition, as they are posted.
    ///
    /// Models that were posted before the call are not in the stream. The stream retains the models that satisfy the
    /// condition. ``changes(of:)`` says where events are delivered and when the stream ends.
    ///
    /// - Parameter condition: called on the engine's queue, for every posted model of the type.
    public func models<M: SimpleModel>(
        of type: M.Type = M.self, where condition: @escaping @Sendable (M) -> Bool
    ) -> AsyncStream<PredicateChange<M>> {
        let (stream, continuation) = AsyncStream.makeStream(of: PredicateChange<M>.self)
        let source = StreamSource(continuation)
        let end = subscribe(type, condition) { change in source.yield(change) }
        continuation.onTermination = { _ in end() }
        return stream
    }

    /// Tells `body`, on the main actor, of the models of a type that satisfy a condition, as they are posted.
    ///
    /// - Returns: an object that keeps the subscription, which ends when the object is released.
    @MainActor
    public func addListener<M: SimpleModel>(
        for type: M.Type = M.self, where condition: @escaping @Sendable (M) -> Bool,
        _ body: @escaping @MainActor @Sendable (PredicateChange<M>) -> Void
    ) -> PredicateListener {
        let listener = PredicateListener()
        let engine = engine
        listener.end = subscribe(type, condition) { [weak engine, weak listener] change in
            engine?.deliver { if listener != nil { body(change) } }
        }
        return listener
    }

    private func subscribe<M: SimpleModel>(
        _ type: M.Type, _ condition: @escaping @Sendable (M) -> Bool,
        _ tell: @escaping @Sendable (PredicateChange<M>) -> Void
    ) -> @Sendable () -> Void {
        let key = engine.calls.takeKey()
        engine.enqueue { engine in
            engine.predicates[ObjectIdentifier(type), default: [:]][key] = PredicateSubscription(
                key: key, matches: { (Leaf.base($0) as? M).map(condition) ?? false },
                tell: { event in if let change = PredicateChange<M>(event) { tell(change) } })
        }
        return { [weak engine] in
            engine?.enqueue { engine in
                engine.predicates[ObjectIdentifier(type)]?[key] = nil
                if engine.predicates[ObjectIdentifier(type)]?.isEmpty == true {
                    engine.predicates[ObjectIdentifier(type)] = nil
                }
            }
        }
    }
}

/// An object that keeps a subscription to the models that satisfy a condition; releasing it ends the subscription.
@MainActor
public final class PredicateListener {
    var end: (@Sendable () -> Void)?

    init() {}

    deinit { end?() }
}

extension Engine {
    /// Lets `subscription` listen to the version of `identifier` that another listener holds, or else wait for one.
    func listenOrAwait(_ subscription: Subscription, _ identifier: ModelIdentifier) {
        if let held = held(identifier, for: subscription) {
            listen(subscription, to: held)
            news.noteAdopted(subscription)
        } else {
            wait(for: identifier, subscription)
        }
    }
}
