public import GroveConsistency

/// Several providers, and a delegate that is told once per update of all their changes.
///
/// The delegates of the providers are called first, then this object's delegate, in the same turn of the main actor.
@MainActor
public final class BatchDataProviderListener {
    /// Told of updates; held weakly.
    public weak var delegate: (any BatchDataProviderListenerDelegate)?

    /// The manager of the providers.
    public let dataModelManager: DataModelManager

    private let dataProviders: [any BatchListenable]
    private var updated: [any BatchListenable] = []
    private var updatedIdentities: Set<ObjectIdentifier> = []
    private var latestContext: (any Sendable)?
    private var isPausedNow = false

    /// Makes a batch of providers, which it retains; a provider can be in one batch only.
    public init(dataProviders: [any BatchListenable], dataModelManager: DataModelManager) {
        self.dataProviders = dataProviders
        self.dataModelManager = dataModelManager
        for provider in dataProviders {
            if provider.batchListener != nil { dataModelManager.misuse("A provider can be in one batch only.") }
            provider.batchListener = self
        }
    }

    /// Whether changes are held back.
    ///
    /// When this becomes false, they come in one call, before the setter returns.
    public var isPaused: Bool {
        get { isPausedNow }
        set {
            guard newValue != isPausedNow else { return }
            isPausedNow = newValue
            // A provider that is told may pause the batch again.
            for provider in dataProviders where isPausedNow == newValue { provider.setPaused(newValue) }
            finishResuming()
        }
    }

    /// Tells the delegate of the providers that were resumed, after every provider was told of the update under way.
    func finishResuming() {
        dataModelManager.consistencyManager.afterUpdate { [self] in finishUpdate(context: latestContext) }
    }

    func note(_ provider: any BatchListenable, _ context: (any Sendable)?) {
        latestContext = context
        if updatedIdentities.insert(ObjectIdentifier(provider)).inserted { updated.append(provider) }
    }

    func finishUpdate(context: (any Sendable)?) {
        guard !isPausedNow, !updated.isEmpty else { return }
        let providers = updated
        updated = []
        updatedIdentities = []
        latestContext = nil
        delegate?.batchDataProviderListener(self, hasUpdatedDataProviders: providers, context: context)
    }
}

/// An object that is told, once per update, of the changes in a batch of providers.
@MainActor
public protocol BatchDataProviderListenerDelegate: AnyObject {
    /// `dataProviders` changed in one update, or while the batch was paused.
    func batchDataProviderListener(
        _ batchListener: BatchDataProviderListener, hasUpdatedDataProviders dataProviders: [any BatchListenable],
        context: (any Sendable)?)
}

/// A provider that can be in a batch: a ``DataProvider`` or a ``CollectionDataProvider``.
@MainActor
public protocol BatchListenable: ConsistencyManagerListener {
    /// The batch that the provider is in; the batch sets it.
    var batchListener: BatchDataProviderListener? { get set }

    /// Pauses or resumes the provider; the batch calls it.
    func setPaused(_ isPaused: Bool)
}
