import GroveModel

/// One reader of changes: its unread elements, whose number is bounded, and the tasks that wait for more.
final class ChangeSubscription<Element: Sendable>: Sendable {
    private struct State {
        var unread: [Element] = []
        /// The elements with which it begins, in reverse order; only the history bounds their number.
        var backlog: [Element] = []
        var waiting = WaitingLine<Element?>()
        var hasEnded = false
        /// Whether it gets no elements yet.
        var isHeld = true
    }

    /// The handle that made it, with which it ends.
    let handle: HandleID
    private let state = Lock(State())
    /// Adds an element to the unread ones.
    private let add: @Sendable (inout [Element], Element) -> Void
    /// Called when no reader has the subscription any more.
    private let forget: @Sendable () -> Void

    init(
        handle: HandleID, add: @escaping @Sendable (inout [Element], Element) -> Void,
        forget: @escaping @Sendable () -> Void
    ) {
        self.handle = handle
        self.add = add
        self.forget = forget
    }

    deinit { forget() }

    /// Hands `element` to the task that has waited longest, or keeps it if no task waits.
    func yield(_ element: Element) {
        let continuation = state.withLock { state -> CheckedContinuation<Element?, Never>? in
            guard !state.hasEnded, !state.isHeld else { return nil }
            if let first = state.waiting.takeFirst() { return first }
            add(&state.unread, element)
            return nil
        }
        continuation?.resume(returning: element)
    }

    /// Lets the reader get new elements from now on, after `elements`.
    func begin(with elements: [Element] = []) {
        let first = state.withLock { state -> (CheckedContinuation<Element?, Never>, Element)? in
            guard state.isHeld, !state.hasEnded else { return nil }
            state.isHeld = false
            state.backlog = elements.reversed()
            guard !elements.isEmpty, let waiting = state.waiting.takeFirst() else { return nil }
            return (waiting, state.backlog.removeLast())
        }
        if let (waiting, element) = first { waiting.resume(returning: element) }
    }

    /// Ends the stream once the kept elements are read.
    func finish() {
        let waiting = state.withLock { state in
            state.hasEnded = true
            return state.waiting.takeAll()
        }
        for continuation in waiting { continuation.resume(returning: nil) }
    }

    /// The next element, or `nil` at the end and if the task is cancelled.
    func next(isolation: isolated (any Actor)?) async -> Element? {
        let ticket = state.withLock { $0.waiting.drawTicket() }
        return await withTaskCancellationHandler(
            operation: {
                await withCheckedContinuation(isolation: isolation) { continuation in
                    let answer = state.withLock { state -> Element?? in
                        guard !Task.isCancelled else { return .some(nil) }
                        if let next = state.backlog.popLast() { return .some(next) }
                        guard state.unread.isEmpty else { return .some(state.unread.removeFirst()) }
                        guard !state.hasEnded else { return .some(nil) }
                        state.waiting.wait(ticket, continuation)
                        return nil
                    }
                    if let answer { continuation.resume(returning: answer) }
                }
            },
            onCancel: {
                state.withLock { $0.waiting.leave(ticket) }?.resume(returning: nil)
            }, isolation: isolation)
    }
}
