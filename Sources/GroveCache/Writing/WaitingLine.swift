/// Tasks that wait for their turn, in the order in which they came; one that is cancelled leaves by its ticket.
///
/// A value behind the lock of its owner. The owner resumes a continuation that it took out after it released the lock.
struct WaitingLine<Answer: Sendable>: Sendable {
    typealias Continuation = CheckedContinuation<Answer, Never>

    /// One task's place in the line, which it draws before it waits: tickets are in the order in which they were drawn.
    struct Ticket: Hashable, Sendable {
        fileprivate var number = 0
    }

    private var line: [(ticket: Ticket, continuation: Continuation)] = []
    /// The ticket that was drawn last.
    private var lastTicket = Ticket()

    var isEmpty: Bool { line.isEmpty }

    /// A ticket that no other task has, for ``wait(_:_:)`` and ``leave(_:)``.
    mutating func drawTicket() -> Ticket {
        lastTicket.number += 1
        return lastTicket
    }

    /// Puts the task with `ticket` at the end of the line.
    mutating func wait(_ ticket: Ticket, _ continuation: Continuation) { line.append((ticket, continuation)) }

    /// Takes out the task with `ticket`, if it still waits.
    mutating func leave(_ ticket: Ticket) -> Continuation? {
        line.firstIndex { $0.ticket == ticket }.map { line.remove(at: $0).continuation }
    }

    /// Takes out the task that came first.
    mutating func takeFirst() -> Continuation? { line.isEmpty ? nil : line.removeFirst().continuation }

    /// Takes out all, in order.
    mutating func takeAll() -> [Continuation] {
        defer { line = [] }
        return line.map(\.continuation)
    }
}
