import Dispatch
import GroveConsistency
public import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Answers of the network: each is as old as its request.
extension DataModelManager {
    /// The moment of this call, between calls made before and calls made later.
    ///
    /// Take a place before you ask the network, and pass it with the answer:
    ///
    /// ```swift
    /// let asked = manager.place()
    /// let people = try await server.people()
    /// try manager.updateModels(people, asOf: asked)
    /// ```
    ///
    /// ``DataProvider/load(withCacheKey:maxAge:reload:retry:ifNil:context:fetch:)`` and similar calls do this
    /// themselves. Release the place when you have the answer: while it exists, the identifiers of all nodes that
    /// change are kept in memory.
    public func place() -> Place {
        inOrder { epoch in
            let turn = consistencyManager.beginRequest()
            return Place(
                turn: turn, epoch: epoch, time: now().timeIntervalSince1970, stored: followed?.place(),
                token: OpenRequest(consistencyManager, turn))
        }
    }

    /// Updates the cache, and every provider that holds `model` or anything in it, with an answer to a request sent at
    /// `place`.
    ///
    /// See ``updateModels(_:asOf:updateCache:context:)``.
    ///
    /// - Throws: ``CacheError`` with code `cancelled` if everything was wiped since `place`.
    public func updateModel<T: SimpleModel>(
        _ model: T, asOf place: Place, updateCache: Bool = true, context: (any Sendable)? = nil
    ) throws(CacheError) {
        try updateModels([model], asOf: place, updateCache: updateCache, context: context)
    }

    /// Updates providers and the cache in one step with `models`, an answer to a request sent at `place`.
    ///
    /// Models that were changed or deleted since `place` stay as they are, in memory and in a cache of Grove. The
    /// manager remembers the last 65,536 changed nodes. If more were changed since, or if the place is the cache's own,
    /// the cache decides, and its result is shown. A cache that is only a ``CacheDelegate`` cannot decide; then nothing
    /// is changed.
    ///
    /// - Throws: ``CacheError`` with code `cancelled` if everything was wiped since `place`.
    public func updateModels(
        _ models: [any SimpleModel], asOf place: Place, updateCache: Bool = true, context: (any Sendable)? = nil
    ) throws(CacheError) {
        guard !isOver(place) else { throw .wiped }
        settle(models, asked: place, saving: updateCache ? .models : .nothing, context) { [self] outcome in
            switch outcome {
            case .taken(let taken): consistencyManager.endAnswer(taken)
            case .again, .cancelled: break
            }
        }
    }

    /// Deletes the model of type `M` whose identity is `id`: an answer to a request sent at `place` says that it is
    /// gone.
    ///
    /// ```swift
    /// try manager.delete(Message.self, id: 34, asOf: asked)
    /// ```
    ///
    /// The model is deleted as by ``deleteModel(_:updateCache:context:)``. If it was changed since `place`, it stays,
    /// in memory and in a cache of Grove. If more was changed since than the manager remembers, or if the place is the
    /// cache's own, the cache decides. From a cache that is only a ``CacheDelegate``, the model is deleted only if a
    /// provider holds it.
    ///
    /// - Throws: ``CacheError`` with code `cancelled` if everything was wiped since `place`.
    public func delete<M: KeyedModel>(
        _ type: M.Type, id: M.ModelID, asOf place: Place, updateCache: Bool = true, context: (any Sendable)? = nil
    ) throws(CacheError) {
        guard !isOver(place) else { throw .wiped }
        let identifier = M.modelIdentifier(for: id)
        delete(
            identifier, forKey: updateCache ? identifier.rawValue : nil, as: type, asked: place, context)
    }

    /// Deletes a model that was asked for at `place`, unless it was changed since.
    ///
    /// - Parameter key: the cache key from which it is deleted; `nil` if the cache keeps it.
    func delete<M: SimpleModel>(
        _ identifier: ModelIdentifier, forKey key: String?, as type: M.Type, asked place: Place,
        _ context: (any Sendable)?
    ) {
        inOrder { _ in
            consistencyManager.settleDeletion(
                identifier, projection: type.projectionName, asked: place.turn, context: context
            ) { [self] verdict, held in
                guard let key, verdict != .refused, !isOver(place) else { return }
                inOrder { _ in
                    let (cache, followed) = (cacheDelegate, followed)
                    onCache { [manager = WeakManager(self)] in
                        if let followed {
                            followed.delete(identifier, forKey: key, asOf: place.stored, for: manager)
                        } else if let held {
                            cache.deleteModel(held, forKey: key, context: context)
                        }
                    }
                }
            }
        }
    }

    /// Whether everything was wiped since `place`.
    ///
    /// A place of a cache knows of the manager's own wipes by the cache only.
    func isOver(_ place: Place) -> Bool {
        if place.turn > .zero, lives.epoch.withLock({ $0 != place.epoch }) { return true }
        guard let followed, let stored = place.stored else { return false }
        return followed.isOver(stored)
    }

    /// The time between two wipes, by this manager or any writer of the cache.
    struct Life: Equatable, Sendable {
        /// The number of wipes of this manager before it.
        fileprivate let epoch: Int
        /// The cache's life; `nil` over a cache that is only a ``CacheDelegate``.
        fileprivate let stored: LifeID?
    }

    /// The life to which calls made now belong.
    var lifeNow: Life { Life(epoch: lives.epoch.withLock { $0 }, stored: followed?.life) }

    /// The number of wipes, of everything or of a type, by writers of this process before the calls that are made now.
    var wipesNow: WipeCount { lives.wipesUnderWay.withLock { (followed?.life.wipes ?? .zero) + $0 } }

    /// The number of times that other processes were found to have emptied the cache.
    var wipesByOthers: WipeCount { followed?.wipesByOthers ?? .zero }

    /// Whether the cache has begun another life, so that the data shown may be of the life before.
    var isBehindAWipe: Bool { followed.map { lives.shown.withLock(\.self) != $0.life } ?? false }

    /// Notes the cache's present life; returns whether this manager knew another one.
    @discardableResult
    func noteLife(isShown: Bool = false) -> Bool {
        guard let now = followed?.life else { return false }
        return lives.note(now, isShown: isShown)
    }

    // MARK: Settling

    /// The way in which an answer is stored.
    enum AnswerSave: Sendable {
        case nothing
        /// Each model under its identifier.
        case models
        /// The one model, also under a cache key.
        case model(key: String)
    }

    /// The outcome of an answer.
    enum Settlement: Sendable {
        /// It is applied; ``ConsistencyManager/endAnswer(_:)`` must follow.
        case taken(TakenAnswer)
        /// Changes since cannot be told apart from it: the request is to be sent again.
        case again
        case cancelled
    }

    /// Applies an answer that was asked for at `place`, less the changes since, and stores it; then tells `body`.
    ///
    /// Nodes that were changed since and that no provider holds are looked up in the cache.
    func settle(
        _ models: [any SimpleModel], asked place: Place, isList: Bool = false, saving save: AnswerSave,
        _ context: (any Sendable)?, found: FoundNodes? = nil, attempt: Int = 0,
        shown: Decision? = nil, then body: @escaping @MainActor @Sendable (Settlement) -> Void
    ) {
        inOrder { _ in
            let applied = Future<[any Model]?>()
            let shown = shown ?? Decision()
            // A cache that is only a delegate stores the models that are shown; any other decides by itself, once.
            let mustWait = followed == nil && !save.isNothing
            consistencyManager.settle(
                models.map { Leaf.node($0) }, asked: place.turn, isList: isList, found: found,
                isStored: place.stored != nil && !save.isNothing, context: context, at: now(),
                isOver: { [weak self] in self?.isOver(place) ?? true },
                applied: { if mustWait { applied.put($0) } },
                then: { [self] outcome in
                    switch outcome {
                    case .taken(let taken):
                        // If the answer lost nodes to newer ones, older models that are held must not be saved as of
                        // it.
                        shown.decide(taken.lost.isEmpty)
                        // A commit may have been told late: the cache's versions are shown in the end.
                        if !taken.lost.isEmpty {
                            // Their holders are read too: the cache may have a node that was deleted here, and its
                            // holder with it.
                            let trees = models.map { [$0].identifiers }.filter { !$0.isDisjoint(with: taken.lost) }
                            markStale(Set(trees.joined()).map { .model($0) })
                        }
                        body(.taken(taken))
                    case .lacks(let nodes):
                        guard attempt < 3 else { return again(models, shown, body) }
                        lookUp(nodes) { [self] found in
                            guard let found else { return again(models, shown, body) }
                            settle(
                                models, asked: place, isList: isList, saving: followed == nil ? save : .nothing,
                                context,
                                found: found,
                                attempt: attempt + 1, shown: shown, then: body)
                        }
                    case .forgotten: again(models, shown, body)
                    case .cancelled:
                        shown.decide(false)
                        body(.cancelled)
                    }
                })
            if mustWait {
                let cache = cacheDelegate
                onCache {
                    for model in applied.take() ?? [] {
                        save.keys(of: Leaf.base(model)).forEach {
                            cache.setModel(Leaf.base(model), forKey: $0, context: context)
                        }
                    }
                }
            } else if let stored = place.stored, attempt == 0, !save.isNothing {
                for model in models {
                    for key in save.keys(of: model).suffix(1) {
                        store(model, forKey: key, asOf: stored, if: shown, context)
                    }
                }
            }
        }
    }

    /// Lets a request be sent again; the models that the cache has taken of its answer are shown.
    @MainActor
    private func again(
        _ models: [any SimpleModel], _ shown: Decision, _ body: @MainActor @Sendable (Settlement) -> Void
    ) {
        shown.decide(false)
        markStale(models.identifiers.map { .model($0) })
        body(.again)
    }

    /// Gives `body` the cache's answer about `nodes`; `nil` if it cannot be read.
    private func lookUp(
        _ nodes: [(identifier: ModelIdentifier, type: any SimpleModel.Type)],
        then body: @escaping @MainActor @Sendable (FoundNodes?) -> Void
    ) {
        guard let cache = followed else {
            return consistencyManager.afterDelivery { body(nil) }
        }
        inOrder { _ in
            let began = consistencyManager.beginFetch()
            onCache { [consistencyManager] in
                cache.readAgain { view in
                    var found = FoundNodes(asOf: began)
                    for (identifier, type) in nodes {
                        switch view?.model(identifier, as: type) {
                        case .hit(let model): found.nodes[identifier] = .model(model)
                        case .miss(let miss) where miss.reason == .deleted: found.nodes[identifier] = .deleted
                        case .miss: found.nodes[identifier] = .absent
                        case nil: break
                        }
                    }
                    if found.nodes.count == nodes.count { return consistencyManager.afterDelivery { body(found) } }
                    consistencyManager.endFetch(began, model: nil) { _, _ in body(nil) }
                }
            }
        }
    }
}

extension DataModelManager.AnswerSave {
    var isNothing: Bool {
        guard case .nothing = self else { return false }
        return true
    }

    /// The keys under which `model` is stored, its identifier first.
    func keys(of model: any SimpleModel) -> [String] {
        let identifier = model.modelIdentifier?.rawValue
        switch self {
        case .nothing: return []
        case .models: return [identifier].compactMap(\.self)
        case .model(let key):
            return key == identifier || model.modelIdentifier == ModelIdentifier(key)
                ? [key] : [identifier, key].compactMap(\.self)
        }
    }
}

extension [any SimpleModel] {
    /// The identifiers of the nodes in these trees.
    var identifiers: Set<ModelIdentifier> { map { Leaf.node($0) }.identifiers }

    /// The models that can be stored by themselves: these, or for one without an identifier the nearest identified ones
    /// below it.
    var identified: [any SimpleModel] {
        var found: [any SimpleModel] = []
        var waiting = reversed().map { Leaf.node($0) }
        while let model = waiting.popLast() {
            if model.modelIdentifier != nil {
                found.append(Leaf.base(model))
            } else {
                let start = waiting.count
                model.forEach { waiting.append($0) }
                waiting[start...].reverse()
            }
        }
        return found
    }
}

/// A token that keeps a request open; the request ends with it.
private final class OpenRequest: Sendable {
    private let manager: ConsistencyManager
    private let turn: Turn

    init(_ manager: ConsistencyManager, _ turn: Turn) {
        self.manager = manager
        self.turn = turn
    }

    deinit { manager.endRequest(turn) }
}
