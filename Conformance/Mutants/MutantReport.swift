import GroveCache
public import GroveConformance
import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Which mutants the rules killed: the test of the tests.
public struct MutantReport: Sendable {
    /// What became of one mutant.
    public struct Row: Sendable {
        /// The mutant.
        public let mutant: Mutant
        /// The results of the rules that were run on it: those that list it, or all.
        public internal(set) var results: [RuleResult]

        /// The rules that found it out at another seed than the first, with that seed.
        public internal(set) var late: [(rule: String, seed: UInt64)] = []

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
    ///   - isIsolated: whether the rules run in processes of their own where the mutant has a worker, so that one that
    ///     traps or hangs is a verdict on its rule.
    ///   - tries: how many seeds a rule that lists a mutant has to find it out. Which moments a rule tries is up to its
    ///     seed, and some flaws show at few of them.
    ///   - progress: told of each row as it comes.
    public static func run(
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

    /// The matrix as text: each mutant, who killed it and with which words, and who should have; the sum at the end.
    public var pretty: String { rows.map(\.pretty).joined() + sum }

    /// How many mutants there are, and what became of them.
    public var sum: String {
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
    public var pretty: String {
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
