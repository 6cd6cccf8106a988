public import GroveCache
public import GroveCoding
public import GroveModel
import Synchronization

/// A cache on this machine for models of a database that many machines share.
///
/// **The invariant: every local record is as the database had it at commit *applied*.** *Applied* is a position that is
/// stored in the local store, beside the records: the last commit that was applied, and the identity of its feed. It
/// follows:
///
/// - A tree that is read here is of one moment of the database, as all its records are of the same commit.
/// - To apply commits, one local transaction evicts the records that they changed and writes the new position. If the
///   process is killed before or after, the invariant holds for the store that is left.
/// - A fetched tree is stored only if its snapshot is of *applied*, or advances *applied* with it. If the snapshot is
///   older, the tree is stored only if none of its identifiers was changed since. Otherwise the tree is returned and
///   not stored. So a late answer never replaces a newer value.
/// - A store without a position has no record that may be read.
/// - A process never returns a value older than one that it has returned. If the database answers with a moment older
///   than *applied* was when the database was asked, the answer is refused: `behind`.
///
/// The cache must be the only writer of its store's directory. Several processes of a machine may share the directory,
/// each with a `NearCache` of its own over it.
///
/// ```swift
/// let near = NearCache(store: try SQLiteCache(directory: directory), far: tier)
/// let listener = Task { await near.run() }
/// let message = try await near.model("Message:34", as: Message.self)
/// let number = try await near.write([.put(edited)])
/// let own = try await near.model("Message:34", as: Message.self, .atLeast(number))
/// ```
public final class NearCache<Store: NodeStore>: Sendable {
    package let store: NormalizedCache<Store>
    package let far: any FarTier
    /// How long reads are ``Freshness/near`` after the last answer of the database, by this process's monotonic clock.
    public let patience: Duration
    /// The longest time that one call of the database may take.
    public let timeLimit: Duration
    let now: @Sendable () -> Duration
    let memory = Mutex(FeedMemory())
    let requests = Mutex<[ModelIdentifier: OpenRequest]>([:])

    /// Makes a cache over `store` and `far`.
    ///
    /// - Parameters:
    ///   - store: the local cache. Nothing else may write to it. Its budget is the near cache's.
    ///   - far: the database.
    ///   - patience: how long reads are served after the last answer of the database. One second by default.
    ///   - timeLimit: the longest time that a call of the database may take. Five seconds by default.
    public convenience init(
        store: NormalizedCache<Store>, far: any FarTier, patience: Duration = .seconds(1),
        timeLimit: Duration = .seconds(5)
    ) {
        let start = ContinuousClock.now
        self.init(store: store, far: far, patience: patience, timeLimit: timeLimit) { start.duration(to: .now) }
    }

    /// The same with a clock of the caller's, which must never go back.
    package init(
        store: NormalizedCache<Store>, far: any FarTier, patience: Duration, timeLimit: Duration,
        now: @escaping @Sendable () -> Duration
    ) {
        self.store = store
        self.far = far
        self.patience = patience
        self.timeLimit = timeLimit
        self.now = now
    }

    /// The model of `identifier` with its tree, as fresh as asked for; `nil` if the database does not have it.
    ///
    /// A hit is a local read. A miss is one request; callers that miss the same identifier at once share it. A caller
    /// that is cancelled still waits for the shared request, at most ``timeLimit``.
    ///
    /// - Parameter freshness: by default within ``patience`` of the last answer of the database.
    /// - Throws: ``SharedError`` with code `notHeard` if the database cannot be asked and its last answer is too old;
    ///   `behind`; `otherType`; `store`. On a miss, and for `atLeast` and `fresh`, also `unreachable`, `refused` or
    ///   `timedOut`.
    public func model<M: CacheableModel>(
        _ identifier: ModelIdentifier, as type: M.Type = M.self, _ freshness: Freshness = .near
    ) async throws(SharedError) -> M? {
        let least = try await prepare(freshness)
        switch try local(identifier, type, least) {
        case .model(let model): return model
        case .absent: return nil
        case .missing: break
        }
        guard let model = try await fetch(identifier, least) else { return nil }
        guard let model = model as? M else {
            throw SharedError(
                .otherType, "\(identifier.rawValue) is a \(Swift.type(of: model)) in the database, and no \(M.self).")
        }
        return model
    }

    /// Writes `changes` to the database in one commit, and returns its number for ``Freshness/atLeast(_:)``.
    ///
    /// The local store is not written: the feed brings the change to this machine as it does to the others.
    ///
    /// - Throws: ``SharedError`` as ``FarTier/write(_:)``. A write that takes longer than ``timeLimit`` throws
    ///   `outcomeUnknown`, without a ticket.
    public func write(_ changes: [FarChange]) async throws(SharedError) -> FeedNumber {
        try await limited(.outcomeUnknown) { [far] () async throws(SharedError) in try await far.write(changes) }
    }

    /// The last position that was applied to the local store; `nil` if there is none yet.
    public func applied() throws(SharedError) -> FeedPosition? {
        do {
            return try NearState.read(store)
        } catch {
            throw .store(error)
        }
    }

    // MARK: Reading near

    /// The least position that a read may be of; asks the database if its last answer is too old.
    private func prepare(_ freshness: Freshness) async throws(SharedError) -> FeedPosition? {
        switch freshness {
        case .near: try await hear(within: patience)
        case .stale(let bound): try await hear(within: bound)
        case .atLeast(let number):
            if let floor = memory.withLock(\.floor), floor.number >= number, try applied() == floor { return floor }
            let position = try await listen().position
            guard position.number >= number else {
                throw SharedError(.behind, "The database is at commit \(position.number), and \(number) was asked for.")
            }
            return position
        case .fresh: return try await listen().position
        }
        return memory.withLock(\.floor)
    }

    private func hear(within bound: Duration) async throws(SharedError) {
        if let heard = memory.withLock(\.heard), now() - heard <= bound { return }
        do throws(SharedError) {
            _ = try await listen()
        } catch  where error.code == .unreachable || error.code == .timedOut || error.code == .refused {
            throw SharedError(.notHeard, "Nothing was heard of the database for longer than \(bound): \(error)")
        }
    }

    enum LocalRead<M> {
        case model(M)
        case absent
        case missing
    }

    /// Reads the local store, in one view with the position.
    private func local<M: CacheableModel>(
        _ identifier: ModelIdentifier, _ type: M.Type, _ least: FeedPosition?
    ) throws(SharedError) -> LocalRead<M> {
        do {
            return try store.read { view in
                guard let state = try NearState.read(view), state.isAtLeast(least) else {
                    return .missing
                }
                let read = try view.read(identifier, as: type)
                memory.withLock { $0.saw(state) }
                switch read {
                case .hit(let model): return .model(model)
                case .miss(let miss):
                    return miss.reason == .deleted && miss.identifier == identifier ? .absent : .missing
                }
            }
        } catch {
            // A damaged record is fetched again, and the answer replaces it.
            if (error as? CacheError)?.code == .corrupted { return .missing }
            throw .store(error)
        }
    }
}

extension FeedPosition {
    /// Whether it is of the same feed as `least`, and not before it.
    func isAtLeast(_ least: FeedPosition?) -> Bool {
        least.map { $0.feed == feed && $0.number <= number } ?? true
    }
}
