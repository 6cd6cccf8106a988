/// The results of all rules on one backend.
package struct BackendReport: Sendable {
    /// A verdict on a backend.
    package enum Verdict: String, Sendable {
        /// Every rule was asked for, no MUST is broken, and no more than one rule in ten was skipped.
        case conformant
        /// As conformant, but a MUST is broken and excused.
        case excused
        /// Not every rule was asked for, and no MUST among those that were is broken.
        case partial
        /// The run was interrupted before a MUST was found broken.
        case interrupted
        /// A MUST is broken, too much was skipped, or nothing was checked.
        case failed
    }

    /// The backend's name.
    package let backend: String
    /// One result for each rule, in order.
    package let results: [RuleResult]
    /// Whether every rule of the kit was asked for, so that skips count.
    package let isWhole: Bool
    /// The number of rules that were asked for.
    package let asked: Int
    /// The number of rules that the kit has for such a backend.
    package let total: Int
    /// Whether the user interrupted the run.
    package let isInterrupted: Bool
    /// The command that checks this backend again, without `--rule` and `--seed`.
    package var command: String
    /// The backend's declaration of its profile, in one line; empty if there is none.
    package var claims = ""

    /// Makes a report.
    ///
    /// - Parameters:
    ///   - asked: the number of rules that were asked for; the number of results by default.
    ///   - total: the number of rules that the kit has for such a backend; `asked` by default.
    ///   - isInterrupted: whether the user interrupted the run.
    package init(
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

    /// The number of rules that ended as `outcome`.
    package func count(_ outcome: RuleResult.Outcome) -> Int { results.count { $0.outcome == outcome } }

    /// The number of rules that failed, crashed or timed out.
    package var broken: Int { results.count(where: \.isBroken) }

    /// The number of rules that apply to the backend: those that need nothing that its profile does not claim.
    package var applicable: Int { results.count(where: \.isApplicable) }

    /// Whether more than one in ten of the rules that apply was skipped, in a run of all rules.
    package var hasTooManySkips: Bool {
        let applicable = results.filter(\.isApplicable)
        return isWhole && applicable.count { $0.outcome == .skipped } * 10 > applicable.count
    }

    /// Whether at least one rule was checked.
    package var hasRun: Bool { results.contains { $0.outcome != .skipped } }

    /// The verdict from the rules that were asked for.
    package var verdict: Verdict {
        let breaksMust = results.contains { $0.isBroken && $0.rule.level == .must }
        if breaksMust { return .failed }
        if isInterrupted { return .interrupted }
        if hasTooManySkips || !hasRun { return .failed }
        if !isWhole || results.count < asked { return .partial }
        return results.contains { $0.outcome == .excused && $0.rule.level == .must } ? .excused : .conformant
    }

    /// Whether every rule with killed processes and failing system calls holds, in a run of all rules that conforms.
    package var isHardened: Bool {
        let fault = results.filter { $0.rule.requires.contains(.systemFaults) }
        return isWhole && !fault.isEmpty && fault.allSatisfy { $0.outcome == .passed } && verdict == .conformant
    }

    /// The time that the rules took together.
    package var duration: Duration { results.reduce(.zero) { $0 + $1.duration } }

    /// The command that checks one rule again.
    package func replay(_ result: RuleResult, seed: UInt64) -> String {
        "\(command) --rule \(result.rule.id) --seed \(seed)"
    }

    /// The command that runs the program that a broken rule saved; `nil` if it saved none.
    package func replayOfProgram(_ result: RuleResult) -> String? {
        result.savedProgram.map { "\(command) --replay \(Prose.shell($0))" }
    }
}
