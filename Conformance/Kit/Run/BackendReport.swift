/// What became of all rules on one backend.
public struct BackendReport: Sendable {
    /// The verdicts.
    public enum Verdict: String, Sendable {
        /// No MUST is broken, and no more than one rule in ten was skipped.
        case conformant
        /// The same, but for rules that are broken and excused.
        case excused
        /// The other.
        case failed
    }

    /// The backend's name.
    public let backend: String
    /// One result for each rule, in order.
    public let results: [RuleResult]
    /// Whether every rule of the kit was asked for, so that skips count.
    public let isWhole: Bool

    /// Makes a report.
    public init(backend: String, results: [RuleResult], isWhole: Bool) {
        self.backend = backend
        self.results = results
        self.isWhole = isWhole
    }

    /// How many rules ended as `outcome`.
    public func count(_ outcome: RuleResult.Outcome) -> Int { results.count { $0.outcome == outcome } }

    /// How many rules are broken, in whatever way.
    public var broken: Int { results.count(where: \.isBroken) }

    /// Whether more than one rule in ten was skipped in a run of them all, of those that say something about the backend.
    public var hasTooManySkips: Bool {
        let applicable = results.filter(\.isApplicable)
        return isWhole && applicable.count { $0.outcome == .skipped } * 10 > applicable.count
    }

    /// Whether anything was checked at all.
    public var hasRun: Bool { results.contains { $0.outcome != .skipped } }

    /// Whether the backend conforms, as far as it was asked.
    public var verdict: Verdict {
        let breaksMust = results.contains { $0.isBroken && $0.rule.level == .must }
        if breaksMust || hasTooManySkips || !hasRun { return .failed }
        return results.contains { $0.outcome == .excused && $0.rule.level == .must } ? .excused : .conformant
    }

    /// Whether every rule that kills processes and makes system calls fail was run in a run of all rules, and holds.
    public var isHardened: Bool {
        let fault = results.filter { $0.rule.requires.contains(.systemFaults) }
        return isWhole && !fault.isEmpty && fault.allSatisfy { $0.outcome == .passed } && verdict == .conformant
    }
}
