/// A set of rules that is checked on one kind of backend.
package enum RuleSuite: String, Sendable, CaseIterable {
    /// A `NodeStore` under a `NormalizedCache`: every rule.
    case store
    /// Any `CacheDelegate`: the rules that need only its methods and the abilities that a harness can supply.
    case delegate
}

extension Rule {
    /// The suites that contain the rule.
    package var suites: Set<RuleSuite> {
        requires.isSubset(of: Capability.ofDelegates.union(Capability.ofProfiles)) ? [.store, .delegate] : [.store]
    }
}

extension Rules {
    /// The rules of `suite`, in order.
    package static func all(of suite: RuleSuite) -> [Rule] { all.filter { $0.suites.contains(suite) } }

    /// Whether `rules` are all that are asked of `backend`.
    static func areWhole(_ rules: [Rule], for backend: any ConformanceBackend) -> Bool {
        Set(rules.map(\.id)).isSuperset(of: all(of: backend.suite).map(\.id))
    }
}
