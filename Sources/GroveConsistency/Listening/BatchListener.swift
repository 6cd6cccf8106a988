public import GroveModel

/// Several listeners, and a delegate that is told once per update of all of them.
///
/// Each listener is told of its own model; then the delegate is told, once, in the same turn of the main actor. Add the
/// batch listener instead of its listeners. When one of them changes its model by itself, tell the batch listener.
@MainActor
public final class BatchListener: ConsistencyManagerListener {
    /// The listeners, which are held strongly.
    public let listeners: [any ConsistencyManagerListener]

    /// Told after the listeners; held weakly.
    public weak var delegate: (any BatchListenerDelegate)?

    var isPaused = false
    private var updated: [any ConsistencyManagerListener] = []
    private var updatedIdentities: Set<ObjectIdentifier> = []
    private var updates = ModelUpdates()
    /// The context of the last update that the delegate was not told of yet.
    private(set) var latestContext: (any Sendable)?

    /// Makes a batch of `listeners` and adds it to `consistencyManager`.
    public init(listeners: [any ConsistencyManagerListener], consistencyManager: ConsistencyManager) {
        self.listeners = listeners
        addListener(consistencyManager)
    }

    /// Adds the listeners, each to its current model.
    public func addListener(_ consistencyManager: ConsistencyManager) {
        consistencyManager.addListener(self)
    }

    /// Says that `listener` changed its model by itself.
    public func listenerHasUpdatedModel(
        _ listener: any ConsistencyManagerListener, consistencyManager: ConsistencyManager
    ) {
        consistencyManager.addListener(listener)
    }

    /// Says that one of the listeners put `model` into its own model.
    public func listenerHasUpdatedModel(
        _ model: any ConsistencyManagerModel, consistencyManager: ConsistencyManager
    ) {
        addListener(consistencyManager)
    }

    /// The models of all listeners.
    public func currentModel() -> (any ConsistencyManagerModel)? {
        BatchUpdateModel(models: listeners.map { $0.currentModel() })
    }

    /// Does nothing: each listener is told by itself.
    public func modelUpdated(
        _ model: (any ConsistencyManagerModel)?, updates: ModelUpdates, context: (any Sendable)?
    ) {}

    /// Adds that `listener` was told of `updates`.
    func note(_ listener: any ConsistencyManagerListener, _ updates: ModelUpdates, _ context: (any Sendable)?) {
        if updatedIdentities.insert(ObjectIdentifier(listener)).inserted { updated.append(listener) }
        self.updates.merge(updates)
        latestContext = context
    }

    /// Lets `body` resume listeners, and compares the models of all listeners before and after.
    ///
    /// A model that one listener lost and another has was not deleted from the batch.
    func noteResuming(_ body: () -> Void) {
        let (earlier, old) = (updates, currentModels)
        updates = ModelUpdates()
        body()
        guard !updates.isEmpty else { return updates = earlier }
        let resumed = ModelUpdates(from: old, to: currentModels, deleted: updates.deletedModelIds)
        updates = earlier
        updates.merge(resumed)
    }

    private var currentModels: [any Model] { listeners.compactMap { $0.currentModel() } }

    /// Tells the delegate, unless the batch is paused.
    func finishUpdate(context: (any Sendable)?) {
        guard !isPaused, !updated.isEmpty else { return }
        let (listeners, updates) = (updated, updates)
        forgetUpdates()
        delegate?.batchListener(self, hasUpdatedListeners: listeners, updates: updates, context: context)
    }

    private func forgetUpdates() {
        (updated, updatedIdentities, updates, latestContext) = ([], [], ModelUpdates(), nil)
    }

    /// Goes back to the state in which it was made, after its listeners were removed.
    func reset() {
        isPaused = false
        forgetUpdates()
    }
}

/// An object that is told, once per update, of the changes in a ``BatchListener``.
@MainActor
public protocol BatchListenerDelegate: AnyObject, Sendable {
    /// `updatedListeners` were told of an update, or of the updates that they missed while the batch was paused.
    ///
    /// - Parameter updates: the updates of all of them together.
    func batchListener(
        _ batchListener: BatchListener, hasUpdatedListeners updatedListeners: [any ConsistencyManagerListener],
        updates: ModelUpdates, context: (any Sendable)?)
}
