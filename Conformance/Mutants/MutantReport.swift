public import GroveConformance

/// Which mutants the rules killed: the test of the tests.
public struct MutantReport: Sendable {
    /// What became of one mutant.
    public struct Row: Sendable {
        /// The mutant.
        public let mutant: Mutant
        /// The results of the rules that list it.
        public let results: [RuleResult]

        /// The rules that found it out.
        public var killers: [RuleResult] { results.filter(\.isBroken) }

        /// The rules that list it and did not.
        public var spared: [RuleResult] { results.filter { !$0.isBroken } }

        /// Whether no rule found it out.
        public var survives: Bool { killers.isEmpty }
    }

    /// One row for each mutant.
    public let rows: [Row]
    /// Rules that list a mutant that does not exist, with its name.
    public let unknown: [(rule: String, mutant: String)]

    /// Whether every mutant died and every rule killed what it lists.
    public var isSound: Bool { unknown.isEmpty && rows.allSatisfy { !$0.survives && $0.spared.isEmpty } }

    /// Runs each mutant against the rules that list it.
    ///
    /// - Parameter progress: told of each row as it comes.
    public static func run(
        rules: [Rule] = Rules.all, mutants: [Mutant] = Mutants.all, seed: UInt64, progress: (Row) -> Void = { _ in }
    ) async -> MutantReport {
        let runner = ConformanceRunner(rules: rules, seed: seed)
        var rows: [Row] = []
        for mutant in mutants {
            var results: [RuleResult] = []
            for rule in rules where rule.kills.contains(mutant.name) {
                results.append(await runner.check(rule, on: mutant.backend))
            }
            let row = Row(mutant: mutant, results: results)
            progress(row)
            rows.append(row)
        }
        let names = Set(Mutants.all.map(\.name))
        let unknown = rules.flatMap { rule in
            rule.kills.filter { !names.contains($0) }.map { (rule: rule.id, mutant: $0) }
        }
        return MutantReport(rows: rows, unknown: unknown)
    }

    /// The matrix as text: each mutant, who killed it and with which words, and who should have.
    public var pretty: String {
        let width = rows.map(\.mutant.name.count).max() ?? 0
        var lines: [String] = []
        for row in rows {
            let name = row.mutant.name + String(repeating: " ", count: width - row.mutant.name.count)
            let killers = row.killers.map(\.rule.id).joined(separator: " ")
            lines.append("\(row.survives ? "SURVIVES" : "killed  ")  \(name)  \(killers)")
            if let first = row.killers.first { lines.append("          \(first.rule.id): \(first.message)") }
            for result in row.spared {
                lines.append("          \(result.rule.id) lists it and \(result.outcome.rawValue)")
            }
        }
        for (rule, mutant) in unknown { lines.append("          \(rule) lists \(mutant), which does not exist") }
        let dead = rows.count { !$0.survives }
        lines.append("\(rows.count) mutants, \(dead) killed, \(rows.count - dead) surviving")
        return lines.joined(separator: "\n") + "\n"
    }
}
