import GroveModel

/// A decision that is made once; closures that wait for it run then, or not at all.
final class Decision: Sendable {
    private let state = Lock<(isSo: Bool?, waiting: [@Sendable () -> Void])>((nil, []))

    func decide(_ isSo: Bool) {
        let waiting = state.withLock { state in
            defer { state = (isSo, []) }
            return state.waiting
        }
        if isSo { for body in waiting { body() } }
    }

    /// Runs `body` once it is decided that it is so; never if it is not.
    func ifSo(_ body: @escaping @Sendable () -> Void) {
        let isSo = state.withLock { state in
            if state.isSo == nil { state.waiting.append(body) }
            return state.isSo
        }
        if isSo == true { body() }
    }
}
