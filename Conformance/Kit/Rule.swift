/// One sentence that every conforming cache obeys, and the check that tests it.
///
/// A rule is a value. The same list runs under Swift Testing, from `grove conformance` and in a third party's own
/// executable. An identifier is never used again: if a rule changes its meaning, it gets a new one.
public struct Rule: Sendable, Identifiable {
    /// The weight of a rule.
    public enum Level: String, Sendable {
        /// A cache that breaks the rule does not conform.
        case must = "MUST"
        /// A cache that breaks the rule conforms, but should have a reason.
        case should = "SHOULD"
    }

    /// The family and the number, such as `NRM-01`.
    public let id: String
    /// The weight of the rule.
    public let level: Level
    /// The rule in one sentence.
    public let text: String
    /// The reason for the rule: the harm to a user if it is broken.
    public let reason: String
    /// The capabilities of the backend and its harness without which the rule cannot be checked.
    package let requires: Set<Capability>
    /// The names of the mutants that this rule must kill.
    package let kills: [String]
    /// The time after which the check counts as hanging.
    package let timeLimit: Duration
    /// Checks the rule; throws ``CheckFailure`` if the rule is broken.
    package let check: @Sendable (Trial) async throws -> Void

    /// Makes a rule.
    package init(
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

    /// The rule's family: the part of the identifier before the dash.
    package var family: String { String(id.prefix { $0 != "-" }) }
}
