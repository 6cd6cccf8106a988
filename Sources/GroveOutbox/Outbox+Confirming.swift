import GroveCache
import GroveConsistency
public import GroveModel
import GroveProviders

/// Confirmations: the answers of the server.
extension Outbox {
    /// Takes models that the server sends by itself, in a push or in the answer to a fetch.
    ///
    /// They are stored, and shown below everything that is pending.
    ///
    /// If the server says which mutations the answer includes, name their keys in the answer. Those mutations are done:
    /// their changes become the confirmed ones in the same turn, and they are not sent any more. `replacing:` names the
    /// identifier that the application gave to a model of one of them. Keys that are not pending are ignored.
    ///
    /// - Parameter place: the place at which the request was sent; see `DataModelManager.place()`. For pushes, take a
    ///   new place before you wait for each of them. A model that was changed since the place stays as it is. After a
    ///   wipe, an answer with an earlier place is neither stored nor shown. The default is now.
    public func receive(_ answer: Answer, asOf place: Place? = nil) async {
        await confirm(included(in: answer), answer, place ?? layers.manager?.place() ?? writes.store.place())
        pumpAll()
    }

    /// The mutations that `answer` confirms: the one that was sent, and those that it names.
    ///
    /// The answer to a mutation that was sent does not confirm another one that is under way.
    func included(in answer: Answer, sent: PendingMutation? = nil) -> [PendingMutation] {
        pending.filter { item in
            item === sent || answer.includes.contains(item.id) && (item.isUnsent || sent == nil && item.isSending)
        }
    }

    /// Shows and stores the server's answer: the layers of `items` go in the turn in which it is shown.
    func confirm(_ items: [PendingMutation], _ answer: Answer, _ place: Place) async {
        let life = writes.life
        // Without its manager the mutation is sent again, with its key.
        guard layers.manager != nil || !writes.store.isByManager else { return items.forEach { $0.state = .waiting } }
        for item in items { item.state = .confirmed }
        let landing = Landing(numbers: items.compactMap(\.layer?.number), answer: answer)
        let shown = await layers.manager?.confirm(
            answer.models, asOf: place, isStored: writes.store.isByManager, context: landing)
        guard life == writes.life else { return }
        // The layers land here if no screen that was told holds a model of the answer.
        land(landing)
        let ends = items.map { (name: $0.record.name, steps: $0.layer?.landed ?? []) }
        let renamed = answer.replacement.map { rename($0) } ?? []
        if !renamed.isEmpty { layers.remake() }
        do {
            if writes.store.isByManager, let shown { try await confirmLists(of: items, with: shown) }
            guard life == writes.life else { return }
            try await save(answer, place, ends, renamed).value
        } catch {
            guard life == writes.life else { return }
            // They go on to be shown, once, and are sent again, as their records are still there.
            layers.keep(items.compactMap(\.layer))
            for item in items { back(item, error, life) }
            for item in items { onProblem?(item, .unsaved(error)) }
            return
        }
        // The manager is told of the commit as of another writer's: it must not count as a change since the next
        // request. The lists that it is in are read in a few steps.
        if !writes.store.isByManager { await tellManager(steps: ends.allSatisfy(\.steps.isEmpty) ? 1 : 4) }
        guard life == writes.life else { return }
        for item in items { forget(item) }
    }

    /// Stores the models of the answer, and removes the records of the mutations that are done.
    private func save(
        _ answer: Answer, _ place: Place, _ ends: [(name: String, steps: [ListStep])], _ renamed: [OutboxRecord]
    ) -> Task<Void, any Error> {
        let (owner, seen, isLast) = (holder.name, writes.seen, isIdle)
        let storeModels: @Sendable ([ListStep], borrowing CacheTransaction) throws -> Void = { steps, tx in
            for model in answer.models { try Outbox.write(model, tx, asOf: place) }
            let brought = Set(answer.models.compactMap(\.modelIdentifier))
            for step in steps { try step.store(tx, brought: brought) }
        }
        let isTogether = if case .together = writes.store.models { true } else { false }
        return writes.append(models: { tx in try storeModels(ends.flatMap(\.steps), tx) }) { tx in
            if isLast { try OutboxStore.release(tx, owner) }
            // Another process has confirmed the other mutations meanwhile, or has emptied everything.
            let left = try ends.filter { try tx.kept($0.name) != nil }
            guard !left.isEmpty || ends.isEmpty else { return }
            if isTogether { try storeModels(left.flatMap(\.steps), tx) }
            for record in renamed { try OutboxStore.update(record, tx, seen) { $0.body = record.body } }
            try OutboxStore.end(left.map(\.name), tx, seen)
            guard let replacement = answer.replacement else { return }
            var names = ConfirmedNames(try tx.kept(ConfirmedNames.name))
            names.add(replacement)
            try tx.keep(names.encoded(), as: ConfirmedNames.name)
        }
    }

    /// Lets the manager change the lists, which the layers of `items` go on to show meanwhile; returns when its cache
    /// was called.
    private func confirmLists(of items: [PendingMutation], with answer: ConfirmedAnswer) async throws {
        guard let manager = layers.manager else { return }
        for item in items {
            for step in item.layer?.landed ?? [] {
                let change: ConfirmedChange =
                    switch step.change {
                    case .insert(let identifier, _, let place, _): .insert(identifier, at: place)
                    case .remove(let identifier): .remove(identifier)
                    case .move(let identifier, let place): .move(identifier, to: place)
                    }
                if try await manager.confirm(change, ofList: step.key, of: step.type, with: answer) { continue }
                let text =
                    "No screen shows the list, and the change of it names no type: the stored list stays as it is."
                onProblem?(item, .unsaved(CacheError(.unsupported, text, identifier: ModelIdentifier(step.key))))
            }
        }
        await manager.flush()
    }

    nonisolated private static func write(
        _ model: some SimpleModel, _ tx: borrowing CacheTransaction, asOf place: Place
    ) throws {
        guard let identifier = model.modelIdentifier else {
            throw CacheError(.unidentified, "A model of an answer needs an identifier.")
        }
        try tx.write(model, forKey: identifier.rawValue, asOf: place)
    }

    /// Drops the confirmed layers, except for their changes to lists.
    func land(_ landing: Landing) {
        layers.land(landing.numbers) { layer in
            guard let (old, new) = landing.answer.replacement, let model = landing.answer.models.first else {
                return layer.steps
            }
            return layer.steps.map { $0.replacing(old, new, Leaf.node(model)) }
        }
    }

    /// Lets other mutations name a model by the identifier that the server gave it; returns the records that changed.
    func rename(_ replacement: (old: ModelIdentifier, new: ModelIdentifier)) -> [OutboxRecord] {
        var renamed: [OutboxRecord] = []
        for item in pending where !item.isUnderWay {
            guard let mutation = item.mutation else { continue }
            let new = mutation.replacing(replacement.old, replacement.new)
            guard let body = try? encode(new), body != item.record.body else { continue }
            item.mutation = new
            item.record.body = body
            renamed.append(item.record)
        }
        return renamed
    }
}

extension ListStep {
    /// Makes the step in the stored list too; does nothing if that list is not stored.
    func store(_ tx: borrowing CacheTransaction, brought: Set<ModelIdentifier>) throws {
        guard try tx.knownCount(ofCollection: key) != nil else { return }
        switch change {
        case .insert(let identifier, _, let place, _):
            // A model of the answer may have been deleted since the mutation was sent.
            guard brought.contains(identifier), try tx.isStored(identifier),
                try !tx.contains(identifier, inCollection: key)
            else { return }
            try tx.insert(references: [identifier], at: place, inCollection: key)
        case .remove(let identifier): try tx.remove(identifier, fromCollection: key)
        case .move(let identifier, let place):
            guard try tx.contains(identifier, inCollection: key) else { return }
            try tx.move(identifier, to: place, inCollection: key)
        }
    }
}
