import Dispatch
import GroveModel
import Synchronization

/// What a completion was called with, and how often, for the thread that waits for it.
final class Answer<Value: Sendable>: Sendable {
    private struct State {
        var outcome: Result<Value, any Error>?
        var calls = 0
    }

    private let state = Mutex(State())
    private let arrived = DispatchSemaphore(value: 0)

    /// How often the completion was called until now.
    var calls: Int { state.withLock { $0.calls } }

    func take(_ value: Value, _ error: (any Error)?) {
        let isFirst = state.withLock { state in
            state.calls += 1
            guard state.outcome == nil else { return false }
            state.outcome = error.map { .failure($0) } ?? .success(value)
            return true
        }
        if isFirst { arrived.signal() }
    }

    /// Waits for the first call, for as many seconds.
    ///
    /// - Throws: the error of the call; ``CheckFailure`` where none came in time.
    func wait(seconds: Int = 20) throws -> Value {
        guard arrived.wait(timeout: .now() + .seconds(seconds)) == .success else {
            throw CheckFailure("a completion: expected exactly one call, got none within \(seconds) seconds.")
        }
        arrived.signal()
        guard let outcome = state.withLock({ $0.outcome }) else { throw CheckFailure("a completion was lost.") }
        return try outcome.get()
    }
}
