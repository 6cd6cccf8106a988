#if Tool
    import ArgumentParser
    import GroveCache
    import GroveCompare
    import GroveConformance
    import GroveHarnesses
    import GroveMutants

    /// Checks backends against the rules, or the rules against the mutants.
    struct ConformanceCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "conformance",
            abstract: "Checks that the backends keep every rule of the conformance kit.",
            discussion: """
                Each rule is one sentence that a cache must obey, and a check that finds out. Conformance/RULES.md lists \
                them all. A failure prints what was expected, what came, and the command that replays it. Ctrl-C ends a \
                run and prints what is there.

                EXAMPLES
                  Check one backend:              grove conformance --backend lmdb
                  Check one family of rules:      grove conformance --rule 'DEL-*'
                  Check what was broken again:    grove conformance --failed
                  See what there is:              grove conformance --list
                  Check the rules themselves:     grove conformance --mutants

                EXIT STATUS
                  0 what was asked holds; 1 a rule that must hold is broken; 2 nothing was checked, or the call was \
                wrong; 130 interrupted.
                """)

        /// A backend, or all of them.
        enum Choice: String, CaseIterable, ExpressibleByArgument {
            case memory, lmdb, sqlite, leveldb, all
        }

        /// The format of the report.
        enum Format: String, CaseIterable, ExpressibleByArgument {
            case pretty, tap, tap13, junit, json, markdown, html

            var report: ReportFormat { ReportFormat(rawValue: rawValue) ?? .pretty }
        }

        @Option(name: .long, help: "A backend to check: memory, lmdb, sqlite, leveldb or all. Repeatable.")
        var backend: [Choice] = [.all]

        @Option(name: .long, help: "Only rules whose identifiers match, such as NRM-01 or 'DEL-*'. Repeatable.")
        var rule: [String] = []

        @Flag(name: .long, help: "Only rules that were broken the last time.")
        var failed = false

        @Flag(name: .long, help: "Stop at the first broken rule.")
        var failFast = false

        @Flag(name: .shortAndLong, help: "Print what is broken, and the verdict.")
        var quiet = false

        @Flag(name: .shortAndLong, help: "Print a line for each rule, too.")
        var verbose = false

        @Flag(name: .long, help: "List the rules instead of checking them.")
        var list = false

        @Flag(name: .long, help: "Print the list as Conformance/RULES.md holds it.")
        var markdown = false

        @Flag(
            name: .long,
            help: "Check the rules: each mutant must be found out by the rules that list it, and pass most others.")
        var mutants = false

        @Option(name: .long, help: "The report: pretty, tap, tap13 (for prove), junit, json, markdown or html.")
        var format = Format.pretty

        @Option(name: .long, help: "Write the report to this file instead of standard output.")
        var output: String?

        @Option(name: .long, help: "Replay a run whose report printed this seed.")
        var seed: UInt64?

        @Option(name: .long, help: "Run the program in this file, as a failing rule saved it, instead of the rules.")
        var replay: String?

        @Option(name: .long, help: "Try random programs, kills and faults for so many minutes instead of the rules.")
        var soak: Double?

        @Option(
            name: .long,
            help: "Open so many stores with a changed byte, of each persistent backend, instead of the rules.")
        var flips: Int?

        @Flag(
            name: .long,
            help: "Cut a small store of each persistent backend off at every length, and flip a bit of every byte.")
        var sweep = false

        @Flag(name: .long, help: .hidden)
        var selfTest = false

        @Flag(name: .long, help: .hidden)
        var worker = false

        @Option(name: .long, help: .hidden)
        var mutant: String?

        @Argument(help: .hidden)
        var job: [String] = []

        func run() async throws {
            if worker { return try await work() }
            guard job.isEmpty else { throw ToolError.input("unexpected words: \(job.joined(separator: " "))") }
            try OutputFile.check(output)
            let seed = seed ?? UInt64.random(in: 1...UInt64(UInt32.max))
            if let replay { return try run(programIn: replay) }
            if let soak { return try run(minutes: soak, seed) }
            if let flips { return try run(flips: flips, seed) }
            if sweep { return try runSweep(seed) }
            let rules: [Rule]
            do {
                rules = selfTest ? Rules.bad : try ConformanceConsole.rules(rule)
            } catch {
                throw ToolError.input(error.description)
            }
            if list || markdown {
                try write(markdown ? RuleList.markdown(rules) : lines(rules))
            } else if mutants {
                try await checkMutants(rules, seed)
            } else {
                try check(rules, seed)
            }
        }

        /// The backends to check.
        private var backends: [any ConformanceBackend] {
            (backend.contains(.all) ? Choice.allCases : backend).compactMap(\.backend)
        }

        /// Does a job of the kit in a process of its own.
        private func work() async throws {
            guard let backend = try mutant.map(Self.mutant) ?? backend.first?.backend else {
                throw ToolError.input("a worker needs one backend")
            }
            throw ExitCode(await ConformanceWorker.run(job, on: backend))
        }

        /// Runs a saved program, and prints the output of each step.
        private func run(programIn file: String) throws {
            let program: RandomProgram
            do {
                program = try RandomProgram(
                    script: String(decoding: try InputFile.read(file, as: "program"), as: UTF8.self))
            } catch let failure as CheckFailure {
                throw ToolError.input("\(file): \(failure)")
            }
            var text = ""
            var hasFailed = false
            for backend in backends {
                let (said, failure) = try Replay.transcript(of: program, on: backend)
                text += said
                if failure != nil { hasFailed = true }
            }
            try write(text)
            guard !hasFailed else { throw ExitCode(1) }
        }

        /// Soaks the backends.
        private func run(minutes: Double, _ seed: UInt64) throws {
            guard minutes > 0 else { throw ToolError.input("--soak takes a number of minutes above 0") }
            let tallies = try Soak(backends, seed: seed).run(for: .seconds(minutes * 60)) {
                tallies in
                let (kills, lies) = (tallies.reduce(0) { $0 + $1.kills }, tallies.reduce(0) { $0 + $1.lies.count })
                Terminal.progress(
                    "seed \(seed): \(tallies.reduce(0) { $0 + $1.programs }) programs, \(kills) kills, \(lies) lies")
            }
            try report(tallies, "soak of \(minutes) minutes", seed)
        }

        /// Opens stores in which a byte was changed.
        private func run(flips: Int, _ seed: UInt64) throws {
            guard flips > 0 else { throw ToolError.input("--flips takes a number of stores above 0") }
            let tallies = try Soak(backends, seed: seed).flip(flips) { tallies in
                Terminal.progress(
                    "seed \(seed)"
                        + (tallies.last.map { ": \($0.backend), \($0.damages) stores, \($0.lies.count) lies" } ?? ""))
            }
            try report(tallies, "\(flips) stores with a changed byte", seed)
        }

        /// Damages a small store of each backend in every place.
        private func runSweep(_ seed: UInt64) throws {
            let tallies = try Soak(backends, seed: seed).sweep { tallies in
                Terminal.progress(
                    "seed \(seed)"
                        + (tallies.last.map { ": \($0.backend), \($0.damages) stores, \($0.lies.count) lies" } ?? ""))
            }
            try report(tallies, "every length and every byte", seed)
        }

        private func report(_ tallies: [Soak.Tally], _ what: String, _ seed: UInt64) throws {
            Terminal.progress("")
            var table = TextTable(
                ["backend", "programs", "kills", "faults", "damaged", "sweeps", "deaths", "mixtures", "lies"],
                alignment: [.left, .right, .right, .right, .right, .right, .right, .right, .right])
            for tally in tallies {
                let figures = [
                    tally.programs, tally.kills, tally.faults, tally.damages, tally.sweeps, tally.deaths,
                    tally.mixtures,
                    tally.lies.count,
                ]
                table.append([tally.backend] + figures.map { "\($0)" })
            }
            let heading = "Grove conformance, \(what), spec \(ConformanceReport.spec), seed \(seed)"
            try write(([heading, "", "\(table)"] + tallies.flatMap(\.lies)).joined(separator: "\n"))
            guard tallies.allSatisfy(\.lies.isEmpty) else { throw ExitCode(1) }
        }

        private func check(_ rules: [Rule], _ seed: UInt64) throws {
            var console = ConformanceConsole()
            console.globs = rule
            console.seed = seed
            console.format = format.report
            console.detail = quiet ? .quiet : verbose ? .verbose : .normal
            console.isOfFailed = failed
            console.isFailingFast = failFast
            console.isColoured = output == nil && Terminal.hasColour
            let typed = CommandLine.arguments.first ?? "grove"
            let option = mutant == nil ? "--backend" : "--mutant"
            console.command = { ConformanceConsole.command(typed, "conformance", option, $0) }
            let chosen = try mutant.map { [try Self.mutant($0)] } ?? backends
            let interruption = Interruption()
            Cleanup.intercept { interruption.request($0) }
            defer { Cleanup.intercept(nil) }
            let report: ConformanceReport
            do {
                report = try console.run(chosen, rules: rules, until: interruption)
            } catch {
                throw ToolError.input(error.description)
            }
            try write(console.text(report))
            let status = ConformanceConsole.status(report, interruption)
            guard status == 0 else { throw ExitCode(status) }
        }

        /// The mutant, or the store made for the kit, with that name.
        private static func mutant(_ name: String) throws(ToolError) -> any ConformanceBackend {
            guard let backend = Mutants.backend(name, worker: Self.mutantWorker) else {
                throw ToolError.input("there is no mutant \(name)")
            }
            return backend
        }

        private static func mutantWorker(_ name: String) -> WorkerCommand? {
            WorkerCommand(
                executable: WorkerCommand.ownExecutable, arguments: ["conformance", "--worker", "--mutant", name, "--"])
        }

        private func checkMutants(_ rules: [Rule], _ seed: UInt64) async throws {
            let listed = Set(rules.flatMap(\.kills))
            let all = Mutants.all(worker: Self.mutantWorker)
            let mutants = all.filter { (rule.isEmpty || listed.contains($0.name)) && (mutant ?? $0.name) == $0.name }
            guard !mutants.isEmpty else { throw ToolError.input("no mutant is listed by the rules asked for") }
            let report = try await MutantReport.run(
                rules: rules, mutants: mutants, seed: seed, isWhole: rule.isEmpty, isIsolated: true
            ) { row in
                Terminal.progress("")
                if output == nil { ConformanceWorker.say(String(row.pretty.dropLast())) }
                Terminal.progress("\(row.mutant.name)\(row.survives ? " survives" : "")")
            }
            Terminal.progress("")
            try write("Seed \(seed). " + (output == nil ? report.sum : report.pretty))
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
            return Harnesses.backend(rawValue, worker: worker)
        }
    }
#endif
