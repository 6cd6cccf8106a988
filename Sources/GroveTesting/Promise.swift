import Synchronization

/// A value that one task waits for and another one gives.
final class Promise<Value: Sendable>: Sendable {
    private enum State {
        case open
        case awaited(CheckedContinuation<Value, any Error>)
        case settled(Result<Value, any Error>)
    }

    private let state = Mutex(State.open)

    /// Gives the value; returns false, and does nothing, if there is one already.
    @discardableResult
    func settle(_ result: Result<Value, any Error>) -> Bool {
        let last = state.withLock { state in
            let last = state
            if case .settled = last { return last }
            state = .settled(result)
            return last
        }
        switch last {
        case .open: return true
        case .awaited(let continuation):
            continuation.resume(with: result)
            return true
        case .settled: return false
        }
    }

    /// Waits for the value, for one task only; cancellation settles the promise.
    func value() async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let given: Result<Value, any Error>? = state.withLock { state in
                    if case .settled(let result) = state { return result }
                    state = .awaited(continuation)
                    return nil
                }
                if let given { continuation.resume(with: given) }
            }
        } onCancel: {
            settle(.failure(CancellationError()))
        }
    }
}
