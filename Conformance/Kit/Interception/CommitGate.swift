import Dispatch
import Synchronization

/// A gate at which threads wait while it is closed: the way to force an order of events.
package final class CommitGate: Sendable {
    private struct State {
        var isClosed = false
        var held: [DispatchSemaphore] = []
    }

    private let state = Mutex(State())
    private let arrivals = DispatchSemaphore(value: 0)

    /// Makes an open gate.
    package init() {}

    /// Closes the gate: from now on threads that reach it wait.
    package func close() { state.withLock { $0.isClosed = true } }

    /// Opens the gate and lets all waiting threads through.
    package func open() {
        let held = state.withLock { state in
            state.isClosed = false
            defer { state.held = [] }
            return state.held
        }
        for semaphore in held { semaphore.signal() }
    }

    /// Goes through, or waits until the gate is opened.
    package func pass() {
        let semaphore: DispatchSemaphore? = state.withLock { state in
            guard state.isClosed else { return nil }
            let semaphore = DispatchSemaphore(value: 0)
            state.held.append(semaphore)
            return semaphore
        }
        guard let semaphore else { return }
        arrivals.signal()
        semaphore.wait()
    }

    /// Waits until a thread waits at the gate.
    ///
    /// - Parameter what: the caller that is expected, for the message of the failure.
    /// - Throws: ``CheckFailure`` if no thread comes within 20 seconds.
    package func awaitArrival(of what: String) throws {
        guard arrivals.wait(timeout: .now() + 20) == .success else {
            throw CheckFailure("\(what): expected it to reach the store, and it did not within 20 seconds.")
        }
    }
}
