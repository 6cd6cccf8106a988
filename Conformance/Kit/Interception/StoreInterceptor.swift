package import GroveCache
package import GroveModel
import Synchronization

/// A layer between a cache and its store that counts calls, and fails or delays them if a rule asks for it.
package final class StoreInterceptor: Sendable {
    /// The numbers of calls of the store.
    package struct Counts: Sendable, Equatable {
        /// Values looked up, in views and transactions.
        package var gets = 0
        /// Values stored.
        package var puts = 0
        /// Keys removed.
        package var removes = 0
        /// Transactions committed.
        package var commits = 0
    }

    private struct State {
        var counts = Counts()
        var writeFailure: CacheError?
        var readFailure: CacheError?
        var stores: [any NodeStore] = []
        var afterCommit: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// The gate that every transaction passes before it begins.
    package let gate = CommitGate()

    init() {}

    /// The numbers of calls of the store so far.
    package var counts: Counts { state.withLock { $0.counts } }

    /// Makes every transaction abort with `error` at its end; `nil` lets transactions commit again.
    package func failWrites(with error: CacheError?) { state.withLock { $0.writeFailure = error } }

    /// Makes every look-up in a view fail with `error`; `nil` lets look-ups succeed again.
    package func failReads(with error: CacheError?) { state.withLock { $0.readFailure = error } }

    /// Calls `body` after each commit of the engine, before the cache is told of the commit; `nil` ends that.
    package func afterCommits(_ body: (@Sendable () -> Void)?) { state.withLock { $0.afterCommit = body } }

    /// The store of the cache that was opened last.
    ///
    /// A rule may write to it only while the cache is idle.
    package func store() throws -> any NodeStore {
        guard let store = state.withLock({ $0.stores.last }) else {
            throw CheckFailure("The rule looks at a store that no cache has opened.")
        }
        return store
    }

    func attach(_ store: any NodeStore) { state.withLock { $0.stores.append(store) } }

    func detach(_ store: any NodeStore) { state.withLock { $0.stores.removeAll { $0 === store } } }

    func count(_ change: (inout Counts) -> Void) { state.withLock { change(&$0.counts) } }

    func committed() {
        count { $0.commits += 1 }
        state.withLock { $0.afterCommit }?()
    }

    var writeFailure: CacheError? { state.withLock { $0.writeFailure } }

    var readFailure: CacheError? { state.withLock { $0.readFailure } }

    /// Ends every failure and opens the gate, so that waiting transactions can finish.
    func release() {
        state.withLock { state in
            state.writeFailure = nil
            state.readFailure = nil
            state.afterCommit = nil
        }
        gate.open()
    }
}
