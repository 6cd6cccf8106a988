package import GroveCache
package import GroveModel
import Synchronization

/// One run of one rule on one backend, which gives the rule new caches and counts its checks.
///
/// When the run has ended, all caches and places that it gave out are closed and removed.
package final class Trial: Sendable {
    /// The backend that is checked.
    package let backend: any ConformanceBackend
    /// The rule's identifier.
    package let ruleID: String
    /// The seed of the run.
    package let seed: UInt64

    private struct State {
        var checks = 0
        var notes: [String] = []
        var sites: [any CacheSite] = []
    }

    private let state = Mutex(State())

    /// Makes a trial of the rule `ruleID`.
    package init(_ ruleID: String, on backend: any ConformanceBackend, seed: UInt64) {
        self.backend = backend
        self.ruleID = ruleID
        self.seed = seed
    }

    /// The properties that the backend declares.
    package var profile: BackendProfile { backend.profile }

    /// Whether reads say why they missed, and writes what they changed; false for a delegate.
    package var hasTypedCalls: Bool { backend.capabilities.contains(.typedCalls) }

    /// The number of checks so far.
    package var checks: Int { state.withLock { $0.checks } }

    /// The remarks of the rule, which do not fail it.
    package var notes: [String] { state.withLock { $0.notes } }

    /// Adds a remark to the report, such as a figure or a count, which does not fail the rule.
    package func note(_ sentence: String) { state.withLock { $0.notes.append(sentence) } }

    /// A new and empty place for a cache, which no other cache uses.
    package func site() throws(CacheError) -> any CacheSite {
        let site = try backend.makeSite()
        state.withLock { $0.sites.append(site) }
        return site
    }

    /// A new, empty cache in a place of its own.
    package func cache() throws(CacheError) -> any ConformanceCache { try site().open() }

    /// A generator of random numbers for this rule; equal seeds give equal numbers.
    package func generator() -> SeededGenerator { SeededGenerator(seed: seed, for: ruleID) }

    /// Closes and removes all places that were given out.
    package func finish() {
        let sites = state.withLock { state in
            defer { state.sites = [] }
            return state.sites
        }
        for site in sites { site.remove() }
    }

    func countCheck() { state.withLock { $0.checks += 1 } }
}
