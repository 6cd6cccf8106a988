/// One sentence that every conforming cache obeys, and the check that finds out.
///
/// A rule is a value: the same list runs under Swift Testing, from `grove conformance` and in a third party's own
/// executable. Its identifier is never used again; a changed meaning gets a new one.
public struct Rule: Sendable, Identifiable {
    /// How much depends on a rule.
    public enum Level: String, Sendable {
        /// A cache that breaks it does not conform.
        case must = "MUST"
        /// A cache that breaks it conforms, and should have a reason.
        case should = "SHOULD"
    }

    /// The family and the number, such as `NRM-01`.
    public let id: String
    /// How much depends on it.
    public let level: Level
    /// What holds, in one sentence.
    public let text: String
    /// Why it matters: what a user would see where it does not hold.
    public let reason: String
    /// What the harness or the backend must offer for the check to be possible.
    public let requires: Set<Capability>
    /// The names of the mutants that this rule must kill.
    public let kills: [String]
    /// How long the check may take before it counts as hanging.
    public let timeLimit: Duration
    /// Checks the rule; throws ``CheckFailure`` where it does not hold.
    public let check: @Sendable (Trial) async throws -> Void

    /// Makes a rule.
    public init(
        _ id: String, _ text: String, because reason: String, level: Level = .must, requires: Set<Capability> = [],
        kills: [String] = [], timeLimit: Duration = .seconds(60),
        check: @escaping @Sendable (Trial) async throws -> Void
    ) {
        self.id = id
        self.level = level
        self.text = text
        self.reason = reason
        self.requires = requires
        self.kills = kills
        self.timeLimit = timeLimit
        self.check = check
    }

    /// The rule's family: what stands before the dash.
    public var family: String { String(id.prefix { $0 != "-" }) }
}
