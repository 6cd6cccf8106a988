/// The result of one rule on one backend.
package struct RuleResult: Sendable {
    /// The ways in which the check of a rule may end.
    package enum Outcome: String, Sendable, CaseIterable {
        /// The rule holds.
        case passed
        /// The rule is broken.
        case failed
        /// The rule could not be checked; the message names the missing capability.
        case skipped
        /// The rule is broken, and an excuse gives the reason.
        case excused
        /// The process ended during the check.
        case crashed
        /// The check did not end in time.
        case timedOut
    }

    /// The rule.
    package let rule: Rule
    /// The way in which the check ended.
    package let outcome: Outcome
    /// Whether the rule applies to the backend; false if it needs a capability that the profile does not claim.
    package let isApplicable: Bool
    /// The number of checks.
    package let checks: Int
    /// A sentence about the result; empty if there is nothing to report.
    package let message: String
    /// The time that the rule took.
    package let duration: Duration

    /// Makes a result.
    package init(
        _ rule: Rule, _ outcome: Outcome, checks: Int = 0, message: String = "", duration: Duration = .zero,
        isApplicable: Bool = true
    ) {
        self.rule = rule
        self.outcome = outcome
        self.checks = checks
        self.message = message
        self.duration = duration
        self.isApplicable = isApplicable
    }

    /// Whether the rule was checked and does not hold.
    package var isBroken: Bool { outcome == .failed || outcome == .crashed || outcome == .timedOut }

    /// The file in which a broken rule saved the shortest program that breaks it; `nil` if it saved none.
    package var savedProgram: String? {
        guard isBroken, let line = message.split(separator: "\n").last(where: { $0.hasPrefix(RuleResult.saved) }) else {
            return nil
        }
        return String(line.dropFirst(RuleResult.saved.count))
    }

    /// The message without the line that names the saved program.
    var sentence: String {
        message.split(separator: "\n", omittingEmptySubsequences: false).filter { !$0.hasPrefix(RuleResult.saved) }
            .joined(separator: "\n")
    }

    /// The beginning of the line that names a saved program in a message.
    static let saved = "The program is saved in "
}
