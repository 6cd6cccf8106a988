import ArgumentParser
import GroveCache
import GroveConformance
import GroveLMDB
import GroveLevelDB
import GroveMemory
import GroveMutants
import GroveSQLite

/// Checks backends against the rules, or the rules against the mutants.
struct ConformanceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conformance",
        abstract: "Checks that the backends keep every rule of the conformance kit.",
        discussion: """
            Each rule is one sentence that a cache must obey, and a check that finds out. Conformance/RULES.md lists \
            them all. A failure prints what was expected, what came, and the command that replays it.

            EXAMPLES
              Check one backend:              grove conformance --backend lmdb
              Check one family of rules:      grove conformance --rule 'DEL-*'
              See what there is:              grove conformance --list
              Check the rules themselves:     grove conformance --mutants

            EXIT STATUS
              0 conformant; 1 a rule that must hold does not; 2 nothing was checked, or the call was wrong.
            """)

    /// A backend, or all of them.
    enum Choice: String, CaseIterable, ExpressibleByArgument {
        case memory, lmdb, sqlite, leveldb, all
    }

    /// How the report is written.
    enum Format: String, CaseIterable, ExpressibleByArgument {
        case pretty, tap, junit, json
    }

    @Option(name: .long, help: "A backend to check: memory, lmdb, sqlite, leveldb or all. Repeatable.")
    var backend: [Choice] = [.all]

    @Option(name: .long, help: "Only rules whose identifiers match, such as NRM-01 or 'DEL-*'. Repeatable.")
    var rule: [String] = []

    @Flag(name: .long, help: "List the rules instead of checking them.")
    var list = false

    @Flag(name: .long, help: "Print the list as Conformance/RULES.md holds it.")
    var markdown = false

    @Flag(name: .long, help: "Check the rules: each mutant must be found out by the rules that list it.")
    var mutants = false

    @Option(name: .long, help: "The report: pretty, tap, junit or json.")
    var format = Format.pretty

    @Option(name: .long, help: "Write the report to this file instead of standard output.")
    var output: String?

    @Option(name: .long, help: "Replay a run whose report printed this seed.")
    var seed: UInt64?

    func run() async throws {
        try OutputFile.check(output)
        for glob in rule where Rules.matching([glob]).isEmpty {
            throw ToolError.input("no rule matches \(glob); grove conformance --list shows them")
        }
        let rules = Rules.matching(rule)
        let seed = seed ?? UInt64.random(in: 1...UInt64(UInt32.max))
        if list || markdown {
            try write(markdown ? RuleList.markdown(rules) : lines(rules))
        } else if mutants {
            try await checkMutants(rules, seed)
        } else {
            try await check(rules, seed)
        }
    }

    private func check(_ rules: [Rule], _ seed: UInt64) async throws {
        let names = backend.contains(.all) ? Choice.allCases : backend
        let backends = names.compactMap(\.backend)
        var done = 0
        let report = await ConformanceRunner(rules: rules, seed: seed).run(backends) { backend, result in
            done += 1
            let state = result.isBroken ? " \(result.outcome.rawValue)" : ""
            Terminal.progress("\(done) of \(rules.count * backends.count)  \(backend) \(result.rule.id)\(state)")
        }
        Terminal.progress("")
        let isColoured = output == nil && Terminal.hasColour
        switch format {
        case .pretty: try write(PrettyReport(report, isColoured: isColoured).text)
        case .tap: try write(TAPReport(report).text)
        case .junit: try write(JUnitReport(report).text)
        case .json: try write(JSONReport(report).text)
        }
        guard report.hasRun else { throw ToolError.input("nothing was checked: every rule was skipped") }
        guard report.isConformant else { throw ExitCode(1) }
    }

    private func checkMutants(_ rules: [Rule], _ seed: UInt64) async throws {
        let lethal = rules.filter { !$0.kills.isEmpty }
        let listed = Set(lethal.flatMap(\.kills))
        let mutants = rule.isEmpty ? Mutants.all : Mutants.all.filter { listed.contains($0.name) }
        guard !mutants.isEmpty else { throw ToolError.input("no mutant is listed by the rules asked for") }
        let report = await MutantReport.run(rules: lethal, mutants: mutants, seed: seed) { row in
            Terminal.progress("\(row.mutant.name)\(row.survives ? " survives" : "")")
        }
        Terminal.progress("")
        try write(report.pretty)
        guard report.isSound else { throw ExitCode(1) }
    }

    private func lines(_ rules: [Rule]) -> String {
        let width = rules.map(\.id.count).max() ?? 0
        return rules.map { rule in
            let id = rule.id + String(repeating: " ", count: width - rule.id.count)
            let level = rule.level.rawValue + String(repeating: " ", count: 6 - rule.level.rawValue.count)
            return "\(id)  \(level)  \(rule.text)"
        }.joined(separator: "\n")
    }

    /// Writes `text`, whose last line break ``OutputFile`` adds.
    private func write(_ text: String) throws {
        var bytes = Array(text.utf8)
        if bytes.last == 0x0A { bytes.removeLast() }
        try OutputFile.write(bytes, to: output)
    }
}

extension ConformanceCommand.Choice {
    /// The backend, as the kit checks it; `nil` for all of them.
    var backend: (any ConformanceBackend)? {
        switch self {
        case .memory: StoreBackend(ToolHarness<MemoryStore>(options: MemoryOptions()))
        case .lmdb: StoreBackend(ToolHarness<LMDBStore>(options: LMDBOptions()))
        case .sqlite: StoreBackend(ToolHarness<SQLiteStore>(options: SQLiteOptions()))
        case .leveldb: StoreBackend(ToolHarness<LevelDBStore>(options: LevelDBOptions()))
        case .all: nil
        }
    }
}

/// A store with its default options.
private struct ToolHarness<Store: NodeStore>: StoreHarness {
    let options: Store.Options
}
