import Dispatch
import GroveCache
import GroveCoding
package import GroveConformance
import GroveModel
import Synchronization

/// Stores and caches that are correct in unusual ways: every rule must pass on them.
package enum Odd {
    /// All odd backends.
    package static var all: [any ConformanceBackend] { [slow, reordering, forgetful, failing, wholeTrees] }

    /// A delegate that stores trees whole: a change to a part shows in no other tree.
    package static var wholeTrees: any ConformanceBackend { DelegateBackend(WholeTreesHarness()) }

    /// A store whose every commit and every fiftieth look-up takes long.
    package static var slow: any ConformanceBackend { StoreBackend(ReferenceHarness<IsSlow>(), name: "slow") }

    /// A cache whose completions are called late and out of order.
    package static var reordering: any ConformanceBackend {
        StoreBackend(ReferenceHarness<NoFlaw>(), name: "reordering") { ReordersCompletions($0) }
    }

    /// A cache that evicts every node as soon as it was written.
    package static var forgetful: any ConformanceBackend {
        LenientBackend(
            base: StoreBackend(ReferenceHarness<NoFlaw>(), name: "forgetful") { EvictsEverything($0) },
            leniency: Leniency(forgets: true))
    }

    /// A store whose every 97th look-up fails.
    package static var failing: any ConformanceBackend {
        LenientBackend(
            base: StoreBackend(ReferenceHarness<FailsNowAndThen>(), name: "failing"),
            leniency: Leniency(failsWith: .inputOutput))
    }
}

/// A backend with a leniency around another backend.
struct LenientBackend: ConformanceBackend {
    let base: any ConformanceBackend
    let leniency: Leniency

    var name: String { base.name }
    var profile: BackendProfile { base.profile }
    var capabilities: Set<Capability> {
        // An evicted value is not in the store either.
        leniency.forgets ? base.capabilities.subtracting([.storedBytes]) : base.capabilities
    }

    func makeSite() throws(CacheError) -> any CacheSite { try base.makeSite() }
    func site(at directory: String) -> any CacheSite { base.site(at: directory) }
}

/// Commits take a millisecond or two, and so does every fiftieth look-up.
enum IsSlow: StoreFlaw {
    private static let looks = Atomic(0)

    static func batch(_ changes: [ReferenceChange], number: Int) -> [ReferenceChange] {
        wait()
        return changes
    }

    static func willLook() throws(CacheError) {
        if looks.add(1, ordering: .relaxed).newValue % 50 == 0 { wait() }
    }

    private static func wait() { _ = DispatchSemaphore(value: 0).wait(timeout: .now() + .milliseconds(1)) }
}

/// Every 97th look-up fails with a typed error.
enum FailsNowAndThen: StoreFlaw {
    private static let looks = Atomic(0)

    static func willLook() throws(CacheError) {
        guard looks.add(1, ordering: .relaxed).newValue % 97 == 0 else { return }
        throw CacheError(.inputOutput, "The disk did not answer this time.")
    }
}

/// Completions come from another queue, every second one after those that follow it.
// SAFETY: what it adds to its sendable base class is atomic or does not change.
final class ReordersCompletions: ForwardingCache, @unchecked Sendable {
    private let queue = DispatchQueue(label: "grove.reordering", attributes: .concurrent)
    private let calls = Atomic(0)

    private func late(_ body: @escaping @Sendable () -> Void) {
        let number = calls.add(1, ordering: .relaxed).newValue
        queue.asyncAfter(deadline: .now() + .milliseconds(number % 2 == 0 ? 0 : 3), execute: body)
    }

    override func modelForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable (T?, (any Error)?) -> Void
    ) {
        base.modelForKey(cacheKey, context: context) { [self] (model: T?, error: (any Error)?) in
            late { completion(model, error) }
        }
    }

    override func collectionForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable ([T]?, (any Error)?) -> Void
    ) {
        base.collectionForKey(cacheKey, context: context) { [self] (models: [T]?, error: (any Error)?) in
            late { completion(models, error) }
        }
    }
}

/// What a write changed is evicted before it returns.
// SAFETY: it adds nothing to its sendable base class.
final class EvictsEverything: ForwardingCache, @unchecked Sendable {
    override func write<M: CacheableModel>(contentsOf models: [M]) throws(CacheError) -> WrittenChanges {
        let changes = try base.write(contentsOf: models)
        for identifier in changes.changed { try base.evict(identifier) }
        return changes
    }

    override func writeCollection<M: CacheableModel>(
        _ elements: [M], forKey key: String
    ) throws(CacheError) -> WrittenChanges {
        let changes = try base.writeCollection(elements, forKey: key)
        for identifier in changes.changed.prefix(1_000) { try base.evict(identifier) }
        return changes
    }
}
