/// A rule that a backend is known to break, and why; it expires when the rule holds.
public struct RuleExcuse: Sendable, Equatable {
    /// The rule's identifier.
    public let ruleID: String
    /// Why it does not hold, in one sentence: what is to be done, or why it will not be.
    public let reason: String

    /// Makes an excuse.
    public init(_ ruleID: String, because reason: String) {
        self.ruleID = ruleID
        self.reason = reason
    }

    /// `result` in the light of `excuses`: a broken rule that is excused is so, and an excused rule that holds is broken.
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
