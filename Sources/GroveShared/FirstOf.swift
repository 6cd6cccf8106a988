import Synchronization

/// The first of several values that are offered, for one task that waits.
package final class FirstOf<Value: Sendable>: Sendable {
    private enum State {
        case empty
        case waiting(CheckedContinuation<Value, Never>)
        case full(Value)
        case taken
    }

    private let state = Mutex(State.empty)

    package init() {}

    package func offer(_ value: Value) {
        let waiting = state.withLock { state -> CheckedContinuation<Value, Never>? in
            switch state {
            case .empty: state = .full(value)
            case .waiting(let continuation):
                state = .taken
                return continuation
            case .full, .taken: break
            }
            return nil
        }
        waiting?.resume(returning: value)
    }

    package func value() async -> Value {
        await withCheckedContinuation { continuation in
            let value = state.withLock { state -> Value? in
                if case .full(let value) = state { return value }
                state = .waiting(continuation)
                return nil
            }
            if let value { continuation.resume(returning: value) }
        }
    }
}
