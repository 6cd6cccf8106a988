/// What became of one rule on one backend.
public struct RuleResult: Sendable {
    /// How it ended.
    public enum Outcome: String, Sendable, CaseIterable {
        /// It holds.
        case passed
        /// It does not hold.
        case failed
        /// It could not be checked: the message names what is missing.
        case skipped
        /// It does not hold, and a dated excuse says why.
        case excused
        /// The process ended in the middle.
        case crashed
        /// It did not end in time.
        case timedOut
    }

    /// The rule.
    public let rule: Rule
    /// How it ended.
    public let outcome: Outcome
    /// Whether the rule says something about the backend: false where it was skipped for what its profile does not claim.
    public let isApplicable: Bool
    /// How many checks were made.
    public let checks: Int
    /// A sentence, empty where there is nothing to say.
    public let message: String
    /// How long it took.
    public let duration: Duration

    /// Makes a result.
    public init(
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
    public var isBroken: Bool { outcome == .failed || outcome == .crashed || outcome == .timedOut }

    /// The file in which a broken rule saved the shortest program that breaks it; `nil` if it saved none.
    public var savedProgram: String? {
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

    /// How the line of a message begins that names a saved program.
    static let saved = "The program is saved in "
}
