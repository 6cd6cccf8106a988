/// The rules as `Conformance/RULES.md` lists them.
public enum RuleList {
    /// The text of the file: every rule with its reason, what it needs and whom it must kill.
    public static func markdown(_ rules: [Rule] = Rules.all) -> String {
        var lines = [
            "# Conformance rules", "",
            "Generated from the rules themselves; `grove conformance --markdown --output Conformance/RULES.md` writes "
                + "it again.", "",
            "A cache conforms when no MUST is broken and no more than one rule in ten was skipped. A rule whose needs the "
                + "backend or its harness does not meet is skipped, and says what it needs. An identifier is never used "
                + "again.",
            "", "\(rules.count) rules.",
        ]
        var family = ""
        for rule in rules {
            if rule.family != family {
                family = rule.family
                lines += ["", "## \(title(family))"]
            }
            lines += ["", "**\(rule.id)** \(rule.level.rawValue): \(rule.text)  ", rule.reason]
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
        }
        lines += ["", "## Retired"]
        for rule in RetiredRule.all { lines += ["", "**\(rule.id)** \(rule.text)  ", rule.reason] }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func title(_ family: String) -> String {
        let titles = [
            "HAR": "harness", "STO": "the bare store", "CON": "contract", "NRM": "normalization",
            "RCN": "reconstruction",
            "DEL": "deletion", "COL": "collections", "PRJ": "projections", "KEY": "keys and hostile input",
            "SCH": "schema drift and formats", "CNC": "concurrency", "LIF": "life cycle",
            "MBT": "random programs beside a model", "DUR": "durability",
            "ANS": "answers",
        ]
        return titles[family].map { "\(family) \($0)" } ?? family
    }
}
