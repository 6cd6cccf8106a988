public import GroveCache
public import GroveModel
import GroveProviders
public import Observation

/// A queue of the user's changes that the server has yet to confirm: they are shown at once, kept on disk, and sent in
/// order.
///
/// ```swift
/// let outbox = try Outbox(cache, api, for: [Like.self, SendMessage.self])
/// let manager = DataModelManager(cache, outbox: outbox)
/// outbox.submit(Like(post: 34))
/// ```
///
/// **Screens show the confirmed models with the pending changes applied.** The cache holds only the confirmed models:
/// typed reads of it see no pending change. See Docs/Guides/PendingChanges.md.
///
/// **Threads.** An outbox belongs to the main actor, on which mutations are applied; they are sent by tasks of their
/// own. **At least once.** A mutation may be sent more than once, after a failure or a relaunch, always with the same
/// key.
@MainActor
@Observable
public final class Outbox<API: Sendable> {
    /// The pending mutations, in order of submission; observed.
    public internal(set) var pending: [PendingMutation] = []

    /// Called for each problem with a mutation; the mutation's state in ``pending`` says how to go on.
    @ObservationIgnored public var onProblem: (@MainActor (PendingMutation, OutboxProblem) -> Void)?
    /// The number of mutations that were pending at the last wipe and were removed by it, refused and unfinished ones
    /// included.
    @ObservationIgnored public internal(set) var unsentAtWipe = 0

    @ObservationIgnored let api: API
    @ObservationIgnored let options: OutboxOptions
    @ObservationIgnored let types: [String: any Mutation<API>.Type]
    @ObservationIgnored let layers: PendingLayers
    @ObservationIgnored let writes: OutboxWrites
    @ObservationIgnored let lanes = Lanes()
    @ObservationIgnored var holder: LeaseHolder
    @ObservationIgnored let lookout = Lookout()

    /// Opens the outbox of `cache`, with the mutations that it has kept.
    ///
    /// Reads the pending mutations on the calling thread. Nothing is sent until a manager is made with the outbox, or
    /// ``resume()`` is called.
    ///
    /// - Parameters:
    ///   - api: the client that is passed to ``Mutation/send(_:_:)``.
    ///   - types: all types of mutations that may be kept. A mutation of another type stays in the store, and is
    ///     reported to ``onProblem``.
    /// - Complexity: O(*n*) for *n* pending mutations.
    /// - Throws: ``CacheError`` as a read of the cache does.
    public convenience init<Store: NodeStore>(
        _ cache: NormalizedCache<Store>, _ api: API, for types: [any Mutation<API>.Type],
        options: OutboxOptions = OutboxOptions()
    ) throws(CacheError) {
        try self.init(OutboxStore(cache), api, types, options)
    }

    /// Opens the outbox of `cache`, a cache in memory, with the mutations that `keeper`, a cache on disk, has kept.
    ///
    /// ```swift
    /// let keeper = try LMDBCache(directory: directory)
    /// let outbox = try Outbox(try MemoryCache(), api, for: [Like.self, SendMessage.self], keptIn: keeper)
    /// ```
    ///
    /// Pending mutations survive a relaunch; confirmed models last as long as `cache` does. Put nothing else into
    /// `keeper`: ``GroveProviders/DataModelManager/wipe()`` empties it, on the main thread. A wipe of `cache` alone
    /// does not.
    ///
    /// When a mutation is confirmed, its models are stored before its record is removed, in another transaction. If the
    /// process is killed in between, the mutation is sent again, with the same key.
    ///
    /// - Parameters:
    ///   - api: the client that is passed to ``Mutation/send(_:_:)``.
    ///   - types: all types of mutations that may be kept. A mutation of another type stays in `keeper`, and is
    ///     reported to ``onProblem``.
    /// - Throws: ``CacheError`` as a read of `keeper` does.
    public convenience init<Store: NodeStore, Keeper: NodeStore>(
        _ cache: NormalizedCache<Store>, _ api: API, for types: [any Mutation<API>.Type],
        keptIn keeper: NormalizedCache<Keeper>, options: OutboxOptions = OutboxOptions()
    ) throws(CacheError) {
        try self.init(OutboxStore(cache, keptIn: keeper), api, types, options)
    }

    /// Opens an outbox for a manager over a cache of your own, which is only a `CacheDelegate`.
    ///
    /// ```swift
    /// let outbox = try Outbox(api, for: [Like.self, SendMessage.self], keptIn: keeper)
    /// let manager = DataModelManager(cacheDelegate: cache, outbox: outbox)
    /// ```
    ///
    /// `keeper` keeps the pending mutations: it is a cache on disk with nothing else in it. A `MemoryCache` keeps them
    /// only until the process ends.
    ///
    /// The manager stores the confirmed models by calls of its cache; then the mutation's record is removed. A delegate
    /// does not say when a model is on disk, so a kill may lose models that were confirmed just before. A list that no
    /// screen shows is read, changed and stored whole. If the draft's call does not name the type of the list's
    /// elements, the stored list is not changed, and ``onProblem`` is called.
    ///
    /// Nothing is sent without the manager.
    ///
    /// - Parameters:
    ///   - api: the client that is passed to ``Mutation/send(_:_:)``.
    ///   - types: all types of mutations that may be kept. A mutation of another type stays in `keeper`, and is
    ///     reported to ``onProblem``.
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
        (self.api, self.options, writes) = (api, options, OutboxWrites(store))
        holder = LeaseHolder(name: options.makeKey())
        self.types = Dictionary(types.map { ($0.mutationName, $0) }, uniquingKeysWith: { first, _ in first })
        layers = PendingLayers(store, checksTwice: options.checksTwice)
        layers.delegate = self
        try load(isSettled: true)
        lookout.following = store.follow { [weak self] in Task { @MainActor in self?.look() } }
    }

    // MARK: Submitting

    /// Shows `mutation` on every screen, in this turn, and sends it after earlier mutations of its lane.
    ///
    /// The mutation is on disk with the next commit. A kill before that loses it: await ``submit(_:delay:)-(_,_)`` if
    /// it must not be lost. If it cannot be stored, its changes are no longer shown, its state is `refused`, and
    /// ``onProblem`` is called.
    ///
    /// - Parameter delay: the number of seconds before the mutation is sent, in which ``discard(_:)`` can take it back.
    ///   A relaunch ends the delay. Another process that sends does not know of it.
    /// - Complexity: one call of `apply`, and one pass over the shown models.
    @discardableResult
    public func submit<M: Mutation<API>>(_ mutation: M, delay: Double = 0) -> PendingMutation {
        let item = begin(mutation, delay)
        watch(item)
        return item
    }

    /// Shows and sends `mutation` as the synchronous form does, and returns when it is on disk.
    ///
    /// - Throws: ``CacheError`` if the mutation cannot be stored, for instance with code `full`. Then its changes are
    ///   not shown, and it is not pending.
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
        keep(item)
        pump(record.lane)
        return item
    }

    /// Stores a mutation behind all that are stored; its number is known then.
    private func keep(_ item: PendingMutation) {
        // What cannot be encoded has failed to be stored already.
        guard !item.record.body.isEmpty else { return }
        let (record, number, seen, lastFound) = (item.record, Lock(0), writes.seen, writes.lastFound)
        let writing = writes.append { tx in
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
    }

    /// Says so if a mutation cannot be stored.
    private func watch(_ item: PendingMutation) {
        let storing = item.storing
        Task {
            do {
                try await storing?.value
            } catch {
                self.fail(item, error)
            }
        }
    }

    func makeLayer(_ item: PendingMutation) -> PendingLayers.Layer {
        // The manager has the layers for longer than the application may have the outbox.
        let layer = layers.makeLayer { [weak item] draft in try item?.mutation?.apply(to: &draft) }
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

    /// Removes a mutation that waits to be sent, was refused or cannot be read: its changes are no longer shown.
    ///
    /// If an attempt to send it failed, the server may have the change all the same.
    ///
    /// - Returns: whether it was removed; false if it is being sent or stored, or is done.
    @discardableResult
    public func discard(_ item: PendingMutation) -> Bool {
        guard pending.contains(where: { $0 === item }) else { return false }
        switch item.state {
        case .sending, .confirmed: return false
        case .waiting, .waitingForNetwork, .refused, .unreadable: break
        }
        forget(item)
        let (name, seen) = (item.record.name, writes.seen)
        _ = writes.append { tx in try OutboxStore.end([name], tx, seen) }
        pump(item.record.lane)
        return true
    }

    /// Sends a mutation again that was refused, with the same key, and shows its changes again.
    ///
    /// A mutation that could not be stored is stored first. If it cannot be again, ``onProblem`` is called again.
    ///
    /// A mutation that waits for the network is sent at once.
    public func retry(_ item: PendingMutation) {
        guard pending.contains(where: { $0 === item }), item.mutation != nil else { return }
        switch item.state {
        case .refused:
            item.record.refusal = nil
            let (record, seen) = (item.record, writes.seen)
            if record.number > 0 {
                item.storing = writes.append { tx in try OutboxStore.update(record, tx, seen) { $0.refusal = nil } }
            } else {
                keep(item)
                watch(item)
            }
            item.state = .waiting
            layers.add(makeLayer(item))
            // It goes back to its place in the order of submission, under the layers that need it.
            layers.sort(like: pending.compactMap(\.layer))
        case .waitingForNetwork: item.state = .waiting
        case .waiting, .sending, .unreadable, .confirmed: return
        }
        item.tries = 0
        item.endPause()
        pump(item.record.lane)
    }

    func forget(_ item: PendingMutation) {
        writes.ended.insert(item.id)
        pending.removeAll { $0 === item }
        if let layer = item.layer { layers.remove { $0 === layer } }
        item.layer = nil
        lanes.resumeWaiters()
    }

    func fail(_ item: PendingMutation, _ error: any Error) {
        guard pending.contains(where: { $0 === item }) else { return }
        refuse(item, error)
        onProblem?(item, .unsaved(error))
    }

    /// Stops showing the changes of a mutation, which stays in ``pending``.
    func refuse(_ item: PendingMutation, _ error: any Error) {
        item.state = .refused(error)
        if let layer = item.layer { layers.remove { $0 === layer } }
        item.layer = nil
        lanes.resumeWaiters()
    }
}

extension Outbox: PendingLayersDelegate {
    func tellNotIdempotent(_ number: Int) {
        guard let item = pending.first(where: { $0.layer?.number == number }) else { return }
        onProblem?(item, .notIdempotent)
    }

    func noteWipe() {
        writes.noteWipe()
        unsentAtWipe = pending.count
        let lost = pending
        pending = []
        if let wipeKept = writes.store.wipeKept {
            do throws(CacheError) { try wipeKept() } catch { for item in lost { onProblem?(item, .unsaved(error)) } }
        }
        lanes.cancel()
        lanes.resumeWaiters()
    }
}
