public import GroveConsistency
public import GroveModel
public import Observation

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Holds one model in its newest version, for a screen.
///
/// ``data`` is always in memory, and setting it is synchronous; the cache and all other holders follow. If the model or
/// anything in it changes elsewhere, ``data`` changes, then ``delegate`` is told, and every stream of ``changes()``
/// gets the change. A delegate is not told of changes by the provider's owner; streams are, with the origin.
///
/// A view that reads ``data`` or ``state`` observes them, and needs neither a delegate nor a stream:
/// see Docs/Guides/Screens.md.
@MainActor
@Observable
public final class DataProvider<T: SimpleModel>: BatchListenable {
    /// The model in its newest version; `nil` before there is one, after it was deleted, and after it was set to `nil`.
    public internal(set) var data: T? {
        get {
            access(keyPath: \.data)
            return held.data
        }
        set { withMutation(keyPath: \.data) { held.data = newValue } }
    }

    /// The time at which ``data`` last changed or was set; `nil` before.
    ///
    /// All providers that one update changes have the same time.
    public internal(set) var lastUpdated: Date? {
        get {
            access(keyPath: \.lastUpdated)
            return held.time
        }
        set { if held.time != newValue { withMutation(keyPath: \.lastUpdated) { held.time = newValue } } }
    }
    @ObservationIgnored var held = HeldModel<T>()

    /// The progress of the last fetch or load.
    ///
    /// Changes by others do not change it, unless there were no data, or there are none any more.
    public private(set) var state: ProviderState {
        get {
            access(keyPath: \.state)
            return request.told
        }
        set { withMutation(keyPath: \.state) { request.told = newValue } }
    }
    @ObservationIgnored private var request = RequestState()
    @ObservationIgnored var wish = OwnerWish()

    /// Told of changes by others, not by this provider; held weakly, not observed.
    @ObservationIgnored public weak var delegate: (any DataProviderDelegate)?

    /// The manager whose cache and engine are used.
    @ObservationIgnored public let dataModelManager: DataModelManager

    /// The batch that this provider is in; the batch sets it.
    @ObservationIgnored public weak var batchListener: BatchDataProviderListener?

    @ObservationIgnored let key: SubscriptionKey
    /// The number of the last data that this provider set by itself; see ``Delivery/generation``.
    @ObservationIgnored var generation = 0
    @ObservationIgnored var pause = UpdatePause<T>()
    @ObservationIgnored private var names = ListenedNames()
    @ObservationIgnored let broadcast = Broadcast<DataChange<T>>()

    /// Makes a provider without data.
    public init(dataModelManager: DataModelManager) {
        self.dataModelManager = dataModelManager
        let relay = ProviderRelay()
        key = dataModelManager.consistencyManager.subscribe(relay, to: T.self)
        relay.target = self
        dataModelManager.screens.register(self, key)
    }

    deinit { dataModelManager.consistencyManager.unsubscribe(key) }

    /// Whether changes by others are held back.
    ///
    /// When this becomes false, they come as one change, before the setter returns.
    ///
    /// Do not set it while the provider is in a batch: pause the batch instead.
    public var isPaused: Bool {
        get {
            access(keyPath: \.isPaused)
            return pause.isPaused
        }
        set {
            if batchListener != nil {
                dataModelManager.misuse("Pause the batch listener, not a provider that is in it.")
            }
            setPaused(newValue)
            batchListener?.finishResuming()
        }
    }

    /// The identifier of the model that the provider listens to, even if no such model exists yet.
    ///
    /// Set it while there is no ``data``. If another provider or listener holds the model, or posts it later, it
    /// becomes the data, as a change by others. A provider that has data keeps them and goes on listening to them. To
    /// set another identifier then is a misuse, of which the log delegate is told: set the data to `nil` first.
    public var modelIdentifier: ModelIdentifier? {
        get { data?.modelIdentifier ?? names.awaited }
        set {
            guard newValue != modelIdentifier else { return }
            let manager = dataModelManager
            guard data == nil else {
                return manager.misuse(
                    """
                    The identifier \(newValue.map { "'\($0)'" } ?? "nil") was set on a provider that has data, \
                    '\(modelIdentifier.map(\.rawValue) ?? "without identifier")', and keeps it: set the data to nil first.
                    """)
            }
            begin(nil, at: manager.now())
            wish.next()
            (names.awaited, names.interest) = (newValue, nil)
            if let newValue {
                manager.inOrder { _ in
                    manager.consistencyManager.listen(key, toIdentifier: newValue, generation: generation)
                }
            } else {
                manager.inOrder { _ in manager.consistencyManager.listen(key, to: nil, generation: generation) }
            }
        }
    }

    /// Sets the data, tells every holder of the model or of anything in it, and stores it.
    ///
    /// - Parameters:
    ///   - data: the model; `nil` clears this provider, and deletes nothing.
    ///   - updateCache: false to keep the change in memory only.
    ///   - context: passed to the delegates of other providers, and to the cache.
    public func setData(_ data: T?, updateCache: Bool = true, context: (any Sendable)? = nil) {
        let manager = dataModelManager
        let time = manager.now()
        // An edit of the model that is shown does not end a load of it.
        if data == nil || data?.modelIdentifier != modelIdentifier || data?.modelIdentifier == nil { wish.next() }
        begin(data, at: time, endsRequest: !wish.isLoading)
        names.awaited = data?.modelIdentifier
        manager.inOrder { _ in
            guard let data else {
                manager.consistencyManager.listen(key, to: nil, generation: generation)
                return
            }
            manager.consistencyManager.post(
                Leaf.node(data), by: key, generation: generation, context: context, at: time)
            if updateCache { manager.store(data, context) }
        }
        broadcast.send(DataChange(data: self.data, origin: .own, context: context))
    }

    /// The changes of ``data`` from this call on, including the provider's own.
    ///
    /// The stream does not retain the provider, and ends with it.
    public func changes() -> AsyncStream<DataChange<T>> { broadcast.stream() }

    /// The data, if they are as new as the manager has told; a view whose code comes to read this does not follow it.
    var newestShown: T? { pause.isPaused ? nil : confirmedData }

    /// The data without the layers over them.
    var confirmedData: T? { dataModelManager.layers == nil ? held.data : held.base }

    /// Sets the data that the owner gave: news of the former data are ignored from now on.
    private func begin(_ data: T?, at time: Date, endsRequest: Bool = true) {
        generation += 1
        pause.missed = nil
        held.forgetOrigin()
        accept(data, at: time)
        updateState { request in
            request.unsaved = nil
            if endsRequest { request.end(data == nil ? .idle : .fresh) } else { request.note(.fresh) }
        }
    }

    /// Takes an answer of the network that was applied, and listens to it.
    func take(_ value: T, _ answer: TakenAnswer, askedAt: Date, cacheKey: String?, context: (any Sendable)?) {
        let manager = dataModelManager
        let time = manager.now()
        generation += 1
        pause.missed = nil
        held.isBorrowed = false
        accept(value, at: time)
        held.confirmed = answer.lost.isEmpty ? (askedAt, cacheKey) : nil
        manager.inOrder { _ in
            manager.consistencyManager.join(answer.turn, key, generation: generation, model: Leaf.node(value))
        }
        broadcast.send(DataChange(data: data, origin: .own, context: context))
    }

    /// Waits for the model that a cache key names, and that neither memory nor the cache has yet.
    func wait(for key: ModelIdentifier, missing: ModelIdentifier) {
        guard data == nil, names.awaited == nil || names.awaited == key else { return }
        let manager = dataModelManager
        names.interest = key
        // News of the model that was awaited before are ignored.
        generation += 1
        let generation = generation
        manager.inOrder { _ in
            manager.consistencyManager.listen(self.key, toIdentifier: key, generation: generation)
        }
        guard manager.followed != nil else { return }
        // A model that came in the meantime is read now.
        if manager.stale.withLock({ $0.wait(.model(key), for: missing) }) { manager.markStale([.model(key)]) }
    }

    /// Ends the wait for a model that was asked for before, unless its key is `key`.
    func endInterest(but key: ModelIdentifier?) {
        guard names.endInterest(but: key) else { return }
        generation += 1
        let (manager, generation) = (dataModelManager, generation)
        manager.inOrder { _ in manager.consistencyManager.listen(self.key, to: nil, generation: generation) }
    }

    func accept(_ data: T?, at time: Date) {
        if let layers = dataModelManager.layers {
            held.base = data
            if !layers.isEmpty, let node = data.map({ Leaf.node($0) }) { layers.learn(node, of: node.modelIdentifier) }
            self.data = layered(data, by: layers)
        } else {
            self.data = data
        }
        if data != nil { names.interest = nil }
        let identifier = data?.modelIdentifier
        if let identifier { names.awaited = identifier }
        dataModelManager.screens.note(self, shows: identifier, insteadOf: names.shown)
        names.shown = identifier
        lastUpdated = time
    }

    func updateState(_ body: (inout RequestState) -> Void) {
        body(&request)
        if !state.isSame(as: request.shown) { state = request.shown }
    }

    /// Shows another provider's version of `identifier` until the cache has answered; the engine says whether it is the
    /// newest.
    func borrow(_ value: T, _ identifier: ModelIdentifier, context: (any Sendable)?) {
        begin(value, at: dataModelManager.now())
        wish.next()
        held.isBorrowed = true
        updateState { $0.note(.cached) }
        let manager = dataModelManager
        manager.inOrder { _ in
            manager.consistencyManager.listen(key, toIdentifier: identifier, generation: generation)
        }
        broadcast.send(DataChange(data: data, origin: .own, context: context))
    }

    /// Drops the model that was borrowed, if the data are still that.
    func giveBack(context: (any Sendable)?) {
        guard held.isBorrowed else { return }
        held.isBorrowed = false
        accept(nil, at: dataModelManager.now())
        broadcast.send(DataChange(data: nil, origin: .own, context: context))
    }
}

extension DataProvider: DeliveryReceiver {
    package func receive(_ delivery: Delivery) {
        dataModelManager.begin(delivery.context)
        guard delivery.generation == generation, case .tree(let model) = delivery.content else { return }
        let value = model.flatMap { Leaf.base($0) as? T }
        if model != nil, value == nil {
            dataModelManager.misuse("Two types that cannot be merged share an identifier.")
            return
        }
        if held.isBorrowed {
            held.isBorrowed = false
            if let value, let data = confirmedData, value.isEqual(to: data) { return }
        }
        if isPaused {
            pause.missed = (value, delivery.context, delivery.time)
        } else {
            change(to: value, context: delivery.context, at: delivery.time)
        }
    }

    package func finishUpdate(context: (any Sendable)?) { batchListener?.finishUpdate(context: context) }

    private func change(to value: T?, context: (any Sendable)?, at time: Date) {
        let identifier = modelIdentifier
        let former = lastUpdated
        let shown = data
        if value == nil, let layers = dataModelManager.layers { layers.learn(nil, of: identifier) }
        accept(value, at: time)
        held.confirmed = nil
        if dataModelManager.layers != nil, let shown, let data, shown.isEqual(to: data) {
            // The confirmed model was shown already.
            lastUpdated = former
            return
        }
        updateState { request in
            if value != nil { return request.noteData() }
            if let identifier { request.note(.missing(CacheMiss(.deleted, identifier))) }
        }
        // It is shown if it is written again, unless something else is asked for.
        if value == nil { names.interest = identifier }
        batchListener?.note(self, context)
        delegate?.dataProviderHasUpdatedData(self, context: context)
        broadcast.send(DataChange(data: data, origin: .other, context: context))
    }

    /// Tells of a change by the layers over the data.
    func tellLayered(_ context: (any Sendable)?) {
        batchListener?.note(self, context)
        delegate?.dataProviderHasUpdatedData(self, context: context)
        broadcast.send(DataChange(data: data, origin: .other, context: context))
        batchListener?.finishUpdate(context: context)
    }

    /// Pauses or resumes.
    public func setPaused(_ isPaused: Bool) {
        guard isPaused != self.isPaused else { return }
        withMutation(keyPath: \.isPaused) { pause.isPaused = isPaused }
        guard !isPaused, let missed = pause.missed else {
            if !isPaused, dataModelManager.layers != nil { showLayers(context: nil) }
            return
        }
        pause.missed = nil
        defer { if dataModelManager.layers != nil { showLayers(context: missed.context) } }
        switch (confirmedData, missed.data) {
        case (nil, nil): return
        case (let old?, let new?) where old.isEqual(to: new): return
        default: change(to: missed.data, context: missed.context, at: missed.time)
        }
    }
}

extension DataProvider: ConsistencyManagerListener {
    /// The data as a tree; `nil` if there are none.
    public func currentModel() -> (any ConsistencyManagerModel)? { data.map { Leaf.node($0) } }

    /// Takes a newer version of the data, as a change by others.
    public func modelUpdated(
        _ model: (any ConsistencyManagerModel)?, updates: ModelUpdates, context: (any Sendable)?
    ) {
        change(to: model.flatMap { Leaf.base($0) as? T }, context: context, at: dataModelManager.now())
    }
}

extension DataProvider: WipeableProvider {
    func note(missing misses: [ModelIdentifier: CacheMiss], whole: Set<ModelIdentifier>, readAt time: Date) {
        let held = data.map { Leaf.node($0) }
        if case .missing = state, held?.holds(oneOf: whole) == true { updateState { $0.noteData() } }
        // Data that were set since are newer.
        guard lastUpdated.map({ $0 <= time }) ?? true else { return }
        let awaited = data == nil ? modelIdentifier.flatMap { misses[$0] } : nil
        if let miss = held.flatMap(misses.first) ?? awaited { updateState { $0.note(.missing(miss)) } }
    }

    func clearForWipe(at time: Date) {
        let hadData = data != nil
        begin(nil, at: time)
        wish.next()
        names.awaited = nil
        dataModelManager.consistencyManager.listen(key, to: nil, generation: generation)
        guard hadData else { return }
        batchListener?.note(self, nil)
        delegate?.dataProviderHasUpdatedData(self, context: nil)
        broadcast.send(DataChange(data: nil, origin: .other, context: nil))
    }
}

extension DataProvider: ModelHolder {
    func note(unsaved error: CacheError?) { updateState { $0.unsaved = error } }
}
