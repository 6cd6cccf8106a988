package import GroveModel

/// The calls by which a manager follows a cache.
extension ConsistencyManager {
    /// The models to read again after a cache changed: those that are held, or waited for, with their types.
    package struct HeldChanges: Sendable {
        /// The identifiers to read, with every type as which each is held or waited for.
        package var wanted: [(identifier: ModelIdentifier, type: any SimpleModel.Type)] = []
        /// The unchanged models that the changed ones hold: they stay as they are in memory.
        package var known: [any SimpleModel] = []
        let changes: any CommittedChanges
    }

    /// The outcome of reading a model.
    package enum Followed: Sendable {
        /// It is shown.
        case model(any SimpleModel)
        /// It is gone from the cache, because it was deleted.
        case deleted
        /// Nothing is known of it: the version that is shown stays.
        case unknown
    }

    /// Gives `body`, on the engine's queue, those of `identifiers` that no listener holds or waits for.
    package func findUnheld(
        _ identifiers: Set<ModelIdentifier>, then body: @escaping @Sendable (Set<ModelIdentifier>) -> Void
    ) {
        engine.enqueue { engine in body(identifiers.filter { engine.index.registers[$0] == nil }) }
    }

    /// A closure that is told of nodes that a read of the cache or an answer has brought although they are stale.
    ///
    /// Another writer committed them while it was under way, or everything was emptied since. `deleted` are those that
    /// were deleted, and may be there again: lists and holders may have them no more.
    package typealias StaleHandler =
        @Sendable (_ nodes: Set<ModelIdentifier>, _ deleted: Set<ModelIdentifier>, _ isEmptied: Bool) -> Void

    /// Tells `body` of nodes that are to be read again.
    package func onStale(_ body: @escaping StaleHandler) { engine.enqueue { $0.recent.tellStale = body } }

    /// Takes a turn, and gives `body`, on the engine's queue, the held models of `changes`.
    ///
    /// It also gives the elements of `lists` that are read as a whole, except those of `unknown`.
    ///
    /// The names are among the changes. If an earlier read or answer brings one of them that is not held yet, that is
    /// told as ``onStale(_:)`` says.
    ///
    /// ``endFollowing(_:_:_:except:onRewritten:)`` follows, and for each list ``joinFetched(_:_:_:leaving:over:)``.
    package func beginFollowing(
        _ changes: any CommittedChanges, named names: Set<ModelIdentifier> = [],
        lists: [(key: SubscriptionKey, isWhole: Bool)] = [],
        except unknown: Set<ModelIdentifier> = [],
        then body: @escaping @Sendable (HeldChanges, [SubscriptionKey: [any SimpleModel]]) -> Void
    ) -> Turn {
        engine.enqueue { engine in
            engine.recent.log.open(1 + lists.count)
            engine.recent.learned.add(rereadOf: names, at: engine.call.sequence)
            var elements: [SubscriptionKey: [any SimpleModel]] = [:]
            for (key, isWhole) in lists where isWhole {
                elements[key] = engine.subscriptions[key.rawValue]?.elements.values.compactMap { membership in
                    guard let model = membership.tree?.root.model, model.modelIdentifier.map(unknown.contains) != true
                    else { return nil }
                    return Leaf.base(model)
                }
            }
            body(engine.held(of: changes), elements)
        }
    }

    /// Applies the models that were read, less those that were posted or deleted since `began`.
    ///
    /// - Parameters:
    ///   - ahead: the identifiers whose versions in memory are newer than those that were read.
    ///   - onRewritten: given the models that were deleted and are there again, and their holders, which are to be read
    ///     again.
    package func endFollowing(
        _ began: Turn, _ held: HeldChanges, _ outcomes: [Followed], except ahead: Set<ModelIdentifier> = [],
        onRewritten: @escaping @Sendable (_ models: Set<ModelIdentifier>, _ holders: Set<ModelIdentifier>) -> Void
    ) {
        let (wantsReplacements, tellsListeners) = flags.withLock { ($0.hasDelegate, $0.hasUpdatesListeners) }
        engine.enqueue { [self] engine in
            engine.news.wantsReplacements = wantsReplacements
            // More may be held by now than when it was read. Of models that are held no more, the log may have older
            // versions.
            let logged = engine.recent.log.changed(by: held.changes)
            let fresh = engine.changed(by: held.changes).union(logged).subtracting(ahead)
            var (found, below): ([any Model], [any Model]) = ([], [])
            var aliased: [(identifier: ModelIdentifier, model: any Model)] = []
            var deleted: [ModelIdentifier] = []
            // The models that were deleted and are there again.
            var rewritten: Set<ModelIdentifier> = []
            let gone = held.changes.deletedModelIds
            // A model that was read before a wipe does not come back after it.
            for (wanted, outcome) in engine.calls.isCancelled(began) ? [] : Array(zip(held.wanted, outcomes)) {
                switch outcome {
                case .model(let model):
                    if gone.contains(wanted.identifier) { rewritten.insert(wanted.identifier) }
                    if !ahead.isEmpty { below += Leaf.node(model).below(ahead, in: fresh) }
                    if let model = engine.graft(Leaf.node(model), since: began, over: fresh) {
                        found.append(model)
                        if model.modelIdentifier != wanted.identifier { aliased.append((wanted.identifier, model)) }
                    } else {
                        // It, or a model that it requires, was deleted since.
                        deleted.append(wanted.identifier)
                    }
                case .deleted
                where ahead.contains(wanted.identifier)
                    || engine.recent.log.entries[wanted.identifier].map { $0.sequence > began } == true:
                    if gone.contains(wanted.identifier) { rewritten.insert(wanted.identifier) }
                case .deleted: deleted.append(wanted.identifier)
                case .unknown: break
                }
            }
            // A node that is newer in memory keeps the children that it had: those that were read are applied behind
            // it.
            found += below.compactMap { engine.graft($0, since: began, over: fresh) }
            var changes = tellsListeners ? ModelChange.changes(of: found) : [:]
            if tellsListeners { for identifier in deleted { changes[identifier] = .deleted } }
            // Models that are read for later changes are newer than this.
            engine.call.source = .read(asOf: began)
            engine.round(context: nil, extra: changes.isEmpty ? nil : telling(found, changes, nil)) {
                for model in found { engine.apply(model) }
                for (identifier, model) in aliased { engine.give(model, toThoseWhoAwait: identifier) }
                for identifier in deleted { engine.applyDelete(identifier) }
            }
            engine.endRead(began)
            guard !rewritten.isEmpty else { return }
            onRewritten(rewritten, engine.holders(of: rewritten))
        }
    }
}

extension Engine {
    /// The held models of `changes`, and the unchanged models in them.
    fileprivate func held(of changes: any CommittedChanges) -> ConsistencyManager.HeldChanges {
        var held = ConsistencyManager.HeldChanges(changes: changes)
        let changed = changed(by: changes)
        var seen: Set<ModelIdentifier> = []
        for identifier in changed {
            guard let occurrences = index.registers[identifier] else { continue }
            var types: [ObjectIdentifier: any SimpleModel.Type] = [:]
            for node in occurrences.nodes {
                let type = type(of: Leaf.base(node.model))
                guard types.updateValue(type, forKey: ObjectIdentifier(type)) == nil else { continue }
                node.forEachBelow { model in
                    guard let other = model.modelIdentifier else { return true }
                    if !changed.contains(other), seen.insert(other).inserted { held.known.append(Leaf.base(model)) }
                    return false
                }
            }
            for subscription in occurrences.awaiting.values {
                if let type = subscription.type { types[ObjectIdentifier(type)] = type }
            }
            for subscription in occurrences.awaitingElements.values {
                if let type = subscription.type { types[ObjectIdentifier(type)] = type }
            }
            for type in types.values { held.wanted.append((identifier, type)) }
        }
        return held
    }

    fileprivate func changed(by changes: any CommittedChanges) -> Set<ModelIdentifier> {
        var changed = Set(changes.changed(among: index.registers.keys) { index.registers[$0] != nil })
        guard changes.beginsLife, changes.extent == .named else { return changed }
        for (identifier, occurrences) in index.registers
        where occurrences.nodes.contains(where: { changes.deletesAll(of: type(of: Leaf.base($0.model))) }) {
            changed.insert(identifier)
        }
        return changed
    }

    /// The identified models whose records name one of `identifiers`.
    fileprivate func holders(of identifiers: Set<ModelIdentifier>) -> Set<ModelIdentifier> {
        var holders: Set<ModelIdentifier> = []
        for identifier in identifiers {
            for node in index.registers[identifier]?.nodes ?? [] {
                var above = node.parent
                while let place = above, place.model.modelIdentifier == nil { above = place.parent }
                if let holder = above?.model.modelIdentifier { holders.insert(holder) }
            }
        }
        return holders
    }

    /// Gives `model`, which a key names, to the subscriptions that wait for the key.
    fileprivate func give(_ model: any Model, toThoseWhoAwait key: ModelIdentifier) {
        guard let occurrences = index.registers[key] else { return }
        for subscription in Array(occurrences.awaiting.values) where subscription.accepts(model) {
            subscription.awaitedIdentifier = model.modelIdentifier
            listen(subscription, to: model)
            news.noteAdopted(subscription)
        }
    }
}

extension TreeNode {
    /// Visits the models below the node, as deep as `body` says to go on.
    fileprivate func forEachBelow(_ body: (any Model) -> Bool) {
        for child in children where body(child.model) { child.forEachBelow(body) }
    }
}

extension Model {
    /// The models of `identifiers` below a node of `names`, each in the version of the place that is visited first.
    fileprivate func below(_ names: Set<ModelIdentifier>, in identifiers: Set<ModelIdentifier>) -> [any Model] {
        var found: [any Model] = []
        var seen: Set<ModelIdentifier> = []
        var next: [(model: any Model, isBelow: Bool)] = [(self, false)]
        while let (model, isBelow) = next.popLast() {
            let identifier = model.modelIdentifier
            if isBelow, let identifier, identifiers.contains(identifier), seen.insert(identifier).inserted {
                found.append(model)
            }
            let isAhead = identifier.map(names.contains) ?? false
            model.forEach { next.append(($0, isBelow || isAhead)) }
        }
        return found
    }
}
