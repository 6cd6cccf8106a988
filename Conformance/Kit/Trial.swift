public import GroveCache
public import GroveModel
import Synchronization

/// One check of one rule on one backend: it gives the rule fresh caches and keeps count of what the rule looked at.
///
/// Everything it handed out is closed and removed when the check has ended.
public final class Trial: Sendable {
    /// What is being checked.
    public let backend: any ConformanceBackend
    /// The rule's identifier.
    public let ruleID: String
    /// The seed of the run.
    public let seed: UInt64

    private struct State {
        var checks = 0
        var notes: [String] = []
        var sites: [any CacheSite] = []
    }

    private let state = Mutex(State())

    /// Makes a trial of the rule `ruleID`.
    public init(_ ruleID: String, on backend: any ConformanceBackend, seed: UInt64) {
        self.backend = backend
        self.ruleID = ruleID
        self.seed = seed
    }

    /// What the backend declares of itself.
    public var profile: BackendProfile { backend.profile }

    /// Whether the cache says why it missed and what it changed; a bare delegate does not.
    public var hasTypedCalls: Bool { backend.capabilities.contains(.typedCalls) }

    /// How many checks were made.
    public var checks: Int { state.withLock { $0.checks } }

    /// What the rule found worth saying though it holds.
    public var notes: [String] { state.withLock { $0.notes } }

    /// Says something in the report though the rule holds: a figure, or what was counted.
    public func note(_ sentence: String) { state.withLock { $0.notes.append(sentence) } }

    /// A new place for a cache, empty, shared with nothing.
    public func site() throws(CacheError) -> any CacheSite {
        let site = try backend.makeSite()
        state.withLock { $0.sites.append(site) }
        return site
    }

    /// A new, empty cache in a place of its own.
    public func cache() throws(CacheError) -> any ConformanceCache { try site().open() }

    /// Random numbers for this rule, the same for the same seed.
    public func generator() -> SeededGenerator { SeededGenerator(seed: seed, for: ruleID) }

    /// Closes and removes everything that was handed out.
    public func finish() {
        let sites = state.withLock { state in
            defer { state.sites = [] }
            return state.sites
        }
        for site in sites { site.remove() }
    }

    func countCheck() { state.withLock { $0.checks += 1 } }
}
