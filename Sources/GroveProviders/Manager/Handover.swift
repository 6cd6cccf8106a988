import Dispatch
import GroveModel

/// A value that one queue makes and another waits for.
final class Handover<Value: Sendable>: Sendable {
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
        guard let value = value.withLock({ $0 }) else { preconditionFailure("A handover is taken once.") }
        return value
    }
}

/// Something that is decided once; what waits for it is done then, or not at all.
final class Decision: Sendable {
    private let state = Lock<(isSo: Bool?, waiting: [@Sendable () -> Void])>((nil, []))

    func decide(_ isSo: Bool) {
        let waiting = state.withLock { state in
            defer { state = (isSo, []) }
            return state.waiting
        }
        if isSo { for body in waiting { body() } }
    }

    /// Runs `body` once it is decided that it is so.
    func ifSo(_ body: @escaping @Sendable () -> Void) {
        let isSo = state.withLock { state in
            if state.isSo == nil { state.waiting.append(body) }
            return state.isSo
        }
        if isSo == true { body() }
    }
}
