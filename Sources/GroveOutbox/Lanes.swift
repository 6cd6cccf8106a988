/// The lanes of an outbox: the tasks that send their mutations, the alarms that wake them, and the callers that wait
/// until all are quiet.
@MainActor
final class Lanes {
    enum State {
        /// No manager was made with the outbox, and ``Outbox/resume()`` was not called.
        case unstarted
        /// Mutations are sent, once there is a manager that can store their models.
        case open
        /// None is sent until the outbox is resumed.
        case suspended
        /// None is sent any more.
        case closed
    }

    var state = State.unstarted
    /// The lanes that have a mutation under way, each with the task that sends it.
    var sending: [String: Task<Void, Never>] = [:]
    /// The tasks that wake lanes when their next mutation is due.
    var alarms: [String: (due: Double, task: Task<Void, Never>)] = [:]
    var waiters: [CheckedContinuation<Void, Never>] = []

    /// Whether this was told to stop.
    var isStopped: Bool { state == .suspended || state == .closed }

    func suspend() {
        if state != .closed { state = .suspended }
        for alarm in alarms.values { alarm.task.cancel() }
        alarms = [:]
    }

    /// Cancels the requests under way.
    func cancel() { for task in sending.values { task.cancel() } }

    func resumeWaiters() {
        let waiting = waiters
        waiters = []
        for waiter in waiting { waiter.resume() }
    }
}
