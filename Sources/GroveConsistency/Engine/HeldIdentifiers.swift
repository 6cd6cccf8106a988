package import GroveModel
import Synchronization

/// The identifiers that the engine holds, for a cache that asks on its own thread and must not wait for the engine's
/// queue.
///
/// Nothing is kept before the cache asks: a cache that never evicts costs nothing. The first questions are answered
/// with false, until the engine's next call has filled the set.
package final class HeldIdentifiers: Sendable {
    private let isAsked = Atomic(false)
    /// The identifiers' hash values; if two identifiers have the same one, a record stays longer than it must.
    private let hashes = Lock<Set<Int>>([])

    init() {}

    /// Whether the engine holds a model of `identifier`; from any thread, O(1).
    package func contains(_ identifier: ModelIdentifier) -> Bool {
        // It is loaded before it is stored: each store takes the cache line away from the engine's thread.
        if !isAsked.load(ordering: .relaxed) { isAsked.store(true, ordering: .relaxed) }
        return hashes.withLock { $0.contains(identifier.hashValue) }
    }

    /// Whether a cache has asked.
    var isWanted: Bool { isAsked.load(ordering: .relaxed) }

    func insert(_ identifier: ModelIdentifier) { hashes.withLock { _ = $0.insert(identifier.hashValue) } }

    func remove(_ identifier: ModelIdentifier) { hashes.withLock { _ = $0.remove(identifier.hashValue) } }

    func replace(with identifiers: some Sequence<ModelIdentifier>) {
        let all = Set(identifiers.map(\.hashValue))
        hashes.withLock { $0 = all }
    }
}
