import Dispatch
import GroveCache
import GroveModel
import Synchronization

/// An observer that keeps all events, for a rule to read.
final class RecordingObserver: CacheObserver {
    private struct State {
        var misses: [CacheMiss] = []
        var readFailures: [CacheError] = []
        var writeFailures: [CacheError] = []
        var commits: [ChangeSet] = []
        var rebuilds: [CacheError] = []
    }

    private let state = Mutex(State())
    private let events = DispatchSemaphore(value: 0)

    var misses: [CacheMiss] { state.withLock { $0.misses } }
    var writeFailures: [CacheError] { state.withLock { $0.writeFailures } }
    var commits: [ChangeSet] { state.withLock { $0.commits } }
    var rebuilds: [CacheError] { state.withLock { $0.rebuilds } }

    func cacheDidMiss(_ miss: CacheMiss) { record { $0.misses.append(miss) } }
    func cacheDidFailToRead(_ error: CacheError) { record { $0.readFailures.append(error) } }
    func cacheDidFailToWrite(_ error: CacheError) { record { $0.writeFailures.append(error) } }
    func cacheDidCommit(_ changes: ChangeSet) { record { $0.commits.append(changes) } }
    func cacheDidRebuild(after error: CacheError) { record { $0.rebuilds.append(error) } }

    private func record(_ change: (inout State) -> Void) {
        state.withLock { change(&$0) }
        events.signal()
    }

    /// Waits until `condition` holds; events make it look again.
    ///
    /// - Returns: whether it came to hold within ten seconds.
    func wait(until condition: (RecordingObserver) -> Bool) -> Bool {
        let deadline = DispatchTime.now() + 10
        while !condition(self) {
            guard events.wait(timeout: deadline) == .success else { return condition(self) }
        }
        return true
    }
}
