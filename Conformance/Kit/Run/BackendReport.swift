/// What became of all rules on one backend.
public struct BackendReport: Sendable {
    /// The verdicts.
    public enum Verdict: String, Sendable {
        /// Every rule was asked for, no MUST is broken, and no more than one rule in ten was skipped.
        case conformant
        /// The same, but for rules that are broken and excused.
        case excused
        /// The rules that were asked for hold; not all of them were asked for.
        case partial
        /// The run was interrupted before a MUST was found broken.
        case interrupted
        /// A MUST is broken, too much was skipped, or nothing was checked.
        case failed
    }

    /// The backend's name.
    public let backend: String
    /// One result for each rule, in order.
    public let results: [RuleResult]
    /// Whether every rule of the kit was asked for, so that skips count.
    public let isWhole: Bool
    /// How many rules were asked for.
    public let asked: Int
    /// How many rules the kit has for such a backend.
    public let total: Int
    /// Whether the user ended the run before it was through.
    public let isInterrupted: Bool
    /// What is typed to check this backend again, before `--rule` and `--seed`.
    public var command: String
    /// The backend's declaration of its profile, in one line; empty if there is none.
    public var claims = ""

    /// Makes a report.
    ///
    /// - Parameters:
    ///   - asked: how many rules were asked for; as many as there are results by default.
    ///   - total: how many rules the kit has for such a backend; as many as were asked for by default.
    ///   - isInterrupted: whether the user ended the run.
    public init(
        backend: String, results: [RuleResult], isWhole: Bool, asked: Int? = nil, total: Int? = nil,
        isInterrupted: Bool = false
    ) {
        self.backend = backend
        self.results = results
        self.isWhole = isWhole
        self.asked = asked ?? results.count
        self.total = total ?? asked ?? results.count
        self.isInterrupted = isInterrupted
        command = "grove conformance --backend \(backend)"
    }

    /// How many rules ended as `outcome`.
    public func count(_ outcome: RuleResult.Outcome) -> Int { results.count { $0.outcome == outcome } }

    /// How many rules are broken, in whatever way.
    public var broken: Int { results.count(where: \.isBroken) }

    /// How many rules say something about the backend: those that need what its profile claims, and no more.
    public var applicable: Int { results.count(where: \.isApplicable) }

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
        if breaksMust { return .failed }
        if isInterrupted { return .interrupted }
        if hasTooManySkips || !hasRun { return .failed }
        if !isWhole || results.count < asked { return .partial }
        return results.contains { $0.outcome == .excused && $0.rule.level == .must } ? .excused : .conformant
    }

    /// Whether every rule that kills processes and makes system calls fail was run in a run of all rules, and holds.
    public var isHardened: Bool {
        let fault = results.filter { $0.rule.requires.contains(.systemFaults) }
        return isWhole && !fault.isEmpty && fault.allSatisfy { $0.outcome == .passed } && verdict == .conformant
    }

    /// How long the rules took.
    public var duration: Duration { results.reduce(.zero) { $0 + $1.duration } }

    /// What is typed to check one rule again.
    public func replay(_ result: RuleResult, seed: UInt64) -> String {
        "\(command) --rule \(result.rule.id) --seed \(seed)"
    }

    /// What is typed to run the program that a broken rule saved; `nil` if it saved none.
    public func replayOfProgram(_ result: RuleResult) -> String? {
        result.savedProgram.map { "\(command) --replay \(Prose.shell($0))" }
    }
}
