import Synchronization

/// A network whose requests a test answers: it decides when, in which order and how.
///
/// ```swift
/// let network = ScriptedNetwork<String, Message>()
/// async let old = network.send("first")
/// let first = try await network.next()
/// async let new = network.send("second")
/// let second = try await network.next()
/// second.answer(message)
/// first.fail(URLError(.timedOut))
/// ```
///
/// Call ``send(_:)`` from the test's implementation of the application's own server protocol. No real time passes: a
/// request waits until it is answered. All members may be used from any thread.
public final class ScriptedNetwork<Request: Sendable, Response: Sendable>: Sendable {
    /// A request that waits for its answer.
    public struct Call: Sendable {
        /// The request, as it was passed to ``ScriptedNetwork/send(_:)``.
        public let request: Request
        fileprivate let promise: Promise<Response>

        /// Returns `response` to the caller; false if the request was answered or cancelled before.
        @discardableResult
        public func answer(_ response: Response) -> Bool { promise.settle(.success(response)) }

        /// Throws `error` at the caller; false if the request was answered or cancelled before.
        @discardableResult
        public func fail(_ error: any Error) -> Bool { promise.settle(.failure(error)) }
    }

    private struct State {
        var calls: [Call] = []
        var waiting: [Promise<Call>] = []
    }

    private let state = Mutex(State())

    /// Makes a network without requests.
    public init() {}

    /// The requests that ``next()`` has not returned yet, in the order of their arrival.
    public var requests: [Request] { state.withLock { $0.calls.map(\.request) } }

    /// Sends `request`, and returns when the test has answered it.
    ///
    /// - Throws: the error of ``Call/fail(_:)``; `CancellationError` if the task is cancelled first.
    public func send(_ request: Request) async throws -> Response {
        let call = Call(request: request, promise: Promise())
        state.withLock { state in
            while !state.waiting.isEmpty {
                if state.waiting.removeFirst().settle(.success(call)) { return }
            }
            state.calls.append(call)
        }
        return try await call.promise.value()
    }

    /// Returns the next request in the order of arrival, and waits for it if there is none.
    ///
    /// - Throws: `CancellationError` if the task is cancelled first.
    public func next() async throws -> Call {
        let promise = Promise<Call>()
        state.withLock { state in
            if state.calls.isEmpty {
                state.waiting.append(promise)
            } else {
                promise.settle(.success(state.calls.removeFirst()))
            }
        }
        return try await promise.value()
    }
}
