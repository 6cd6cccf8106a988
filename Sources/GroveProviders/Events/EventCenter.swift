import GroveConsistency
import GroveModel

/// The event channels of a manager: one per type of event.
///
/// Events are delivered on the main actor, in the order of their posts, and never from within a post or another
/// delivery. So two receivers that post to each other take turns.
final class EventCenter: Sendable {
    nonisolated init() {}

    private let mailbox = Mailbox()
    @MainActor private var receivers: [ObjectIdentifier: [Int: Receiver]] = [:]
    @MainActor private var latest: [ObjectIdentifier: (event: any Sendable, isOver: @Sendable () -> Bool)] = [:]
    @MainActor private var joining: [Int: (kind: ObjectIdentifier, receiver: Receiver, replay: Bool)] = [:]
    @MainActor private var nextKey = 0

    struct Receiver {
        weak var owner: AnyObject?
        let receive: @MainActor (any Sendable) -> Void
    }

    /// - Parameter isOver: whether everything was wiped since the post: then no receiver gets it any more.
    func post<E: Sendable>(_ event: E, _ source: EventSource, isOver: @escaping @Sendable () -> Bool) {
        put { center in
            guard !isOver() else { return }
            let kind = ObjectIdentifier(E.self)
            let posted = PostedEvent(event: event, source: source)
            center.latest[kind] = (posted, isOver)
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
        let key = nextKey
        let receiver = Receiver(owner: owner) { [weak owner] posted in
            guard let owner, let posted = posted as? PostedEvent<E> else { return }
            body(owner, posted.event, posted.source)
        }
        joining[key] = (kind, receiver, replay)
        put { center in center.join(key) }
    }

    /// Lets a receiver in, behind the events that were posted before it was added.
    @MainActor
    private func join(_ key: Int) {
        guard let (kind, receiver, replay) = joining.removeValue(forKey: key) else { return }
        receivers[kind] = receivers[kind, default: [:]].filter { $0.value.owner != nil }
        receivers[kind]?[key] = receiver
        if replay, let last = latest[kind], !last.isOver() { receiver.receive(last.event) }
    }

    /// Returns when all earlier posts are delivered.
    func flush() async {
        await withCheckedContinuation { continuation in put { _ in continuation.resume() } }
    }

    /// Drops the latest events that no receiver gets any more.
    @MainActor
    func clear() { latest = latest.filter { !$0.value.isOver() } }

    private func put(_ work: @escaping @MainActor @Sendable (EventCenter) -> Void) {
        mailbox.put { work(self) }
    }
}

/// An event with its source.
struct PostedEvent<E: Sendable>: Sendable {
    let event: E
    let source: EventSource
}
