package import GroveModel

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The outcome of an answer of the network.
package enum AnswerOutcome: Sendable {
    /// The answer is applied, less the nodes that changed since the request.
    case taken(TakenAnswer)
    /// These nodes were changed since, and no listener holds them: the cache may have them.
    case lacks([(identifier: ModelIdentifier, type: any SimpleModel.Type)])
    /// Too much changed since to tell which versions are older: the request is to be sent again.
    case forgotten
    /// Everything was wiped since.
    case cancelled
}

/// An answer that was applied.
package struct TakenAnswer: Sendable {
    /// The turn at which it was applied; ``ConsistencyManager/endAnswer(_:)`` must follow.
    package let turn: Turn
    /// The trees in their newest version; `nil` for those that were deleted since the request.
    package let models: [(any Model)?]
    /// The nodes that were changed or deleted since: the answer does not change them.
    package let lost: Set<ModelIdentifier>
}

/// Answers of the network: each is as old as its request.
extension ConsistencyManager {
    /// Begins a request: changes from now on win over its answer.
    ///
    /// ``endRequest(_:)`` must follow.
    package func beginRequest() -> Turn {
        engine.enqueue { engine in engine.recent.requests.begin(at: engine.call.sequence) }
    }

    /// Ends a request, whose answer was taken or is not wanted any more.
    package func endRequest(_ turn: Turn) {
        engine.enqueue { $0.recent.endRequest(turn) }
    }

    /// Whether everything was wiped since `turn`.
    package func isCancelled(since turn: Turn) -> Bool { engine.calls.isCancelled(turn) }

    /// Notes a commit of another writer.
    package func learn(_ changes: any CommittedChanges) {
        engine.enqueue { $0.recent.learn(changes, at: $0.call.sequence) }
    }

    /// Says, on the main actor, whether anything in the trees of `models` was changed since `turn`; without models,
    /// whether anything was edited at all.
    package func isUnchanged(
        _ models: [any Model], since turn: Turn, then body: @escaping @MainActor @Sendable (Bool) -> Void
    ) {
        engine.enqueue { engine in
            let isUnchanged: Bool
            if engine.recent.requests.isForgotten(since: turn) {
                isUnchanged = false
            } else if models.isEmpty {
                isUnchanged = engine.recent.requests.lastEdit <= turn
            } else {
                isUnchanged = engine.recent.changes(since: turn, among: models.identifiers).isEmpty
            }
            engine.deliver { body(isUnchanged) }
        }
    }

    /// Applies an answer of the network, less the nodes that changed since the request, and tells the holders of
    /// the models that it changes.
    ///
    /// The caller is told first, by `body`, and listens to the models that it takes by ``join(_:_:generation:model:)``
    /// or ``joinFetched(_:_:_:leaving:over:)``.
    ///
    /// - Parameters:
    ///   - asked: the turn at which the request was sent.
    ///   - isList: whether the models are the elements of a list.
    ///   - found: the cache's answer about the nodes that were unknown in the last attempt; its read ends here.
    ///   - isStored: whether the cache has been given the answer, to store as much of it as it may.
    ///   - isOver: whether everything was emptied since, as the cache knows.
    ///   - applied: called on the engine's queue with the trees as they are applied; `nil` if they are not.
    package func settle(
        _ models: [any Model], asked: Turn, isList: Bool, found: FoundNodes?, isStored: Bool,
        context: (any Sendable)?, at time: Date, isOver: @escaping @Sendable () -> Bool,
        applied: @escaping @Sendable ([any Model]?) -> Void = { _ in },
        then body: @escaping @MainActor @Sendable (AnswerOutcome) -> Void
    ) {
        let (wantsReplacements, tellsListeners) = flags.withLock { ($0.hasDelegate, $0.hasUpdatesListeners) }
        engine.enqueue(at: time) { [self] engine in
            func end(_ outcome: AnswerOutcome) {
                applied(nil)
                engine.deliver { body(outcome) }
            }
            // A node that the cache had is as old as its read.
            let found = found.map { engine.newest($0) } ?? [:]
            guard !engine.calls.isCancelled(asked), !isOver() else { return end(.cancelled) }
            guard !engine.recent.requests.isForgotten(since: asked) else { return end(.forgotten) }
            let draft = engine.draft(models, asked: asked, isList: isList, found: found)
            guard draft.unknown.isEmpty else {
                // The cache has the rest of it already: no older answer may undo that.
                if isStored { engine.recent.requests.note(models, except: draft.lost, at: asked) }
                return end(.lacks(draft.unknown))
            }
            engine.recent.log.open()
            engine.news.wantsReplacements = wantsReplacements
            engine.call.source = .answer(asked: asked)
            let told = tellsListeners ? ModelChange.changes(of: draft.posts) : [:]
            engine.round(context: context, extra: told.isEmpty ? nil : telling(draft.posts, told, context)) {
                for model in draft.posts { engine.applyAll(model) }
                let answer = TakenAnswer(
                    turn: engine.call.sequence,
                    models: draft.roots.map { $0.flatMap { engine.graft($0, since: engine.call.sequence) } },
                    lost: draft.lost)
                applied(answer.models.compactMap(\.self))
                // This comes before the listeners are told: the caller is not told of its own answer.
                engine.deliver { body(.taken(answer)) }
            }
        }
    }

    /// Lets a subscription listen to a tree of an answer that was applied at `turn`; changes in it since are delivered.
    package func join(_ turn: Turn, _ key: SubscriptionKey, generation: Int, model: any Model) {
        engine.enqueue { engine in
            guard let subscription = engine.subscriptions[key.rawValue] else { return }
            subscription.generation = generation
            subscription.awaitedIdentifier = model.modelIdentifier
            let newest = engine.graft(model, since: turn, over: [])
            engine.round(context: nil) {
                engine.change.hasContradiction = false
                engine.listen(subscription, to: newest ?? model)
                if newest == nil {
                    if let identifier = model.modelIdentifier { engine.removeAll(identifier) }
                } else if newest.map({ !$0.isEqual(to: model) }) ?? true {
                    engine.news.noteAdopted(subscription)
                }
            }
            guard engine.change.hasContradiction, let newest else { return }
            // If the answer has two versions of one model, the later counts.
            engine.round(context: nil) { engine.applyAll(newest, isWhole: true) }
        }
    }

    /// Ends an answer that was applied: every subscription that wants it listens to it by now.
    package func endAnswer(_ answer: TakenAnswer) {
        engine.enqueue { $0.endRead(answer.turn, brought: answer.models.compactMap(\.self).identifiers) }
    }
}

extension ConsistencyManager {
    /// Gives `body`, on the engine's queue, the held versions of some projections of models.
    package func newest(
        _ wanted: [(identifier: ModelIdentifier, projection: String)],
        then body: @escaping @Sendable ([(any SimpleModel)?]) -> Void
    ) {
        engine.enqueue { engine in
            body(wanted.map { engine.held($0.identifier, of: $0.projection).map { Leaf.base($0) } })
        }
    }

    /// Applies a deletion that was asked for at `asked`, unless the model was changed since.
    ///
    /// - Parameter body: is told the version of the projection that was held before.
    package func settleDeletion(
        _ identifier: ModelIdentifier, projection: String, asked: Turn, context: (any Sendable)?,
        then body: @escaping @MainActor @Sendable (DeletionVerdict, (any SimpleModel)?) -> Void
    ) {
        let tellsListeners = flags.withLock { $0.hasUpdatesListeners }
        engine.enqueue { [self] engine in
            guard !engine.recent.requests.isForgotten(since: asked) else {
                return engine.deliver { body(.unknown, nil) }
            }
            let changes = engine.recent.changes(since: asked, among: [identifier])
            guard changes.isEmpty, !engine.calls.isCancelled(asked) else {
                return engine.deliver { body(.refused, nil) }
            }
            let held = engine.held(identifier, of: projection).map { Leaf.base($0) }
            engine.call.source = .answer(asked: asked)
            let told = tellsListeners ? telling([], [identifier: .deleted], context) : nil
            engine.round(context: context, extra: told) { engine.applyDelete(identifier) }
            engine.deliver { body(.deleted, held) }
        }
    }

    /// Lets a subscription listen to the elements of an answer that was applied at `turn`, and to no others if
    /// `leavesOthers`.
    ///
    /// Changes in them since are delivered.
    ///
    /// - Returns: the turn of this call.
    package func join(
        _ turn: Turn, _ key: SubscriptionKey, elements: [(handle: Int, model: any Model)], leavesOthers: Bool
    ) -> Turn {
        engine.enqueue { engine in
            guard let subscription = engine.subscriptions[key.rawValue] else { return }
            if leavesOthers { engine.leaveAll(subscription) }
            engine.change.hasContradiction = false
            var joined: [any Model] = []
            engine.round(context: nil) {
                for (handle, model) in elements {
                    let newest = engine.graft(model, since: turn, over: [])
                    if let newest {
                        engine.listen(subscription, to: newest, handle: handle)
                        joined.append(newest)
                    }
                    if newest.map({ !$0.isEqual(to: model) }) ?? true {
                        engine.news.noteElement(subscription, ElementChange(handle: handle, model: newest))
                    }
                }
            }
            guard engine.change.hasContradiction else { return }
            // If the answer has two versions of one model, the later counts.
            engine.round(context: nil) { for model in joined { engine.applyAll(model, isWhole: true) } }
        }
    }
}

/// The outcome of a deletion that was asked for at some turn.
package enum DeletionVerdict: Sendable {
    case deleted
    /// The model was changed since, or everything was wiped.
    case refused
    /// The changes since are not known any more.
    case unknown
}
