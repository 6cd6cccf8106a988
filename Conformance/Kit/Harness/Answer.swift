import Dispatch
import GroveModel
import Synchronization

/// The first value of a completion and the number of its calls, for the thread that waits for it.
final class Answer<Value: Sendable>: Sendable {
    private struct State {
        var outcome: Result<Value, any Error>?
        var calls = 0
    }

    private let state = Mutex(State())
    private let arrived = DispatchSemaphore(value: 0)

    /// The number of calls of the completion so far.
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

    /// Waits for the first call, for at most `seconds`.
    ///
    /// - Throws: the error of the call; ``CheckFailure`` if no call came in time.
    func wait(seconds: Int = 20) throws -> Value {
        guard arrived.wait(timeout: .now() + .seconds(seconds)) == .success else {
            throw CheckFailure("a completion: expected exactly one call, got none within \(seconds) seconds.")
        }
        arrived.signal()
        guard let outcome = state.withLock({ $0.outcome }) else { throw CheckFailure("a completion was lost.") }
        return try outcome.get()
    }
}
