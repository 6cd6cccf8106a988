import Dispatch
public import GroveConsistency
public import GroveModel

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Connects a cache, a consistency engine and the data providers of an application.
///
/// An application makes one, and passes it to every provider. All methods may be called from any thread unless they are
/// marked for the main actor. Calls take effect in the same order in memory and in the cache, so the newest change wins
/// in both. One lock orders a call both in the engine and in the cache's queue. The cache is called on a queue of its
/// own and may block there.
public final class DataModelManager: Sendable {
    /// The cache, which is retained.
    public let cacheDelegate: any CacheDelegate

    /// The cache's handle, if it is one that is followed: writes through it are not told back.
    let followed: (any FollowedCache)?

    /// The engine that keeps the providers consistent.
    public let consistencyManager: ConsistencyManager

    /// Told of misuse; held weakly.
    ///
    /// Without one, misuse is an assertion failure.
    @MainActor public weak var logDelegate: (any LogDelegate)?

    let calls: CacheCalls
    let lives = Lives()
    let events = EventCenter()
    /// The data to read again.
    let stale = Lock(StaleSet())
    let screens = Screens()
    /// The layers over the confirmed models; `nil` without an outbox.
    @MainActor package var layers: (any ShownLayers)?
    @MainActor var requests = RequestTable()

    /// The clock, for ``DataProvider/lastUpdated`` and the ages that loads accept.
    let now: @Sendable () -> Date

    /// Makes a manager over `cacheDelegate`.
    ///
    /// - Parameters:
    ///   - cacheTimeout: the number of seconds that a fetch waits for a cache that is only a ``CacheDelegate``. After
    ///     that it fails with code `locked`, and a later answer is ignored.
    ///   - now: the clock; by default the system's.
    public init(
        cacheDelegate: any CacheDelegate, cacheTimeout: Double = 30, now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.cacheDelegate = cacheDelegate
        calls = CacheCalls(timeout: cacheTimeout)
        self.now = now
        consistencyManager = ConsistencyManager(now: now)
        let follower = WeakManager()
        // The cache's writer must not retain the manager: it would release it in the middle of a write.
        let (held, lists) = (consistencyManager.held, screens.listReaders)
        followed = (cacheDelegate as? any FollowableCache)?.followed(
            by: { follower.value?.follow($0) },
            isShown: { item in
                switch item {
                case .model(let identifier): held.contains(identifier)
                case .list(let key): lists.withLock { $0.values.contains { $0.name == key } }
                }
            })
        follower.set(self)
        consistencyManager.onStale { follower.value?.markStale($0, deleted: $1, isEmptied: $2) }
        noteLife(isShown: true)
    }

    /// Whether the cache can say when its records were confirmed.
    var knowsAges: Bool { followed != nil || cacheDelegate is any ExpiringCacheDelegate }

    /// Whether data that were confirmed at `time` are at most `maxAge` seconds old.
    ///
    /// A time in the future says nothing: the clock was set back.
    func isFresh(_ time: Date?, _ maxAge: Double) -> Bool {
        guard let time else { return false }
        let age = now().timeIntervalSince(time)
        return age >= 0 && age <= maxAge
    }

    /// Runs `call`, which calls the cache, behind earlier ones.
    ///
    /// Called in order.
    func onCache(_ call: @escaping @Sendable () -> Void) {
        if let followed { followed.inOrder(call) } else { calls.queue.async(execute: call) }
    }

    /// Takes one place in the engine's order and in the cache's queue.
    func inOrder<Result: Sendable>(_ body: (Int) -> Result) -> Result {
        lives.epoch.withLock { body($0) }
    }

    @MainActor
    func misuse(_ message: String, file: StaticString = #fileID, function: StaticString = #function, line: UInt = #line)
    {
        if let logDelegate {
            logDelegate.assertionFailure(message, file: file, function: function, line: line)
        } else {
            Swift.assertionFailure(message)
        }
    }

    /// Returns when every call made before has reached the cache, the engine and all delegates, and every earlier
    /// commit of this process is shown.
    ///
    /// An edit of a list that is being loaded reaches the cache when it is loaded.
    public func flush() async {
        await flushLoads()
        await withCheckedContinuation { continuation in
            inOrder { _ in onCache { continuation.resume() } }
        }
        if let followed {
            await withCheckedContinuation { continuation in followed.afterTelling { continuation.resume() } }
        }
        await consistencyManager.flush()
        // The stale data are read, and shown.
        await withCheckedContinuation { continuation in
            let isIdle = stale.withLock { $0.awaitIdle { continuation.resume() } }
            if isIdle { continuation.resume() }
        }
        await consistencyManager.flush()
        await events.flush()
    }

    /// Returns when the edits that were made of lists that are being loaded are on their way to the cache.
    @MainActor
    private func flushLoads() async {
        for list in screens.stores.values.compactMap(\.store) {
            await withCheckedContinuation { continuation in list.afterLoad { continuation.resume() } }
        }
    }
}

/// An object that is told when the library is misused; see ``DataModelManager/logDelegate``.
@MainActor
public protocol LogDelegate: AnyObject, Sendable {
    /// The application misused the library; the library goes on as well as it can.
    func assertionFailure(_ message: String, file: StaticString, function: StaticString, line: UInt)
}

/// A provider or store that a wipe clears.
@MainActor
protocol WipeableProvider: AnyObject {
    func clearForWipe(at time: Date)
    /// Notes that the newest trees of the nodes in `misses` were not whole in the cache at `time`: the versions that
    /// are shown stay.
    ///
    /// The nodes in `whole`, which were not whole before, are whole now.
    func note(missing misses: [ModelIdentifier: CacheMiss], whole: Set<ModelIdentifier>, readAt time: Date)
}

/// A provider of one model.
@MainActor
protocol ModelHolder: AnyObject {
    /// Tells the owner whether the cache has refused to store the model.
    func note(unsaved error: CacheError?)
}

/// A store of a list.
@MainActor
protocol SharedList: WipeableProvider {
    /// Calls `body` when no edit waits for a load any more.
    func afterLoad(_ body: @escaping @MainActor () -> Void)
    /// Stores the list again, of which the cache has refused edits.
    func saveRefused(asOf place: StoredPlace?)
    /// Makes a change that the server has confirmed; false if the list is not known, or is of other models.
    func confirm(_ change: ConfirmedChange, with answer: ConfirmedAnswer) -> Bool
    /// The key of its subscription.
    var key: SubscriptionKey { get }
    /// Tells owners whether the cache has refused to store the list, or an element of it.
    func note(unsaved error: CacheError?, of element: ModelIdentifier?)
}

/// A manager that is not retained.
final class WeakManager: Sendable {
    private struct Weak {
        weak var manager: DataModelManager?
    }

    private let state: Lock<Weak>

    init(_ manager: DataModelManager? = nil) { state = Lock(Weak(manager: manager)) }

    var value: DataModelManager? { state.withLock { $0.manager } }

    func set(_ manager: DataModelManager) { state.withLock { $0.manager = manager } }
}
