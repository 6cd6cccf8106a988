import GroveCache
package import GroveConformance
import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A list of the mutants that the rules killed: the test of the rules themselves.
package struct MutantReport: Sendable {
    /// The results of the rules on one mutant.
    package struct Row: Sendable {
        /// The mutant.
        package let mutant: Mutant
        /// The results of the rules that were run on the mutant: those that list it, or all.
        package internal(set) var results: [RuleResult]

        /// The rules that killed the mutant only at another seed than the first, with that seed.
        package internal(set) var late: [(rule: String, seed: UInt64)] = []

        /// The results of the rules that list the mutant.
        package var listed: [RuleResult] { results.filter { $0.rule.kills.contains(mutant.name) } }

        /// The results of the rules that list the mutant and killed it.
        package var killers: [RuleResult] { listed.filter(\.isBroken) }

        /// The results of the rules that list the mutant, were checked, and did not kill it.
        package var spared: [RuleResult] { listed.filter { !$0.isBroken && $0.outcome != .skipped } }

        /// The results of the rules that list the mutant and were skipped.
        package var skipped: [RuleResult] { listed.filter { $0.outcome == .skipped } }

        /// The results of the rules that killed the mutant without listing it.
        package var others: [RuleResult] { results.filter { $0.isBroken && !$0.rule.kills.contains(mutant.name) } }

        /// The number of rules that hold on the mutant, and the number of rules that were checked.
        package var passed: (count: Int, of: Int) {
            let checked = results.filter { $0.outcome != .skipped }
            return (checked.count { !$0.isBroken }, checked.count)
        }

        /// Whether every rule that lists the mutant was skipped.
        package var isUntried: Bool { !listed.isEmpty && skipped.count == listed.count }

        /// Whether no rule that lists the mutant killed it; false if all of them were skipped.
        package var survives: Bool { killers.isEmpty && !isUntried }

        /// Whether fewer than three in four of the checked rules hold, so that killing the mutant proves little.
        package var isTooBroken: Bool { passed.of > listed.count && passed.count * 4 < passed.of * 3 }

        /// Whether every rule that lists the mutant and was checked killed it, and it is not too broken.
        package var isSound: Bool { !survives && spared.isEmpty && !isTooBroken }
    }

    /// One row for each mutant.
    package let rows: [Row]
    /// The rules that list a mutant which does not exist, with that name.
    package let unknown: [(rule: String, mutant: String)]

    /// Whether every mutant was killed by every rule that lists it, and none is too broken.
    package var isSound: Bool { unknown.isEmpty && rows.allSatisfy(\.isSound) }

    /// Runs each mutant against rules.
    ///
    /// - Parameters:
    ///   - isWhole: whether all rules are run on each mutant, not only those that list it. Rules that start processes
    ///     or take long are run only on the mutants that they list.
    ///   - isIsolated: whether rules run in child processes if the mutant has a worker, so that a trap or a hang fails
    ///     only its rule.
    ///   - tries: the number of seeds at which a rule that lists a mutant may kill it. The seed chooses the moments
    ///     that a rule tries, and some flaws show only at a few.
    ///   - progress: called with each row as it comes.
    package static func run(
        rules: [Rule] = Rules.all, mutants: [Mutant] = Mutants.all(), seed: UInt64, isWhole: Bool = false,
        isIsolated: Bool = false, tries: UInt64 = 4, progress: (Row) -> Void = { _ in }
    ) async throws -> MutantReport {
        func results(of mutant: Mutant, _ rules: [Rule], seed: UInt64) async throws -> [RuleResult] {
            let report: ConformanceReport
            if isIsolated, let worker = mutant.worker {
                report = try IsolatedRunner(rules: rules, seed: seed).run([WorkedBackend(mutant.backend, by: worker)])
            } else {
                report = await ConformanceRunner(rules: rules, seed: seed).run([mutant.backend])
            }
            return report.backends.flatMap(\.results)
        }
        func row(of mutant: Mutant) async throws -> Row {
            let asked = rules.filter { rule in
                let isLight = !rule.requires.contains(.processes) && rule.timeLimit <= .seconds(60)
                return rule.kills.contains(mutant.name) || isWhole && isLight
            }
            var row = Row(mutant: mutant, results: try await results(of: mutant, asked, seed: seed))
            for step in 1..<max(tries, 1) where !row.spared.isEmpty {
                let other = seed &+ step &* 0x9E37_79B9
                for result in try await results(of: mutant, row.spared.map(\.rule), seed: other) where result.isBroken {
                    row.results = row.results.map { $0.rule.id == result.rule.id ? result : $0 }
                    row.late.append((result.rule.id, other))
                }
            }
            return row
        }
        // Most of the time goes into waiting for mutants that hang.
        let width = isIsolated ? max(2, ProcessInfo.processInfo.activeProcessorCount) : 1
        var found: [Int: Row] = [:]
        var rows: [Row] = []
        try await withThrowingTaskGroup(of: (Int, Row).self) { group in
            for index in mutants.indices {
                if index >= width { try await take() }
                group.addTask(executorPreference: BlockingExecutor.shared) {
                    (index, try await row(of: mutants[index]))
                }
            }
            while rows.count < mutants.count { try await take() }

            func take() async throws {
                guard let (index, row) = try await group.next() else { return }
                found[index] = row
                while let next = found[rows.count] {
                    progress(next)
                    rows.append(next)
                }
            }
        }
        let names = Set(Mutants.all().map(\.name))
        let unknown = rules.flatMap { rule in
            rule.kills.filter { !names.contains($0) }.map { (rule: rule.id, mutant: $0) }
        }
        return MutantReport(rows: rows, unknown: unknown)
    }

    /// The report as text: each mutant, the rules that killed it with their messages, and those that failed to.
    ///
    /// The sum is at its end.
    package var pretty: String { rows.map(\.pretty).joined() + sum }

    /// The numbers of mutants by outcome.
    package var sum: String {
        let surviving = rows.count(where: \.survives)
        let untried = rows.count(where: \.isUntried)
        let unsound = rows.count { !$0.isSound && !$0.survives }
        let lines = unknown.map { "          \($0.rule) lists \($0.mutant), which does not exist\n" }
        return lines.joined()
            + "\(rows.count) mutants, \(rows.count - surviving - untried) killed, \(surviving) surviving"
            + (untried > 0 ? ", \(untried) untried" : "") + (unsound > 0 ? ", \(unsound) not as they should" : "")
            + "\n"
    }
}

extension MutantReport.Row {
    /// The row as text.
    package var pretty: String {
        let state = isUntried ? "untried " : survives ? "SURVIVES" : "killed  "
        let share = passed.of > listed.count ? "  passes \(passed.count) of \(passed.of)" : ""
        let by = killers.isEmpty ? "" : "  \(killers.map(\.rule.id).joined(separator: " "))"
        let also = others.isEmpty ? "" : "  (and \(others.map(\.rule.id).joined(separator: " ")))"
        var lines = ["\(state)  \(mutant.name)\(share)\(by)\(also)"]
        if let first = killers.first { lines.append("          \(first.rule.id): \(first.message)") }
        for rule in late { lines.append("          \(rule.rule) needed seed \(rule.seed)") }
        for result in spared { lines.append("          \(result.rule.id) lists it and \(result.outcome.rawValue)") }
        for result in skipped {
            lines.append("          \(result.rule.id) lists it and was skipped: \(result.message)")
        }
        if isTooBroken { lines.append("          it is broken in too many ways to prove anything") }
        return lines.map { $0 + "\n" }.joined()
    }
}

/// A mutant whose rules a process checks, whether or not the mutant itself starts others.
private struct WorkedBackend: ConformanceBackend {
    let base: any ConformanceBackend
    let worker: WorkerCommand?

    init(_ base: any ConformanceBackend, by worker: WorkerCommand) {
        self.base = base
        self.worker = worker
    }

    var name: String { base.name }
    var profile: BackendProfile { base.profile }
    var capabilities: Set<Capability> { base.capabilities }
    var suite: RuleSuite { base.suite }

    func makeSite() throws(CacheError) -> any CacheSite { try base.makeSite() }
    func site(at directory: String) -> any CacheSite { base.site(at: directory) }
}
