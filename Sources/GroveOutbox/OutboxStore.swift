import GroveCache
import GroveModel

/// The cache as an outbox uses it.
struct OutboxStore: Sendable {
    typealias Body = @Sendable (borrowing CacheTransaction) throws -> Void

    let all: @Sendable () throws(CacheError) -> [(name: String, bytes: [UInt8]?)]
    let write: @Sendable (@escaping Body) async throws -> Void
    let place: @Sendable () -> Place
    /// Returns when followers were told of every commit that was made before.
    let told: @Sendable () async -> Void

    init<Store: NodeStore>(_ cache: NormalizedCache<Store>) {
        all = { () throws(CacheError) in try cache.allKept() }
        write = { body in try await cache.write(durability: .standard) { tx in try body(tx) } }
        place = { cache.place() }
        told = { await cache.followersTold() }
    }
}

extension OutboxStore {
    /// Changes the record that is kept, if it is.
    static func update(
        _ record: OutboxRecord, _ tx: borrowing CacheTransaction, _ change: (inout OutboxRecord) -> Void
    ) throws {
        guard let bytes = try tx.kept(record.name) else { return }
        var stored = try OutboxRecord(bytes)
        change(&stored)
        try tx.keep(stored.encoded(), as: record.name)
    }
}
