/// The reason why a backend is known to break a rule; if the rule holds, the excuse itself is a failure.
public struct RuleExcuse: Sendable, Equatable {
    /// The rule's identifier.
    package let ruleID: String
    /// The reason in one sentence: the work that is left, or why it will not be done.
    package let reason: String

    /// Makes an excuse.
    public init(_ ruleID: String, because reason: String) {
        self.ruleID = ruleID
        self.reason = reason
    }

    /// `result` after `excuses`: an excused rule that is broken is excused, and one that holds has failed.
    static func apply(_ excuses: [RuleExcuse], to result: RuleResult) -> RuleResult {
        guard let excuse = excuses.first(where: { $0.ruleID == result.rule.id }) else { return result }
        if result.isBroken {
            return RuleResult(
                result.rule, .excused, checks: result.checks, message: "\(excuse.reason) \(result.message)",
                duration: result.duration)
        }
        guard result.outcome == .passed else { return result }
        return RuleResult(
            result.rule, .failed, checks: result.checks,
            message: "Expected it to be broken (\"\(excuse.reason)\"), got a rule that holds: remove the excuse.",
            duration: result.duration)
    }
}
