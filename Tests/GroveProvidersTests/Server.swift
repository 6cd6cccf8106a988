import Grove
import Synchronization
import TestSupport
import Testing

/// A network for values of one type, whose requests the test answers in any order.
final class Server<Value: Sendable>: Sendable {
    private struct State {
        var sent = 0
        var waiting: [Int: CheckedContinuation<Value, any Error>] = [:]
        var cancelled: Set<Int> = []
        var tags: [Int: Int] = [:]
        /// Answers to requests that are sent and do not wait yet.
        var early: [Int: Result<Value, any Error>] = [:]
    }

    private let state = Mutex(State())
    private let endsWhenCancelled: Bool

    /// - Parameter endsWhenCancelled: false for one that answers all the same, as code does that does not ask whether
    ///   its task is cancelled.
    init(endsWhenCancelled: Bool = true) { self.endsWhenCancelled = endsWhenCancelled }

    /// How many requests were sent.
    var sent: Int { state.withLock { $0.sent } }
    /// How many of them were cancelled.
    var cancelled: Int { state.withLock { $0.cancelled.count } }

    /// Sends a request.
    ///
    /// - Parameter tag: what the test is to know of it.
    func ask(_ tag: Int = 0) async throws -> Value {
        let number = state.withLock { state in
            defer { state.sent += 1 }
            state.tags[state.sent] = tag
            return state.sent
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer = state.withLock { state -> Result<Value, any Error>? in
                    if state.cancelled.contains(number) { return .failure(CancellationError()) }
                    if let early = state.early.removeValue(forKey: number) { return early }
                    state.waiting[number] = continuation
                    return nil
                }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            guard endsWhenCancelled else { return }
            let waiting = state.withLock { state in
                state.cancelled.insert(number)
                return state.waiting.removeValue(forKey: number)
            }
            waiting?.resume(throwing: CancellationError())
        }
    }

    /// Returns when there were `count` requests.
    func receives(
        _ count: Int, isolation: isolated (any Actor)? = #isolation, _ location: SourceLocation = #_sourceLocation
    ) async {
        await waitUntil({ sent >= count }, sourceLocation: location)
    }

    /// Answers the request of this number, counted from 0, unless it was cancelled.
    func answer(_ number: Int, _ result: Result<Value, any Error>) {
        let waiting = state.withLock { state in
            let waiting = state.waiting.removeValue(forKey: number)
            if waiting == nil { state.early[number] = result }
            return waiting
        }
        waiting?.resume(with: result)
    }

    func answer(
        _ number: Int, _ value: Value, isolation: isolated (any Actor)? = #isolation,
        _ location: SourceLocation = #_sourceLocation
    ) async {
        await waits(number, location)
        answer(number, .success(value))
    }

    /// Returns when the request of this number waits.
    func waits(
        _ number: Int, isolation: isolated (any Actor)? = #isolation, _ location: SourceLocation = #_sourceLocation
    ) async {
        await waitUntil(
            { state.withLock { $0.waiting[number] != nil || $0.cancelled.contains(number) } },
            sourceLocation: location)
    }

    /// What a request was tagged with.
    func tag(_ number: Int) -> Int { state.withLock { $0.tags[number] ?? 0 } }

    /// The requests that wait.
    var open: [Int] { state.withLock { $0.waiting.keys.sorted() } }
}
