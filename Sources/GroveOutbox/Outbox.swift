public import GroveCache
public import GroveModel
public import GroveProviders
public import Observation

/// What the user did, and the server has yet to confirm: shown at once, kept on disk, sent in order.
///
/// ```swift
/// let outbox = try Outbox(cache, api, for: [Like.self, SendMessage.self])
/// let manager = DataModelManager(cache, outbox: outbox)
/// outbox.submit(Like(post: 34))
/// ```
///
/// **What is shown is what is confirmed, with what is pending over it.** The cache holds only the former: typed reads of it see nothing
/// pending. See Docs/Guides/PendingChanges.md.
///
/// **Threads.** An outbox belongs to the main actor, on which mutations are applied; they are sent by tasks of their own.
/// **At least once.** A mutation may be sent more than once, after a failure or a relaunch, always with its key.
@MainActor
@Observable
public final class Outbox<API: Sendable> {
    /// What is pending, in order of submission; observed.
    public internal(set) var pending: [PendingMutation] = []

    /// Told of what goes wrong; ``pending`` says what can be done about it.
    @ObservationIgnored public var onProblem: (@MainActor (PendingMutation, OutboxProblem) -> Void)?
    /// How many mutations the last wipe has taken that were not sent.
    @ObservationIgnored public internal(set) var unsentAtWipe = 0

    @ObservationIgnored let api: API
    @ObservationIgnored let store: OutboxStore
    @ObservationIgnored let options: OutboxOptions
    @ObservationIgnored let types: [String: any Mutation<API>.Type]
    @ObservationIgnored let layers = PendingLayers()
    @ObservationIgnored weak var manager: DataModelManager?
    /// Tells this outbox from every other of the store.
    @ObservationIgnored let owner: String
    @ObservationIgnored var nextLayer = 0
    /// What is done or was taken back, and may still be in the store.
    @ObservationIgnored var ended: Set<String> = []
    /// The last write of the chain: they are made in order.
    @ObservationIgnored var lastWrite: Task<Void, Never>?
    /// The lanes of which a mutation is under way.
    @ObservationIgnored var sending: [String: Task<Void, Never>] = [:]
    /// What wakes lanes.
    @ObservationIgnored var alarms: [String: (due: Double, task: Task<Void, Never>)] = [:]
    /// Whether a manager has it, or it was told to send.
    @ObservationIgnored var isStarted = false
    @ObservationIgnored var isSuspended = false
    @ObservationIgnored var isClosed = false
    /// Whether this may have the lease though it sends nothing.
    @ObservationIgnored var mayHoldLease = false
    @ObservationIgnored var waiters: [CheckedContinuation<Void, Never>] = []
    /// Counts wipes: what was under way before one is not stored after it.
    @ObservationIgnored let lives = Lock(0)
    var life: Int { lives.withLock { $0 } }
    /// What is known of the store: another count there says that another process was at work.
    @ObservationIgnored let seen = Lock(OutboxCounter.unknown)
    /// The highest number of a mutation that was found: later ones have higher numbers, even if the count was lost with a damaged store.
    @ObservationIgnored var lastFound = 0
    /// Tells of commits of others.
    @ObservationIgnored var following: (any FollowedCache)?
    /// What looks for the work of other processes, and whether it is to look once more.
    @ObservationIgnored var looking: Task<Void, Never>?
    @ObservationIgnored var isLookDue = false

    /// Opens the outbox of `cache`, with what it has kept.
    ///
    /// Reads what is pending, on the calling thread: O(what is pending). Nothing is sent before a manager has it, or ``resume()`` is called.
    ///
    /// - Parameters:
    ///   - api: what mutations are sent with.
    ///   - types: all types of mutations that may be kept. One of another type stays in the store, and is reported.
    /// - Throws: ``CacheError`` as a read of the cache does.
    public convenience init<Store: NodeStore>(
        _ cache: NormalizedCache<Store>, _ api: API, for types: [any Mutation<API>.Type],
        options: OutboxOptions = OutboxOptions()
    ) throws(CacheError) {
        try self.init(OutboxStore(cache), api, types, options)
    }

    /// Opens the outbox of `cache`, a cache in memory, with what `keeper`, a cache on disk, has kept.
    ///
    /// ```swift
    /// let keeper = try LMDBCache(directory: directory)
    /// let outbox = try Outbox(try MemoryCache(), api, for: [Like.self, SendMessage.self], keptIn: keeper)
    /// ```
    ///
    /// What is pending survives a relaunch, and what is confirmed is as lasting as `cache`. Put nothing else into `keeper`:
    /// ``GroveProviders/DataModelManager/wipe()`` empties it, on the main thread. A wipe of `cache` alone does not.
    ///
    /// The models of a confirmation are stored before its record is removed, not in one transaction: a kill in between sends the mutation
    /// again, with its key.
    ///
    /// - Parameters:
    ///   - api: what mutations are sent with.
    ///   - types: all types of mutations that may be kept. One of another type stays in `keeper`, and is reported.
    /// - Throws: ``CacheError`` as a read of `keeper` does.
    public convenience init<Store: NodeStore, Keeper: NodeStore>(
        _ cache: NormalizedCache<Store>, _ api: API, for types: [any Mutation<API>.Type],
        keptIn keeper: NormalizedCache<Keeper>, options: OutboxOptions = OutboxOptions()
    ) throws(CacheError) {
        try self.init(OutboxStore(cache, keptIn: keeper), api, types, options)
    }

    /// Opens the outbox of a manager over a cache of your own, which is only a `CacheDelegate`, with what `keeper` has kept.
    ///
    /// ```swift
    /// let outbox = try Outbox(api, for: [Like.self, SendMessage.self], keptIn: keeper)
    /// let manager = DataModelManager(cacheDelegate: cache, outbox: outbox)
    /// ```
    ///
    /// `keeper` is a cache on disk with nothing else in it. A `MemoryCache` keeps nothing: what is pending ends with the process then.
    ///
    /// The manager stores what is confirmed, in calls of its cache; then the record is removed. A delegate does not say when something is on
    /// disk, so a kill may lose what was confirmed just before it. A list that no screen shows is read, changed and stored whole. If the
    /// draft's call does not name the type of its elements, it stays as it is, and ``onProblem`` is told.
    ///
    /// Nothing is sent without the manager.
    ///
    /// - Parameters:
    ///   - api: what mutations are sent with.
    ///   - types: all types of mutations that may be kept. One of another type stays in `keeper`, and is reported.
    /// - Throws: ``CacheError`` as a read of `keeper` does.
    public convenience init<Keeper: NodeStore>(
        _ api: API, for types: [any Mutation<API>.Type], keptIn keeper: NormalizedCache<Keeper>,
        options: OutboxOptions = OutboxOptions()
    ) throws(CacheError) {
        try self.init(OutboxStore(keptIn: keeper), api, types, options)
    }

    private init(
        _ store: OutboxStore, _ api: API, _ types: [any Mutation<API>.Type], _ options: OutboxOptions
    ) throws(CacheError) {
        (self.api, self.options, self.store) = (api, options, store)
        owner = options.makeKey()
        self.types = Dictionary(types.map { ($0.mutationName, $0) }, uniquingKeysWith: { first, _ in first })
        layers.checksTwice = options.checksTwice
        layers.tellNotIdempotent = { [weak self] number in self?.tellNotIdempotent(number) }
        layers.land = { [weak self] landing in self?.land(landing) }
        layers.wiped = { [weak self] in self?.noteWipe() }
        layers.confirmedNames = { [store] in ConfirmedNames(try? store.kept(ConfirmedNames.name)).replacements }
        layers.rename = { [weak self] name in self?.rename(name).isEmpty == false }
        try load(isSettled: true)
        following = store.follow { [weak self] in Task { @MainActor in self?.look() } }
    }

    // MARK: Submitting

    /// Shows `mutation` on every screen, in this turn, and sends it after what was submitted before in its lane.
    ///
    /// It is on disk with the next commit. A kill before that loses it: await ``submit(_:delay:)-(_,_)`` if it must not be lost. If it
    /// cannot be stored, nothing of it is shown any more, and ``onProblem`` is told.
    ///
    /// - Parameter delay: how many seconds it waits before it is sent, so that ``discard(_:)`` can take it back. A relaunch ends
    ///   the delay, and another process that sends does not know of it.
    /// - Complexity: one call of `apply`, and one pass over what screens show.
    @discardableResult
    public func submit<M: Mutation<API>>(_ mutation: M, delay: Double = 0) -> PendingMutation {
        let item = begin(mutation, delay)
        let storing = item.storing
        Task {
            do {
                try await storing?.value
            } catch {
                self.fail(item, error)
            }
        }
        return item
    }

    /// The same; returns when it is on disk.
    ///
    /// - Throws: ``CacheError`` if it cannot be stored, `full` among others; then nothing of it is shown, and it is not pending.
    @discardableResult
    public func submit<M: Mutation<API>>(_ mutation: M, delay: Double = 0) async throws -> PendingMutation {
        let item = begin(mutation, delay)
        do {
            try await item.storing?.value
        } catch {
            forget(item)
            throw error
        }
        return item
    }

    private func begin<M: Mutation<API>>(_ mutation: M, _ delay: Double) -> PendingMutation {
        let encoded = Result { try encode(mutation) }
        let record = OutboxRecord(
            number: 0, key: options.makeKey(), type: M.mutationName, lane: mutation.lane,
            body: (try? encoded.get()) ?? [])
        let item = PendingMutation(record, mutation)
        if delay > 0 { item.due = options.now() + delay }
        pending.append(item)
        guard case .success = encoded else {
            item.storing = Task { _ = try encoded.get() }
            return item
        }
        let layer = makeLayer(item)
        layers.add(layer)
        let (number, seen, lastFound) = (Lock(0), seen, lastFound)
        let writing = write { tx in
            var record = record
            record.number = try OutboxStore.count(tx, seen) { $0.submitted = max($0.submitted, lastFound) + 1 }
                .submitted
            try tx.keep(record.encoded(), as: record.name)
            number.withLock { $0 = record.number }
        }
        item.storing = Task {
            try await writing.value
            item.record.number = number.withLock { $0 }
        }
        pump(record.lane)
        return item
    }

    func makeLayer(_ item: PendingMutation) -> PendingLayers.Layer {
        nextLayer += 1
        // The manager has the layers for longer than the application may have the outbox.
        let layer = PendingLayers.Layer(nextLayer) { [weak item] draft in try item?.mutation?.apply(to: &draft) }
        layer.tell = { [weak self, weak item] error in
            guard let item else { return }
            let isNew = item.applyError == nil
            item.applyError = error
            if let error, isNew { self?.onProblem?(item, .notApplied(error)) }
        }
        item.layer = layer
        return layer
    }

    // MARK: Taking back

    /// Takes a mutation back that was not sent, or that was refused or cannot be read: nothing of it is shown any more, and it is forgotten.
    ///
    /// - Returns: whether it was taken back; false if it is under way or done.
    @discardableResult
    public func discard(_ item: PendingMutation) -> Bool {
        guard pending.contains(where: { $0 === item }) else { return false }
        switch item.state {
        case .sending, .confirmed: return false
        case .waiting, .waitingForNetwork, .refused, .unreadable: break
        }
        forget(item)
        let (name, seen) = (item.record.name, seen)
        _ = write { tx in try OutboxStore.end([name], tx, seen) }
        pump(item.record.lane)
        return true
    }

    /// Shows a mutation again that was refused, and sends it again, with its key; one that waits for the network is sent at once.
    public func retry(_ item: PendingMutation) {
        guard pending.contains(where: { $0 === item }), item.mutation != nil else { return }
        switch item.state {
        case .refused:
            item.record.refusal = nil
            let (record, seen) = (item.record, seen)
            item.storing = write { tx in try OutboxStore.update(record, tx, seen) { $0.refusal = nil } }
            item.state = .waiting
            layers.add(makeLayer(item))
            // Where it was in the order of submission, so that what stands on it stands on it again.
            layers.sort(like: pending.compactMap(\.layer))
        case .waitingForNetwork: item.state = .waiting
        case .waiting, .sending, .unreadable, .confirmed: return
        }
        item.tries = 0
        item.endPause()
        pump(item.record.lane)
    }

    func forget(_ item: PendingMutation) {
        ended.insert(item.id)
        pending.removeAll { $0 === item }
        if let layer = item.layer { layers.remove { $0 === layer } }
        item.layer = nil
        resumeWaiters()
    }

    func fail(_ item: PendingMutation, _ error: any Error) {
        guard pending.contains(where: { $0 === item }) else { return }
        refuse(item, error)
        onProblem?(item, .unsaved(error))
    }

    /// Shows nothing of a mutation any more, which stays in the list.
    func refuse(_ item: PendingMutation, _ error: any Error) {
        item.state = .refused(error)
        if let layer = item.layer { layers.remove { $0 === layer } }
        item.layer = nil
        resumeWaiters()
    }

    // MARK: The network

    /// Sends what waits for the network at once, and goes on after ``suspend()``: call it when the network is back.
    ///
    /// What another process has submitted meanwhile is shown, and sent, from now on. An outbox that no manager has begins to send.
    public func resume() {
        (isSuspended, isStarted) = (false, true)
        do throws(CacheError) { try load() } catch { /* The store is suspended or closed: what is known goes on. */  }
        for item in pending where item.isUnsent && item.isBackingOff { item.endPause() }
        pumpAll()
        look()
    }

    /// Sends nothing from now on; what is under way goes on, and then another process may send.
    public func suspend() {
        isSuspended = true
        for alarm in alarms.values { alarm.task.cancel() }
        alarms = [:]
        releaseIfStopped()
        resumeWaiters()
    }

    /// Sends nothing any more, and cancels what is under way, which is sent again after a relaunch, or by another process.
    ///
    /// Await ``flush()`` before you close the cache: else another process, or the next launch, waits until the lease of this one expires.
    public func close() {
        isClosed = true
        suspend()
        for task in sending.values { task.cancel() }
    }

    /// Returns when all that is pending is on disk, and was tried.
    ///
    /// Nothing is under way then. What is left waits for the network or for a delay, or was refused.
    public func flush() async {
        while true {
            await lastWrite?.value
            await looking?.value
            if isQuiet { return }
            await withCheckedContinuation { waiters.append($0) }
        }
    }

    /// Returns when everything that was submitted before is stored, or has failed to be.
    package func stored() async { await lastWrite?.value }

    private var isQuiet: Bool {
        guard sending.isEmpty else { return false }
        guard canSend else { return true }
        return !lanes.contains { lane in next(in: lane).map { $0.due <= options.now() } ?? false }
    }

    func resumeWaiters() {
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter.resume() }
    }

    private func tellNotIdempotent(_ number: Int) {
        guard let item = pending.first(where: { $0.layer?.number == number }) else { return }
        onProblem?(item, .notIdempotent)
    }

    private func noteWipe() {
        lives.withLock { $0 += 1 }
        seen.withLock { $0 = OutboxCounter(nil) }
        (unsentAtWipe, lastFound) = (pending.count, 0)
        let lost = pending
        pending = []
        if let wipeKept = store.wipeKept {
            do throws(CacheError) { try wipeKept() } catch { for item in lost { onProblem?(item, .unsaved(error)) } }
        }
        for task in sending.values { task.cancel() }
        resumeWaiters()
    }
}

extension DataModelManager {
    /// Makes a manager over the cache of `outbox`: what is pending is applied before the first provider shows anything.
    ///
    /// An outbox has one manager. Both must be of one cache.
    @MainActor
    public convenience init<Store: NodeStore, API: Sendable>(
        _ cache: NormalizedCache<Store>, outbox: Outbox<API>
    ) {
        precondition(!outbox.store.isByManager, "Open the outbox with the cache: Outbox(cache, …).")
        self.init(cacheDelegate: cache)
        outbox.serve(self)
    }

    /// Makes a manager over a cache of your own, with an outbox that was opened without a cache: `Outbox(api, for:, keptIn:)`.
    ///
    /// - Parameter cacheTimeout: how many seconds a fetch waits for the cache.
    @MainActor
    public convenience init<API: Sendable>(
        cacheDelegate: any CacheDelegate, outbox: Outbox<API>, cacheTimeout: Double = 30
    ) {
        precondition(outbox.store.isByManager, "This outbox is of another cache: make its manager over that.")
        self.init(cacheDelegate: cacheDelegate, cacheTimeout: cacheTimeout)
        outbox.serve(self)
    }
}
