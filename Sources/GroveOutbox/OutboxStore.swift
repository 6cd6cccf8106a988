import GroveCache
import GroveModel

/// The cache as an outbox uses it, and the cache that keeps the pending mutations, if that is another one.
struct OutboxStore: Sendable {
    typealias Body = @Sendable (borrowing CacheTransaction) throws -> Void

    /// The way in which the models of a confirmation are stored.
    enum Models: Sendable {
        /// In the transaction that removes the record.
        case together
        /// In another transaction, of another cache.
        case apart(@Sendable (@escaping Body) async throws -> Void)
        /// By the manager, in a cache of which the outbox knows nothing.
        case byManager
    }

    let all: @Sendable () throws(CacheError) -> [(name: String, bytes: [UInt8]?)]
    let kept: @Sendable (String) throws(CacheError) -> [UInt8]?
    let write: @Sendable (@escaping Body) async throws -> Void
    let place: @Sendable () -> Place
    /// Returns when followers were told of every commit that was made before.
    let told: @Sendable () async -> Void
    /// Calls its argument after each commit of which followers are told, until the handle that it returns is released.
    let follow: @Sendable (@escaping @Sendable () -> Void) -> any FollowedCache
    let models: Models
    /// Empties the cache that keeps the pending mutations, if a wipe of the other cache does not.
    let wipeKept: (@Sendable () throws(CacheError) -> Void)?

    init<Store: NodeStore>(_ cache: NormalizedCache<Store>) {
        self.init(cache, cache, .together, wipeKept: nil)
    }

    /// - Parameter keeper: keeps the pending mutations.
    init<Store: NodeStore, Keeper: NodeStore>(
        _ cache: NormalizedCache<Store>, keptIn keeper: NormalizedCache<Keeper>
    ) {
        let write: @Sendable (@escaping Body) async throws -> Void = { body in
            try await cache.write(durability: .standard) { tx in try body(tx) }
        }
        self.init(cache, keeper, .apart(write)) { () throws(CacheError) in try keeper.wipe() }
    }

    /// Keeps the pending mutations, beside a cache that the manager alone knows.
    init<Keeper: NodeStore>(keptIn keeper: NormalizedCache<Keeper>) {
        self.init(keeper, keeper, .byManager) { () throws(CacheError) in try keeper.wipe() }
    }

    private init<Store: NodeStore, Keeper: NodeStore>(
        _ cache: NormalizedCache<Store>, _ keeper: NormalizedCache<Keeper>, _ models: Models,
        wipeKept: (@Sendable () throws(CacheError) -> Void)?
    ) {
        all = { () throws(CacheError) in try keeper.allKept() }
        kept = { (name) throws(CacheError) in try keeper.kept(name) }
        write = { body in try await keeper.write(durability: .standard) { tx in try body(tx) } }
        place = { cache.place() }
        told = { await cache.followersTold() }
        follow = { body in keeper.followed { _ in body() } }
        (self.models, self.wipeKept) = (models, wipeKept)
    }

    /// Whether the manager's cache has the models.
    var isByManager: Bool { if case .byManager = models { true } else { false } }
}

extension OutboxStore {
    /// Counts the changes of a transaction.
    ///
    /// - Parameter seen: the count that this process knows; it stays behind if another process was at work.
    /// - Returns: the new count.
    @discardableResult
    static func count(
        _ tx: borrowing CacheTransaction, _ seen: Lock<OutboxCounter>, _ change: (inout OutboxCounter) -> Void
    ) throws -> OutboxCounter {
        let stored = OutboxCounter(try tx.kept(OutboxCounter.name))
        var counter = stored
        change(&counter)
        try tx.keep(counter.encoded(), as: OutboxCounter.name)
        seen.withLock { if $0 == stored { $0 = counter } }
        return counter
    }

    /// Removes those of the records `names` that are there.
    static func end(_ names: [String], _ tx: borrowing CacheTransaction, _ seen: Lock<OutboxCounter>) throws {
        for name in names where try tx.kept(name) != nil {
            try tx.keep(nil, as: name)
            try count(tx, seen) { $0.changes += 1 }
        }
    }

    /// Gives the lease back, if `owner` has it.
    static func release(_ tx: borrowing CacheTransaction, _ owner: String) throws {
        guard let bytes = try tx.kept(OutboxLease.name), let lease = try? OutboxLease(bytes), lease.owner == owner
        else { return }
        try tx.keep(nil, as: OutboxLease.name)
    }

    /// Changes the record that is kept, if there is one.
    static func update(
        _ record: OutboxRecord, _ tx: borrowing CacheTransaction, _ seen: Lock<OutboxCounter>,
        _ change: (inout OutboxRecord) -> Void
    ) throws {
        guard let bytes = try tx.kept(record.name) else { return }
        var stored = try OutboxRecord(bytes)
        change(&stored)
        try tx.keep(stored.encoded(), as: record.name)
        try count(tx, seen) { $0.changes += 1 }
    }
}
