import GroveModel

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Keeps the immutable trees of all listeners consistent: a change to one node reaches every tree that holds it.
///
/// ```swift
/// manager.addListener(self)                   // listens to currentModel() and everything in it
/// manager.updateModel(person, context: nil)   // grafts the person into every tree that holds it
/// ```
///
/// **Threads.** Any thread may post and delete; the calls return at once and apply in their order. All computing
/// happens on the engine's own queue. Listeners belong to the main actor, where they are added, removed and told. The
/// engine never waits for the main actor. All listeners that one update affects are told in one turn of the main actor.
/// A listener may call the manager; such calls take effect after all listeners were told.
///
/// **Order.** No listener is given a model older than one it has seen. The model with which a listener adds itself
/// replaces any update that was under way to it.
///
/// **Cost.** An update visits the posted models, without those that did not change. In each tree that holds a changed
/// node, it visits the path from that node to the root. Listeners of the same root and value share a tree. Nothing is
/// ever scanned.
public final class ConsistencyManager: Sendable {
    let engine: Engine
    /// The identifiers of the models that listeners hold, for any thread.
    package let held = HeldIdentifiers()
    let flags = Lock(Flags())
    @MainActor var records: [ObjectIdentifier: ListenerRecord] = [:]
    @MainActor var updatesListeners: [ObjectIdentifier: WeakUpdatesListener] = [:]
    @MainActor private var recordsAfterCleaning = 0

    struct Flags {
        var hasDelegate = false
        var hasUpdatesListeners = false
        var garbageCollectionInterval: Double = 300
        var lastCleaning = ContinuousClock.now
    }

    /// Makes a manager without listeners.
    public convenience init() { self.init(now: { Date() }) }

    /// Makes a manager with a clock, which says when updates were made.
    package init(now: @escaping @Sendable () -> Date) {
        let reporter = Reporter()
        engine = Engine(now: now, held: held, reporter: reporter)
        reporter.manager.withLock { $0.manager = self }
    }

    /// Told of replaced models and of errors; held weakly.
    @MainActor public weak var delegate: (any ConsistencyManagerDelegate)? {
        didSet {
            let hasDelegate = delegate != nil
            flags.withLock { $0.hasDelegate = hasDelegate }
        }
    }

    /// The number of seconds after which a posted model causes another ``cleanMemory()``; 0 for never.
    ///
    /// The default is 300.
    ///
    /// Released listeners are also forgotten when an update is delivered to them, and when many listeners were added.
    /// So no timer runs, and none is needed.
    public var garbageCollectionInterval: Double {
        get { flags.withLock { $0.garbageCollectionInterval } }
        set { flags.withLock { $0.garbageCollectionInterval = newValue } }
    }

    /// Forgets listeners that were released.
    ///
    /// - Complexity: O(*n*) for *n* listeners.
    @MainActor
    public func cleanMemory() {
        for (identity, record) in records where record.listener == nil {
            records[identity] = nil
            forget(record.key)
        }
        updatesListeners = updatesListeners.filter { $0.value.listener != nil }
        let hasUpdatesListeners = !updatesListeners.isEmpty
        flags.withLock { $0.hasUpdatesListeners = hasUpdatesListeners }
        recordsAfterCleaning = records.count
        flags.withLock { $0.lastCleaning = ContinuousClock.now }
    }

    @MainActor
    func cleanIfGrown() {
        if records.count > 2 * recordsAfterCleaning + 64 { cleanMemory() }
    }

    func cleanIfDue() {
        let isDue = flags.withLock { flags in
            guard flags.garbageCollectionInterval > 0,
                ContinuousClock.now - flags.lastCleaning > .seconds(flags.garbageCollectionInterval)
            else { return false }
            flags.lastCleaning = ContinuousClock.now
            return true
        }
        if isDue { Task { @MainActor [weak self] in self?.cleanMemory() } }
    }

    /// Removes every listener, and drops every update that is queued or on its way to a listener.
    ///
    /// - Parameter completion: called on the main actor when nothing is left.
    @MainActor
    public func clearListenersAndCancelAllTasks(_ completion: (@MainActor @Sendable () -> Void)? = nil) {
        engine.cancelAll()
        for record in records.values {
            record.isRemoved = true
            record.batch?.reset()
            forget(record.key)
        }
        records = [:]
        engine.enqueue { engine in engine.deliver { completion?() } }
    }

    /// Returns when every call made before was carried out and every listener was told.
    public func flush() async {
        await withCheckedContinuation { continuation in
            engine.enqueue { engine in engine.deliver { continuation.resume() } }
        }
    }

    /// The time for which delivery held the main actor, in all and at most at once, and the number of turns.
    package var mainActorMeasures: (held: Duration, longestHold: Duration, hops: Int) { engine.mailbox.measures }

    func forget(_ key: Int) {
        engine.enqueue { $0.forget(key) }
    }
}
