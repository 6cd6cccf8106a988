import GroveModel

/// A listener as the main actor knows it: whether it is paused, and what it missed meanwhile.
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
        var updates: ModelUpdates
        var context: (any Sendable)?
        var sequence: UInt64
    }

    var missed: Missed?

    /// What the listener held when it was last added or told.
    private var known: (any Model)??

    /// Whether the listener adds itself with what it is known to hold; remembers it otherwise.
    func isKnown(_ model: (any Model)?) -> Bool {
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
            var updates = missed?.updates ?? ModelUpdates()
            updates.merge(delivery.updates)
            missed = Missed(model: model, updates: updates, context: delivery.context, sequence: delivery.sequence)
        } else {
            tell(listener, model, delivery.updates, delivery.context)
        }
    }

    func finishUpdate(context: (any Sendable)?) { batch?.finishUpdate(context: context) }

    func resume() {
        isPaused = false
        guard let missed, let listener else { return }
        self.missed = nil
        switch (listener.currentModel(), missed.model) {
        case (nil, nil): return
        case (let old?, let new?) where old.isEqual(to: new): return
        default: tell(listener, missed.model, missed.updates, missed.context)
        }
    }

    private func tell(
        _ listener: any ConsistencyManagerListener, _ model: (any Model)?, _ updates: ModelUpdates,
        _ context: (any Sendable)?
    ) {
        known = .some(model)
        listener.modelUpdated(model, updates: updates, context: context)
        batch?.note(listener, updates)
    }
}
