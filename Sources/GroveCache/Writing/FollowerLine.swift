import Dispatch
import Synchronization

/// The line in which followers call the cache, so that their calls and all other calls keep the order in which they
/// were made.
///
/// A follower's call is made when it joins the line, and reaches the cache a moment later: it is taken apart off the
/// thread that made it. Other writes let the line pass first.
final class FollowerLine: Sendable {
    private let queue = DispatchQueue(label: "grove.cache.followers", qos: .userInitiated)
    private let waiting = Atomic(0)
    private let isHere = DispatchSpecificKey<Bool>()

    init() { queue.setSpecific(key: isHere, value: true) }

    /// Runs `call` in its turn.
    func join(_ call: @escaping @Sendable () -> Void) {
        waiting.add(1, ordering: .releasing)
        queue.async {
            call()
            self.waiting.subtract(1, ordering: .releasing)
        }
    }

    private var mustWait: Bool {
        waiting.load(ordering: .acquiring) > 0 && DispatchQueue.getSpecific(key: isHere) != true
    }

    /// Returns when every call that joined before has reached the cache.
    func pass() {
        if mustWait { queue.sync {} }
    }

    /// The same for a task.
    func pass() async {
        guard mustWait else { return }
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    }
}
