public import GroveConformance

/// Which mutants the rules killed: the test of the tests.
public struct MutantReport: Sendable {
    /// What became of one mutant.
    public struct Row: Sendable {
        /// The mutant.
        public let mutant: Mutant
        /// The results of the rules that were run on it: those that list it, or all.
        public let results: [RuleResult]

        /// The results of the rules that list it.
        public var listed: [RuleResult] { results.filter { $0.rule.kills.contains(mutant.name) } }

        /// The rules that list it and found it out.
        public var killers: [RuleResult] { listed.filter(\.isBroken) }

        /// The rules that list it and did not.
        public var spared: [RuleResult] { listed.filter { !$0.isBroken && $0.outcome != .skipped } }

        /// The rules that list it and could not be checked here.
        public var skipped: [RuleResult] { listed.filter { $0.outcome == .skipped } }

        /// The rules that found it out unasked.
        public var others: [RuleResult] { results.filter { $0.isBroken && !$0.rule.kills.contains(mutant.name) } }

        /// How many of the rules that were checked it passes.
        public var passed: (count: Int, of: Int) {
            let checked = results.filter { $0.outcome != .skipped }
            return (checked.count { !$0.isBroken }, checked.count)
        }

        /// Whether every rule that lists it needs what is not here, so that nothing can be said.
        public var isUntried: Bool { !listed.isEmpty && skipped.count == listed.count }

        /// Whether no rule found it out.
        public var survives: Bool { killers.isEmpty && !isUntried }

        /// Whether it breaks so much that killing it proves little: fewer than four rules in five pass.
        public var isTooBroken: Bool { passed.of > listed.count && passed.count * 5 < passed.of * 4 }

        /// Whether it died as it should.
        public var isSound: Bool { !survives && spared.isEmpty && !isTooBroken }
    }

    /// One row for each mutant.
    public let rows: [Row]
    /// Rules that list a mutant that does not exist, with its name.
    public let unknown: [(rule: String, mutant: String)]

    /// Whether every mutant died, by every rule that lists it, and none is broken in too many ways.
    public var isSound: Bool { unknown.isEmpty && rows.allSatisfy(\.isSound) }

    /// Runs each mutant against rules.
    ///
    /// - Parameters:
    ///   - isWhole: whether every rule is run on each, rather than those alone that list it. Rules that start processes
    ///     or take long, and do not list it, are left out.
    ///   - progress: told of each row as it comes.
    public static func run(
        rules: [Rule] = Rules.all, mutants: [Mutant] = Mutants.all(), seed: UInt64, isWhole: Bool = false,
        progress: (Row) -> Void = { _ in }
    ) async -> MutantReport {
        let runner = ConformanceRunner(rules: rules, seed: seed)
        var rows: [Row] = []
        for mutant in mutants {
            var results: [RuleResult] = []
            for rule in rules {
                let isLight = !rule.requires.contains(.processes) && rule.timeLimit <= .seconds(60)
                guard rule.kills.contains(mutant.name) || isWhole && isLight else { continue }
                results.append(await runner.check(rule, on: mutant.backend))
            }
            let row = Row(mutant: mutant, results: results)
            progress(row)
            rows.append(row)
        }
        let names = Set(Mutants.all().map(\.name))
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
            let state = row.isUntried ? "untried " : row.survives ? "SURVIVES" : "killed  "
            let share = row.passed.of > row.listed.count ? "passes \(row.passed.count) of \(row.passed.of)  " : ""
            let others = row.others.isEmpty ? "" : "  (and \(row.others.map(\.rule.id).joined(separator: " ")))"
            lines.append("\(state)  \(name)  \(share)\(killers)\(others)")
            if let first = row.killers.first { lines.append("          \(first.rule.id): \(first.message)") }
            for result in row.spared {
                lines.append("          \(result.rule.id) lists it and \(result.outcome.rawValue)")
            }
            for result in row.skipped {
                lines.append("          \(result.rule.id) lists it and was skipped: \(result.message)")
            }
            if row.isTooBroken { lines.append("          it is broken in too many ways to prove anything") }
        }
        for (rule, mutant) in unknown { lines.append("          \(rule) lists \(mutant), which does not exist") }
        let surviving = rows.count(where: \.survives)
        let untried = rows.count(where: \.isUntried)
        lines.append(
            "\(rows.count) mutants, \(rows.count - surviving - untried) killed, \(surviving) surviving"
                + (untried > 0 ? ", \(untried) untried" : ""))
        return lines.joined(separator: "\n") + "\n"
    }
}
