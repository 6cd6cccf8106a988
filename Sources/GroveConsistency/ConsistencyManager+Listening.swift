public import GroveModel

extension ConsistencyManager {
    /// Adds `listener`, which is told from now on of changes to its current model and everything in it.
    ///
    /// A listener whose model is `nil` is remembered and listens to nothing. If a listener changed its model by itself,
    /// adding it again costs no more than the changes. If it is added again with the model that it was last told of,
    /// nothing changes, and updates on their way to it still arrive. Listeners with equal models share one tree.
    @MainActor
    public func addListener(_ listener: any ConsistencyManagerListener) {
        add(listener, nil)
    }

    /// Adds `listener` to `model`, which is the listener's model or a part of it.
    ///
    /// A listener is always given its whole model. If it has a current model, this is ``addListener(_:)``; if it has
    /// none, it listens to `model`.
    @MainActor
    public func addListener(_ listener: any ConsistencyManagerListener, to model: any ConsistencyManagerModel) {
        add(listener, model)
    }

    /// Removes `listener`, which is told nothing from now on.
    @MainActor
    public func removeListener(_ listener: any ConsistencyManagerListener) {
        if let batch = listener as? BatchListener {
            batch.listeners.forEach(removeListener)
            batch.reset()
        }
        guard let record = records.removeValue(forKey: ObjectIdentifier(listener)) else { return }
        record.isRemoved = true
        forget(record.key)
    }

    /// Holds changes back from `listener` until it is resumed.
    @MainActor
    public func pauseListener(_ listener: any ConsistencyManagerListener) {
        if let batch = listener as? BatchListener {
            batch.isPaused = true
            batch.listeners.forEach(pauseListener)
        } else {
            record(of: listener).isPaused = true
        }
    }

    /// Tells `listener`, before this returns, of everything that changed while it was paused, merged into one update.
    ///
    /// The update has the differences between its model before and after. The listener is not told if its current model
    /// is up to date or has another identifier. If it has no current model, it listens to nothing. A batch listener is
    /// told after its listeners, even if one of them is resumed by itself, unless the batch is paused.
    ///
    /// - Complexity: O(models in the tree) if the tree changed.
    @MainActor
    public func resumeListener(_ listener: any ConsistencyManagerListener) {
        if let batch = listener as? BatchListener {
            guard batch.isPaused else { return }
            batch.isPaused = false
            resume(batch.listeners.map(record), in: batch)
        } else if let record = records[ObjectIdentifier(listener)], record.listener === listener {
            guard let batch = record.batch else { return record.resume() }
            resume([record], in: batch)
        }
    }

    @MainActor
    private func resume(_ records: [ListenerRecord], in batch: BatchListener) {
        let wasPaused = batch.isPaused
        let last = records.compactMap(\.missed).max { $0.sequence < $1.sequence }
        batch.noteResuming {
            // A listener that is told may pause the batch again.
            for record in records where batch.isPaused == wasPaused { record.resume() }
        }
        let context = if let last { last.context } else { batch.latestContext }
        afterUpdate { batch.finishUpdate(context: context) }
    }

    /// Whether `listener` is paused.
    @MainActor
    public func isListenerPaused(_ listener: any ConsistencyManagerListener) -> Bool {
        if let batch = listener as? BatchListener { return batch.isPaused }
        // Another listener may have had the same address.
        guard let record = records[ObjectIdentifier(listener)], record.listener === listener else { return false }
        return record.isPaused
    }

    /// Tells `updatesListener` of every update from now on.
    ///
    /// It is held weakly; adding it again does nothing.
    @MainActor
    public func addModelUpdatesListener(_ updatesListener: any ConsistencyManagerUpdatesListener) {
        updatesListeners[ObjectIdentifier(updatesListener)] = WeakUpdatesListener(listener: updatesListener)
        flags.withLock { $0.hasUpdatesListeners = true }
    }

    /// Removes `updatesListener`, which is told of no more updates.
    @MainActor
    public func removeModelUpdatesListener(_ updatesListener: any ConsistencyManagerUpdatesListener) {
        updatesListeners[ObjectIdentifier(updatesListener)] = nil
        let isEmpty = updatesListeners.isEmpty
        flags.withLock { $0.hasUpdatesListeners = !isEmpty }
    }

    @MainActor
    private func add(_ listener: any ConsistencyManagerListener, _ fallback: (any Model)?) {
        if let batch = listener as? BatchListener {
            for listener in batch.listeners {
                record(of: listener).batch = batch
                add(listener, nil)
            }
            return
        }
        let record = record(of: listener)
        let current = listener.currentModel()
        // News that are under way are for the model that it still holds.
        if record.isKnown(current, or: fallback) { return }
        let model = current ?? fallback
        record.generation += 1
        record.missed = nil
        let (key, generation) = (record.key, record.generation)
        engine.enqueue { engine in
            if generation == 1 { engine.subscriptions[key] = Subscription(key: key, sink: .main(record)) }
            guard let subscription = engine.subscriptions[key] else { return }
            subscription.generation = generation
            if let model {
                engine.listen(subscription, to: model)
            } else {
                engine.end(subscription)
            }
        }
    }

    @MainActor
    private func record(of listener: any ConsistencyManagerListener) -> ListenerRecord {
        let identity = ObjectIdentifier(listener)
        if let record = records[identity] {
            if record.listener === listener { return record }
            forget(record.key)
        }
        cleanIfGrown()
        let record = ListenerRecord(listener, key: engine.calls.takeKey(), manager: self)
        records[identity] = record
        return record
    }

    @MainActor
    func tell(_ models: [any Model], _ changes: [ModelIdentifier: ModelChange], _ context: (any Sendable)?) {
        let model = models.count == 1 ? models[0] : BatchUpdateModel(models: models)
        for holder in updatesListeners.values {
            holder.listener?.consistencyManager(self, updatedModel: model, changes: changes, context: context)
        }
    }
}

struct WeakUpdatesListener {
    weak var listener: (any ConsistencyManagerUpdatesListener)?
}
