import GroveCache
import GroveModel

/// The writes of an outbox to its store, one after the other, and what it has seen of the writes of other processes.
@MainActor
final class OutboxWrites {
    let store: OutboxStore
    /// The last write of the chain.
    private(set) var last: Task<Void, Never>?
    /// The number of wipes: a write that began before a wipe is not stored after it.
    private let lives = Lock(0)
    /// The counter of the store as this outbox last saw it: if the store has another, another process has written.
    let seen = Lock(OutboxCounter.unknown)
    /// The highest number of a mutation that was found: later mutations get higher ones, even if a damaged store has
    /// lost the count.
    var lastFound = 0
    /// The keys of mutations that are done or were taken back, and may still be in the store.
    var ended: Set<String> = []

    init(_ store: OutboxStore) { self.store = store }

    var life: Int { lives.withLock { $0 } }

    /// Writes behind everything that was written before.
    ///
    /// - Parameter models: writes models in an earlier transaction of another store; not called if the models have no
    ///   store apart.
    func append(
        models: OutboxStore.Body? = nil, _ body: @escaping OutboxStore.Body
    ) -> Task<Void, any Error> {
        let (before, store, lives, life, seen) = (last, store, lives, life, seen)
        let task = Task { [before] in
            await before?.value
            // A write from before a wipe is not stored after it.
            let check: @Sendable () throws -> Void = {
                guard lives.withLock({ $0 == life }) else {
                    throw CacheError(.cancelled, "Everything was wiped since the call.")
                }
            }
            do {
                if let models, case .apart(let writeModels) = store.models {
                    try await writeModels { tx in
                        try check()
                        try models(tx)
                    }
                }
                try await store.write { tx in
                    try check()
                    try body(tx)
                }
            } catch {
                seen.withLock { $0 = .unknown }
                throw error
            }
        }
        last = Task { _ = try? await task.value }
        return task
    }

    /// Returns when no write of this outbox is under way.
    func settle() async {
        var settled: Task<Void, Never>?
        repeat {
            settled = last
            await settled?.value
        } while settled != last
    }

    /// Whether another process has written since this one looked.
    func isBehind() throws(CacheError) -> Bool {
        let stored = OutboxCounter(try store.kept(OutboxCounter.name))
        return seen.withLock { $0 != stored }
    }

    /// Drops the writes that have not begun, as everything was wiped.
    func noteWipe() {
        lives.withLock { $0 += 1 }
        seen.withLock { $0 = OutboxCounter(nil) }
        lastFound = 0
    }
}
