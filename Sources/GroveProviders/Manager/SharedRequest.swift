import GroveConsistency
import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A request to the network that is under way, with all callers that asked the same meanwhile.
@MainActor
final class SharedRequest<Value: Sendable>: AnySharedRequest {
    private var waiting: [Int: (Result<Answer<Value>, any Error>, _ isFirst: Bool) -> Void] = [:]
    private var tickets = 0
    private var task: Task<Void, Never>?
    private var isOver = false
    private let manager: DataModelManager
    private let end: @MainActor @Sendable () -> Void
    /// The place at which the try under way was sent.
    private(set) var place: Place

    /// - Parameter end: called before any caller is answered, and when all have left.
    init(_ manager: DataModelManager, end: @escaping @MainActor @Sendable () -> Void) {
        self.manager = manager
        self.end = end
        place = manager.place()
    }

    /// Sends the request; `settle` applies its answer, and gives `nil` if the request is to be sent again.
    func start(
        _ retry: LoadRetry, _ fetch: @escaping @Sendable () async throws -> Value,
        settle:
            @escaping @MainActor (
                Value, Place, @escaping @MainActor @Sendable (Result<Answer<Value>, CacheError>?) -> Void
            )
            -> Void
    ) {
        let first = place
        task = Task {
            do {
                for _ in 0..<4 {
                    let value = try await retry.run {
                        try await self.beginTry(since: first)
                        return try await fetch()
                    }
                    guard !waiting.isEmpty else { return }
                    let asked = place
                    guard !manager.isOver(asked) else { throw CacheError.wiped }
                    let isAnswered = await withCheckedContinuation { continuation in
                        settle(value, asked) { outcome in
                            if let outcome { self.finish(outcome.mapError { $0 }) }
                            continuation.resume(returning: outcome != nil)
                        }
                    }
                    if isAnswered { return }
                }
                finish(.failure(CacheError(.other, "What was asked for was changed each time before it was answered.")))
            } catch {
                finish(.failure(error))
            }
        }
    }

    /// Takes the place of a try: of several tries, the one that is answered counts.
    private func beginTry(since first: Place) throws {
        guard !manager.isOver(first) else { throw CacheError.wiped }
        place = manager.place()
    }

    /// Answers every waiting caller, in one turn.
    private func finish(_ result: Result<Answer<Value>, any Error>) {
        guard !isOver else {
            if case .success(let answer) = result, let taken = answer.taken {
                manager.consistencyManager.endAnswer(taken)
            }
            return
        }
        isOver = true
        end()
        let waiting = waiting
        self.waiting = [:]
        for (position, answer) in waiting.sorted(by: { $0.key < $1.key }).enumerated() {
            answer.value(result, position == 0)
        }
        if case .success(let answer) = result, let taken = answer.taken { manager.consistencyManager.endAnswer(taken) }
    }

    func fail(_ error: any Error) {
        task?.cancel()
        finish(.failure(error))
    }

    /// Gives the answer to `take`, in the turn in which it is applied, and returns the result.
    ///
    /// - Throws: `CancellationError`, promptly, when the caller's task is cancelled.
    func wait<Taken: Sendable>(
        _ take: @escaping (Answer<Value>, _ isFirst: Bool) throws -> Taken
    ) async throws -> Taken {
        tickets += 1
        let ticket = tickets
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                waiting[ticket] = { result, isFirst in
                    continuation.resume(with: Result { try take(result.get(), isFirst) })
                }
                if Task.isCancelled { leave(ticket) }
            }
        } onCancel: {
            Task { @MainActor in self.leave(ticket) }
        }
    }

    /// Lets a cancelled caller go; the request goes on for the others, and ends with the last.
    private func leave(_ ticket: Int) {
        guard let answer = waiting.removeValue(forKey: ticket) else { return }
        if waiting.isEmpty {
            task?.cancel()
            end()
        }
        answer(.failure(CancellationError()), false)
    }
}

/// An answer of the network, as it was applied.
struct Answer<Value: Sendable>: Sendable {
    /// The value that the network brought.
    let value: Value
    /// The place at which the request was sent.
    let place: Place
    /// The applied answer; `nil` if it brought no models.
    let taken: TakenAnswer?

    var askedAt: Date { Date(timeIntervalSince1970: place.time) }
}

/// A request of whatever kind.
@MainActor
protocol AnySharedRequest: AnyObject {
    /// The place at which the try under way was sent.
    var place: Place { get }
    /// Ends it for every waiting caller.
    func fail(_ error: any Error)
}

/// The key that the callers of one request have in common.
struct RequestKey: Hashable {
    let type: ObjectIdentifier
    let name: ModelIdentifier
    /// A number that makes a request unique, so that no other call joins it.
    var number = 0
}

/// The data that are shown of those that a load asks for.
struct ShownNow {
    /// The trees.
    var models: [any SimpleModel] = []
    /// The turn at which the list was last edited.
    var editedAt = Turn.zero
}

extension DataModelManager {
    /// Asks the network, or joins a request for the same key that is under way, unless the shown data were changed
    /// since it was sent.
    ///
    /// - Parameters:
    ///   - key: the key of the request; `nil` if no other call can join it.
    ///   - shown: the data that are shown of it; `nil` to join in any case.
    ///   - reload: whether to send a request even if one is under way.
    ///   - settle: applies the answer.
    ///   - take: called in the turn in which the answer is applied; `isFirst` is true for the first of the callers.
    @MainActor
    func request<Value: Sendable, Taken: Sendable>(
        _ key: RequestKey?, shown: (() -> ShownNow)?, reload: Bool = false, _ retry: LoadRetry,
        _ fetch: @escaping @Sendable () async throws -> Value,
        settle:
            @escaping @MainActor (
                Value, Place, @escaping @MainActor @Sendable (Result<Answer<Value>, CacheError>?) -> Void
            )
            -> Void,
        _ take: @escaping (Answer<Value>, _ isFirst: Bool) throws -> Taken
    ) async throws -> Taken {
        let number = requests.takeNumber()
        let name = key ?? RequestKey(type: ObjectIdentifier(Value.self), name: "", number: number)
        if !reload, let request = requests.shared[name] as? SharedRequest<Value>,
            await isUnchanged(shown?(), since: request.place), requests.shared[name] === request
        {
            return try await request.wait(take)
        }
        try Task.checkCancellation()
        let request = SharedRequest<Value>(self) { [weak self] in
            self?.requests.end(number, name)
        }
        requests.add(request, number, name)
        request.start(retry, fetch, settle: settle)
        return try await request.wait(take)
    }

    /// Whether none of the data that are shown was changed since `place`; if there are none, whether nothing was edited
    /// at all.
    @MainActor
    private func isUnchanged(_ shown: ShownNow?, since place: Place) async -> Bool {
        guard let shown else { return true }
        guard shown.editedAt <= place.turn else { return false }
        return await withCheckedContinuation { continuation in
            consistencyManager.isUnchanged(shown.models.map { Leaf.node($0) }, since: place.turn) {
                continuation.resume(returning: $0)
            }
        }
    }

    /// Ends every request that is under way, because everything was wiped.
    func endRequests() {
        Task { @MainActor in
            for request in Array(requests.open.values) where isOver(request.place) { request.fail(CacheError.wiped) }
            events.clear()
        }
    }
}
