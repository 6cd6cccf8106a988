import Dispatch
import GroveModel
import Synchronization

/// The observers, streams of changes and followers that are told of the events of a store.
///
/// They are told on one queue, in the order of the events. None of their code runs elsewhere, except
/// ``CacheObserver/cacheDidHit(_:)``, which runs on the thread that reads.
final class Audience: Sendable {
    private let observers = Lock<[(handle: HandleID, observer: any CacheObserver)]>([])
    private let observerCount = Atomic(0)
    let events = DispatchQueue(label: "grove.cache.events", qos: .utility)
    /// The streams of changes, and the followers.
    let streams = ChangeHub()

    var hasObservers: Bool { observerCount.load(ordering: .relaxed) > 0 }

    /// Whether there is no observer, stream or follower.
    var isEmpty: Bool { !hasObservers && streams.isIdle }

    /// Adds the observer of a handle.
    func enter(_ observer: any CacheObserver, of handle: HandleID) {
        observers.withLock { $0.append((handle, observer)) }
        observerCount.add(1, ordering: .relaxed)
    }

    /// Removes the observer and ends the streams of a handle, once the streams were told of all earlier events.
    func leave(_ handle: HandleID) {
        // The observer is released outside the lock, as it may call the cache when it is freed.
        let left = observers.withLock { observers in
            defer { observers.removeAll { $0.handle == handle } }
            return observers.filter { $0.handle == handle }
        }
        observerCount.subtract(left.count, ordering: .relaxed)
        defer { extendLifetime(left) }
        guard !streams.isIdle else { return }
        events.async { [streams] in streams.end(handle) }
    }

    /// Lets `stream` get later events, after `elements`; earlier commits have been told by then.
    func begin<Element>(_ stream: ChangeSubscription<Element>, with elements: [Element] = []) {
        events.async { [weak stream] in stream?.begin(with: elements) }
    }

    /// The observers now.
    var present: [any CacheObserver] { hasObservers ? observers.withLock { $0.map(\.observer) } : [] }

    /// Tells observers of a read that found `identifier`, on the reading thread.
    func tellHit(_ identifier: ModelIdentifier) { for observer in present { observer.cacheDidHit(identifier) } }

    /// Tells observers of something, in order.
    func tell(_ event: @escaping @Sendable (any CacheObserver) -> Void) {
        let observers = present
        guard !observers.isEmpty else { return }
        events.async { for observer in observers { event(observer) } }
    }

    /// Tells observers and streams of what changed, in its turn.
    func tell(of set: ChangeSet) {
        guard !set.isEmpty, !isEmpty else { return }
        tell(present) { tell in tell.change(set) }
    }

    /// Tells only the followers.
    func tellFollowers(of set: ChangeSet) {
        events.async { [streams] in streams.tellFollowers(set) }
    }

    /// Runs `body`, which tells `observers` and the streams of several things.
    func tell(_ observers: [any CacheObserver], _ body: @escaping @Sendable (Telling) -> Void) {
        events.async { [streams] in body(Telling(observers: observers, streams: streams)) }
    }

    /// Tells the observers of what happens on the queue of events.
    struct Telling {
        let observers: [any CacheObserver]
        fileprivate let streams: ChangeHub

        func change(_ set: ChangeSet) {
            guard set.isNews || set.ticket != .none else { return }
            if !set.isEmpty { for observer in observers { observer.cacheDidCommit(set) } }
            streams.publish(set)
        }

        func failure(_ error: CacheError) {
            for observer in observers { observer.cacheDidFailToWrite(error) }
        }
    }
}
