public import GroveModel

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

extension ConsistencyManager {
    /// Posts the newest version of `model` and everything in it: every tree that holds any of it is updated.
    ///
    /// Returns at once. A listener that holds an equal version is not told. To post several models in one update, post
    /// a ``BatchUpdateModel``. A listener that changes its model by itself adds itself again before it posts the model:
    /// then it is not told of its own change.
    ///
    /// - Parameter context: passed to every listener that is told.
    public func updateModel(_ model: any ConsistencyManagerModel, context: (any Sendable)? = nil) {
        post([model], context: context)
    }

    /// Deletes `model` from every tree that holds it.
    ///
    /// An optional child becomes `nil`, and an element of an array is dropped. A model that requires the deleted one is
    /// deleted too. A listener whose root is deleted is given `nil`. A model without an identifier is refused: the
    /// delegate is told, with code `unidentified`.
    public func deleteModel(_ model: any ConsistencyManagerModel, context: (any Sendable)? = nil) {
        delete(model, context: context)
    }

    /// Posts `models`, in order, in one update; returns its place in the order of calls.
    ///
    /// - Parameter time: the time of the update; now if it is `nil`.
    @discardableResult
    package func post(
        _ models: [any Model], context: (any Sendable)?, at time: Date? = nil, from own: SubscriptionKey? = nil,
        generation: Int = 0
    ) -> Turn {
        let (wantsReplacements, tellsListeners) = flags.withLock { ($0.hasDelegate, $0.hasUpdatesListeners) }
        cleanIfDue()
        return engine.enqueue(isCancellable: own == nil, at: time) { [self] engine in
            // A cancelled update tells no listener, but its poster holds the models all the same.
            let isCancelled = engine.isCancelled
            engine.news.wantsReplacements = wantsReplacements
            let isTold = tellsListeners && !isCancelled
            let told = isTold ? telling(models, ModelChange.changes(of: models), context) : nil
            engine.round(context: context, extra: told) {
                let subscription = own.flatMap { engine.subscriptions[$0.rawValue] }
                subscription?.acquired = .own(engine.news.round)
                subscription?.generation = generation
                if !isCancelled { for model in models { engine.applyAll(model) } }
                guard let subscription, let model = models.first else { return }
                engine.change.hasContradiction = false
                engine.listen(subscription, to: model)
                subscription.awaitedIdentifier = model.modelIdentifier
                guard engine.change.hasContradiction, !isCancelled else { return }
                // If two versions of one model were posted, the later counts, also for the poster.
                subscription.acquired = .earlier
                engine.applyAll(model, isWhole: true)
            }
        }
    }

    /// Deletes `model`; returns the call's place in the order of calls.
    @discardableResult
    package func delete(_ model: any Model, context: (any Sendable)?) -> Turn {
        guard let identifier = model.modelIdentifier else {
            return engine.enqueue { engine in
                engine.fail(CacheError(.unidentified, "A model without an identifier cannot be deleted."))
            }
        }
        let (wantsReplacements, tellsListeners) = flags.withLock { ($0.hasDelegate, $0.hasUpdatesListeners) }
        cleanIfDue()
        let told = tellsListeners ? telling([model], [identifier: .deleted], context) : nil
        return engine.enqueue(isCancellable: true) { engine in
            engine.news.wantsReplacements = wantsReplacements
            engine.round(context: context, extra: told) { engine.applyDelete(identifier) }
        }
    }

    /// The item that tells the updates listeners.
    func telling(
        _ models: [any Model], _ changes: [ModelIdentifier: ModelChange], _ context: (any Sendable)?
    ) -> Mailbox.Item {
        { [weak self] in self?.tell(models, changes, context) }
    }
}

extension Engine {
    /// Applies a posted model, a batch one model after the other.
    func applyAll(_ model: any Model, isWhole: Bool = false) {
        if let batch = model as? BatchUpdateModel {
            for case let model? in batch.models { applyAll(model, isWhole: isWhole) }
            guard batch.modelIdentifier != nil else { return }
        }
        apply(model, isWhole: isWhole)
    }

    /// Takes every model away from every listener.
    func applyWipe() {
        change.begin()
        for subscription in subscriptions.values {
            for membership in [subscription.membership].compactMap(\.self) + Array(subscription.elements.values) {
                guard let tree = membership.tree, !tree.isDeleted else { continue }
                remove(tree.root, news.touch(tree.root))
            }
        }
        for kind in Array(predicates.keys) {
            for key in Array(predicates[kind, default: [:]].keys) {
                guard let subscription = predicates[kind]?[key] else { continue }
                predicates[kind]?[key]?.current = [:]
                for identifier in subscription.current.keys { subscription.tell(.ended(identifier)) }
            }
        }
    }
}

extension Model {
    /// Visits this tree in its own order, each model before those in it, up to a million of them.
    package func forEachInOrder(_ visit: (any Model) -> Void) {
        var waiting: [any Model] = [self]
        var visited = 0
        while let model = waiting.popLast(), visited <= maxNodes {
            visited += 1
            visit(model)
            let start = waiting.count
            model.forEach { waiting.append($0) }
            waiting[start...].reverse()
        }
    }
}

extension ModelChange {
    /// Each identified model in `models`: of each projection the last version.
    static func changes(of models: [any Model]) -> [ModelIdentifier: ModelChange] {
        var found: [ModelIdentifier: [any Model]] = [:]
        for model in models {
            model.forEachInOrder { model in
                if let identifier = model.modelIdentifier { found[identifier, default: []].bring(model) }
            }
        }
        return found.mapValues(ModelChange.updated)
    }
}
