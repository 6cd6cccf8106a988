import Dispatch
import GroveModel

/// A value that one queue makes and another waits for.
final class Future<Value: Sendable>: Sendable {
    private let value = Lock<Value?>(nil)
    private let isThere = DispatchSemaphore(value: 0)

    init() {}

    /// Hands the value over.
    ///
    /// Called once.
    func put(_ value: Value) {
        self.value.withLock { $0 = value }
        isThere.signal()
    }

    /// Waits for the value.
    ///
    /// Called once.
    func take() -> Value {
        isThere.wait()
        guard let value = value.withLock({ $0 }) else { preconditionFailure("A future is taken once.") }
        return value
    }
}
