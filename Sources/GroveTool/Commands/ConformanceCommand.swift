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

    @Option(name: .long, help: "Run the program in this file, as a failing rule saved it, instead of the rules.")
    var replay: String?

    @Option(name: .long, help: "Try random programs, kills and faults for so many minutes instead of the rules.")
    var soak: Double?

    @Flag(name: .long, help: .hidden)
    var selfTest = false

    @Flag(name: .long, help: .hidden)
    var worker = false

    @Argument(help: .hidden)
    var job: [String] = []

    func run() async throws {
        if worker { return try await work() }
        guard job.isEmpty else { throw ToolError.input("unexpected words: \(job.joined(separator: " "))") }
        try OutputFile.check(output)
        if let replay { return try run(programIn: replay) }
        if let soak { return try run(minutes: soak, seed ?? UInt64.random(in: 1...UInt64(UInt32.max))) }
        for glob in rule where Rules.matching([glob]).isEmpty {
            throw ToolError.input("no rule matches \(glob); grove conformance --list shows them")
        }
        let rules = selfTest ? Rules.bad : Rules.matching(rule)
        let seed = seed ?? UInt64.random(in: 1...UInt64(UInt32.max))
        if list || markdown {
            try write(markdown ? RuleList.markdown(rules) : lines(rules))
        } else if mutants {
            try await checkMutants(rules, seed)
        } else {
            try check(rules, seed)
        }
    }

    /// Does a job of the kit's in a process of its own.
    private func work() async throws {
        guard let backend = backend.first?.backend else { throw ToolError.input("a worker needs one backend") }
        throw ExitCode(await ConformanceWorker.run(job, on: backend))
    }

    /// Runs a saved program, and prints what each step said.
    private func run(programIn file: String) throws {
        let program: Program
        do {
            program = try Program(script: String(decoding: try InputFile.read(file, as: "program"), as: UTF8.self))
        } catch let failure as CheckFailure {
            throw ToolError.input("\(file): \(failure)")
        }
        let names = backend.contains(.all) ? Choice.allCases : backend
        var lines: [String] = []
        var hasFailed = false
        for backend in names.compactMap(\.backend) {
            lines.append(backend.name)
            let failure = try Replay.run(program, on: backend) { step, said in
                lines.append("  \(step)\(said.isEmpty ? "" : "  ->  \(said)")")
            }
            lines.append(failure.map { "  failed: \($0)" } ?? "  agrees with the model")
            if failure != nil { hasFailed = true }
        }
        try write(lines.joined(separator: "\n"))
        guard !hasFailed else { throw ExitCode(1) }
    }

    /// Soaks the backends.
    private func run(minutes: Double, _ seed: UInt64) throws {
        guard minutes > 0 else { throw ToolError.input("--soak takes a number of minutes above 0") }
        let names = backend.contains(.all) ? Choice.allCases : backend
        let tallies = try Soak(names.compactMap(\.backend), seed: seed).run(for: .seconds(minutes * 60)) { tallies in
            let (kills, lies) = (tallies.reduce(0) { $0 + $1.kills }, tallies.reduce(0) { $0 + $1.lies.count })
            Terminal.progress("\(tallies.reduce(0) { $0 + $1.programs }) programs, \(kills) kills, \(lies) lies")
        }
        Terminal.progress("")
        var table = TextTable(
            ["backend", "programs", "kills", "faults", "lies"], alignment: [.left, .right, .right, .right, .right])
        for tally in tallies {
            table.append([
                tally.backend, "\(tally.programs)", "\(tally.kills)", "\(tally.faults)", "\(tally.lies.count)",
            ])
        }
        let heading = "Grove soak, spec \(ConformanceReport.spec), seed \(seed), \(minutes) minutes"
        try write(([heading, "", "\(table)"] + tallies.flatMap(\.lies)).joined(separator: "\n"))
        guard tallies.allSatisfy(\.lies.isEmpty) else { throw ExitCode(1) }
    }

    private func check(_ rules: [Rule], _ seed: UInt64) throws {
        let names = backend.contains(.all) ? Choice.allCases : backend
        let backends = names.compactMap(\.backend)
        var done = 0
        let report = try IsolatedRunner(rules: rules, seed: seed).run(backends) { backend, result in
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
        let worker = WorkerCommand(
            executable: WorkerCommand.ownExecutable,
            arguments: ["conformance", "--worker", "--backend", rawValue, "--"])
        return switch self {
        case .memory: StoreBackend(ToolHarness<MemoryStore>(options: MemoryOptions()), worker: worker)
        case .lmdb: StoreBackend(ToolHarness<LMDBStore>(options: LMDBOptions()), worker: worker)
        case .sqlite: StoreBackend(ToolHarness<SQLiteStore>(options: SQLiteOptions()), worker: worker)
        case .leveldb: StoreBackend(ToolHarness<LevelDBStore>(options: LevelDBOptions()), worker: worker)
        case .all: nil
        }
    }
}

/// A store with its default options.
private struct ToolHarness<Store: NodeStore>: StoreHarness {
    let options: Store.Options
}
