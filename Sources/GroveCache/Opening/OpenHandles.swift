import GroveModel

/// The handles that are open on a store.
final class OpenHandles: Sendable {
    private struct State {
        /// The number of handles that were opened, which is the last one's number.
        var count: UInt64 = 0
        var open: Set<HandleID> = []
        /// The number of commits that the history is to have: the most that a handle asked for.
        var historyLength = 0
    }

    private let state = Lock(State())

    /// Takes in a handle.
    func enter() -> HandleID {
        state.withLock { state in
            state.count += 1
            let handle = HandleID(rawValue: state.count)
            state.open.insert(handle)
            return handle
        }
    }

    /// Notes that a handle is closed; the pins that it asked for before come too late.
    func leave(_ handle: HandleID) { state.withLock { _ = $0.open.remove(handle) } }

    /// Whether a handle is open.
    func isOpen(_ handle: HandleID) -> Bool { state.withLock { $0.open.contains(handle) } }

    /// Keeps a history of at least so many commits from now on.
    func keepHistory(of commits: Int) { state.withLock { $0.historyLength = max($0.historyLength, commits) } }

    /// The number of commits that the history is to have.
    var historyLength: Int { state.withLock { $0.historyLength } }
}
