import GroveModel

/// A request to the network that is under way, for all who asked for the same meanwhile.
@MainActor
final class Flight<Value: Sendable> {
    private var waiting: [Int: (Result<Value, any Error>, _ isFirst: Bool) -> Void] = [:]
    private var tickets = 0
    private var task: Task<Void, Never>?

    init() {}

    /// Sends the request; `finish` is called before anyone is answered.
    func start(_ send: @escaping @Sendable () async throws -> Value, finish: @escaping @MainActor () -> Void) {
        task = Task {
            let result: Result<Value, any Error>
            do { result = .success(try await send()) } catch { result = .failure(error) }
            finish()
            let waiting = waiting
            self.waiting = [:]
            for (position, answer) in waiting.sorted(by: { $0.key < $1.key }).enumerated() {
                answer.value(result, position == 0)
            }
        }
    }

    /// Gives the answer to `take`, in the turn in which it comes, and returns what that makes of it.
    ///
    /// - Throws: `CancellationError`, promptly, when the caller's task is cancelled.
    func wait<Taken: Sendable>(
        leaving end: @escaping @MainActor @Sendable () -> Void,
        _ take: @escaping (Value, _ isFirst: Bool) throws -> Taken
    ) async throws -> Taken {
        tickets += 1
        let ticket = tickets
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiting[ticket] = { result, isFirst in
                    continuation.resume(with: Result { try take(result.get(), isFirst) })
                }
                if Task.isCancelled { leave(ticket, end) }
            }
        } onCancel: {
            Task { @MainActor in self.leave(ticket, end) }
        }
    }

    /// Lets one go who was cancelled; the request goes on for the others, and ends with the last.
    private func leave(_ ticket: Int, _ end: @MainActor () -> Void) {
        guard let answer = waiting.removeValue(forKey: ticket) else { return }
        if waiting.isEmpty {
            task?.cancel()
            end()
        }
        answer(.failure(CancellationError()), false)
    }
}

/// What two requests have in common that are one.
struct FlightKey: Hashable {
    let type: ObjectIdentifier
    let name: ModelIdentifier
    /// What was asked for before a wipe is not for those who ask after it.
    let epoch: Int
}

extension DataModelManager {
    /// Asks the network, or joins those who asked for the same and were not answered yet.
    ///
    /// - Parameters:
    ///   - key: what is asked for; `nil` where no other call can ask for it.
    ///   - take: called in the turn in which the answer comes; the first of those who asked is told so.
    @MainActor
    func request<Value: Sendable, Taken: Sendable>(
        _ key: FlightKey?, _ retry: LoadRetry, _ fetch: @escaping @Sendable () async throws -> Value,
        _ take: @escaping (Value, _ isFirst: Bool) throws -> Taken
    ) async throws -> Taken {
        if let key, let flight = flights[key] as? Flight<Value> {
            return try await flight.wait(leaving: { self.flights[key] = nil }, take)
        }
        let flight = Flight<Value>()
        // A flight that all have left makes room for another before it ends.
        let end = { @MainActor @Sendable in
            if let key, self.flights[key] === flight { self.flights[key] = nil }
        }
        if let key { flights[key] = flight }
        flight.start({ try await retry.run(fetch) }, finish: end)
        return try await flight.wait(leaving: end, take)
    }
}
