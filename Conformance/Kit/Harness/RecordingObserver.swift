import Dispatch
package import GroveCache
package import GroveModel
import Synchronization

/// An observer that keeps all events, for a rule to read.
package final class RecordingObserver: CacheObserver {
    private struct State {
        var misses: [CacheMiss] = []
        var readFailures: [CacheError] = []
        var writeFailures: [CacheError] = []
        var commits: [ChangeSet] = []
        var rebuilds: [CacheError] = []
    }

    private let state = Mutex(State())
    private let events = DispatchSemaphore(value: 0)

    package init() {}

    package var misses: [CacheMiss] { state.withLock { $0.misses } }
    package var writeFailures: [CacheError] { state.withLock { $0.writeFailures } }
    package var commits: [ChangeSet] { state.withLock { $0.commits } }
    package var rebuilds: [CacheError] { state.withLock { $0.rebuilds } }

    package func cacheDidMiss(_ miss: CacheMiss) { record { $0.misses.append(miss) } }
    package func cacheDidFailToRead(_ error: CacheError) { record { $0.readFailures.append(error) } }
    package func cacheDidFailToWrite(_ error: CacheError) { record { $0.writeFailures.append(error) } }
    package func cacheDidCommit(_ changes: ChangeSet) { record { $0.commits.append(changes) } }
    package func cacheDidRebuild(after error: CacheError) { record { $0.rebuilds.append(error) } }

    private func record(_ change: (inout State) -> Void) {
        state.withLock { change(&$0) }
        events.signal()
    }

    /// Waits until `condition` holds; events make it look again.
    ///
    /// - Returns: whether it came to hold within ten seconds.
    package func wait(until condition: (RecordingObserver) -> Bool) -> Bool {
        let deadline = DispatchTime.now() + 10
        while !condition(self) {
            guard events.wait(timeout: deadline) == .success else { return condition(self) }
        }
        return true
    }
}
