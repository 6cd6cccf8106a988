import GroveModel

/// A listener as the main actor knows it: whether it is paused, and the changes that it missed meanwhile.
@MainActor
final class ListenerRecord: DeliveryReceiver {
    weak var listener: (any ConsistencyManagerListener)?
    let key: Int
    var generation = 0
    var isPaused = false
    var isRemoved = false
    weak var batch: BatchListener?
    private(set) weak var manager: ConsistencyManager?

    struct Missed {
        var model: (any Model)?
        /// Every model that was deleted in the pause, also if it came back.
        var deleted: Set<ModelIdentifier>
        var context: (any Sendable)?
        var sequence: Turn
    }

    var missed: Missed?

    /// The model that the engine holds for the listener: the one it was last added with or had news of, told or not.
    private var known: (any Model)??
    /// Whether the listener has no current model and was added to one that was given along.
    private var isWithoutModel = false

    /// Whether the listener adds itself with the model that it is known to hold: `current`, or else `other`.
    ///
    /// That is the known model from now on.
    func isKnown(_ current: (any Model)?, or other: (any Model)?) -> Bool {
        isWithoutModel = current == nil && other != nil
        let model = current ?? other
        let isSame =
            switch (known, model) {
            case (.some(.none), nil): true
            case (.some(let old?), let new?): old.isEqual(to: new)
            default: false
            }
        known = .some(model)
        return isSame
    }

    init(_ listener: any ConsistencyManagerListener, key: Int, manager: ConsistencyManager) {
        self.listener = listener
        self.key = key
        self.manager = manager
    }

    func receive(_ delivery: Delivery) {
        guard !isRemoved, delivery.generation == generation, case .tree(let model) = delivery.content else { return }
        guard let listener else {
            manager?.forget(key)
            return
        }
        if isPaused {
            let deleted = (missed?.deleted ?? []).union(delivery.updates.deletedModelIds)
            missed = Missed(model: model, deleted: deleted, context: delivery.context, sequence: delivery.sequence)
        } else if stillHolds(listener) {
            tell(listener, model, delivery.updates, delivery.context)
        } else {
            known = .some(model)
        }
    }

    /// Whether the listener's current model is a version of the one that it listens to.
    ///
    /// It may have set another, or none, without adding itself again.
    private func stillHolds(_ listener: any ConsistencyManagerListener) -> Bool {
        guard let known = known.flatMap(\.self) else { return false }
        guard let current = listener.currentModel() else { return isWithoutModel }
        return current.modelIdentifier == known.modelIdentifier
    }

    func finishUpdate(context: (any Sendable)?) { batch?.finishUpdate(context: context) }

    /// Tells the listener the changes that it missed, by its model before and after.
    ///
    /// A listener that no longer has its model is not given it again.
    func resume() {
        isPaused = false
        guard let listener, let last = known.flatMap(\.self) else { return }
        let (missed, isHeld) = (missed, stillHolds(listener))
        self.missed = nil
        guard let old = listener.currentModel() ?? (isWithoutModel ? last : nil) else {
            manager?.addListener(listener)
            return
        }
        guard let missed else { return }
        known = .some(missed.model)
        guard isHeld else { return }
        if let new = missed.model, old.isEqual(to: new) { return }
        let updates = ModelUpdates(
            from: [old], to: [missed.model].compactMap(\.self), deleted: missed.deleted)
        tell(listener, missed.model, updates, missed.context)
    }

    private func tell(
        _ listener: any ConsistencyManagerListener, _ model: (any Model)?, _ updates: ModelUpdates,
        _ context: (any Sendable)?
    ) {
        known = .some(model)
        listener.modelUpdated(model, updates: updates, context: context)
        if isWithoutModel { isWithoutModel = listener.currentModel() == nil }
        batch?.note(listener, updates, context)
    }
}
