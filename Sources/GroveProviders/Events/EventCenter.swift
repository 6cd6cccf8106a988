import Synchronization

/// The event channels of a manager: one per type of event.
///
/// Events are delivered on the main actor, in the order of their posts, and never from within a post or another
/// delivery: two receivers that post to each other take turns.
final class EventCenter: Sendable {
    nonisolated init() {}

    private struct State {
        var waiting: [@MainActor @Sendable (EventCenter) -> Void] = []
        var isHopping = false
        var epoch = 0
    }

    private let state = Mutex(State())
    @MainActor private var receivers: [ObjectIdentifier: [Int: Receiver]] = [:]
    @MainActor private var latest: [ObjectIdentifier: any Sendable] = [:]
    @MainActor private var nextKey = 0

    struct Receiver {
        weak var owner: AnyObject?
        let receive: @MainActor (any Sendable) -> Void
    }

    func post<E: Sendable>(_ event: E, _ source: EventSource) {
        put { center in
            let kind = ObjectIdentifier(E.self)
            let posted = PostedEvent(event: event, source: source)
            center.latest[kind] = posted
            for (key, receiver) in center.receivers[kind, default: [:]].sorted(by: { $0.key < $1.key }) {
                if receiver.owner == nil {
                    center.receivers[kind]?[key] = nil
                } else if center.receivers[kind]?[key] != nil {
                    receiver.receive(posted)
                }
            }
        }
    }

    @MainActor
    func add<Owner: AnyObject, E: Sendable>(
        _ owner: Owner, _ type: E.Type, replay: Bool,
        _ body: @escaping @MainActor (Owner, E, EventSource) -> Void
    ) {
        let kind = ObjectIdentifier(type)
        nextKey += 1
        receivers[kind] = receivers[kind, default: [:]].filter { $0.value.owner != nil }
        receivers[kind]?[nextKey] = Receiver(owner: owner) { [weak owner] posted in
            guard let owner, let posted = posted as? PostedEvent<E> else { return }
            body(owner, posted.event, posted.source)
        }
        let key = nextKey
        guard replay, let last = latest[kind] else { return }
        put { center in center.receivers[kind]?[key]?.receive(last) }
    }

    /// Forgets the latest events and those under way. Receivers stay.
    @MainActor
    func clear() {
        latest = [:]
        let dropped = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        _ = dropped
    }

    private func put(_ work: @escaping @MainActor @Sendable (EventCenter) -> Void) {
        let mustHop = state.withLock { state in
            state.waiting.append(work)
            defer { state.isHopping = true }
            return !state.isHopping
        }
        if mustHop { Task { @MainActor in self.empty() } }
    }

    @MainActor
    private func empty() {
        while true {
            let next: (@MainActor @Sendable (EventCenter) -> Void)? = state.withLock { state in
                if state.waiting.isEmpty {
                    state.isHopping = false
                    return nil
                }
                return state.waiting.removeFirst()
            }
            guard let next else { return }
            next(self)
        }
    }
}

/// An event with where it came from.
struct PostedEvent<E: Sendable>: Sendable {
    let event: E
    let source: EventSource
}
