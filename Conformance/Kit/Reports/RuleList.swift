/// The list of rules in `Conformance/RULES.md`.
package enum RuleList {
    /// The text of the file: every rule with its reason, the capabilities that it needs, and the mutants that it must
    /// kill.
    package static func markdown(_ rules: [Rule] = Rules.all) -> String {
        var lines = [
            "# Conformance rules", "",
            "Generated from the rules themselves; `grove conformance --markdown --output Conformance/RULES.md` writes "
                + "it again.", "",
            "A cache conforms if no MUST is broken and no more than one in ten of the rules that apply to it was skipped. A rule "
                + "that needs what the profile does not claim does not apply. A rule whose needs the harness does not meet is "
                + "skipped, and says what it needs. An identifier is never used again.",
            "", "\(Prose.count(rules.count, "rule")).",
        ]
        for family in Theme.families(of: rules) {
            lines += ["", "## \(title(family))"]
            for rule in rules where rule.family == family { lines += entry(rule) }
        }
        lines += ["", "## Retired"]
        for rule in RetiredRule.all { lines += ["", "**\(rule.id)** \(rule.text)  ", rule.reason] }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func entry(_ rule: Rule) -> [String] {
        var lines = ["", "**\(rule.id)** \(rule.level.rawValue): \(rule.text)  ", rule.reason]
        var notes: [String] = []
        if !rule.requires.isEmpty {
            notes.append("Needs " + rule.requires.map { "`\($0)`" }.sorted().joined(separator: ", ") + ".")
        }
        if !rule.kills.isEmpty {
            notes.append("Kills " + rule.kills.map { "`\($0)`" }.joined(separator: ", ") + ".")
        }
        if !notes.isEmpty {
            lines[lines.count - 1] += "  "
            lines.append(notes.joined(separator: " "))
        }
        return lines
    }

    private static func title(_ family: String) -> String { "\(family) \(Theme.name(of: family))" }
}
