#if Tool
    import ArgumentParser
    import GroveCoding
    import GroveCompare
    import GroveConformance
    import GroveModel

    /// `grove compare`: the cost of Grove over each engine, and a comparison of the engines.
    struct CompareCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "compare",
            abstract: "Measures the backends, each against its bare engine.",
            discussion: """
                The first lines say which backend to take for which use, and a table of backends by uses follows. \
                --details prints all figures. --needs says what you cannot do without, --for what your application does, \
                --mix its calls. A use's figure is put together from the measured cost of each kind of call. Backends whose \
                commits survive different things are not ranked among each other, nor are those that a noisy machine \
                does not tell apart. Ctrl-C ends the run and prints what is there.

                With --details, every workload has been run twice, interleaved, on the same bytes: through Grove, typed, and as \
                the floor: the same engine called from C with the same flags, durability and transactions. 'over' is the \
                floor divided by ours: 1.0 is the engine itself, 2.0 half its speed. Figures are medians of three \
                repetitions (five with --full). Only ratios within one run mean something; a floor far below what the \
                engine should do makes the run void, and is marked so.

                The data are a generated feed of messages with their senders (one person for ten messages, six fields \
                and some 160 bytes a node), or your own: --input and --identity as for grove import, where the outermost \
                identified objects are the trees. A document has no types: both codings see dynamic values, the one by \
                specialised coding, the other through Codable, with a type for each set of fields made at run time.

                Latencies are of one call, the clock's own time taken off; reader-stall's are of single reads while \
                another thread commits 10,000 nodes again and again, with the same beside one-node commits below.

                Footprint: bytes on disk as du counts them, after filling, closing and opening; resident bytes are how \
                much the process's own memory (mapped files not counted) grew by opening the store and reading every \
                tree once; opening is the time to the first read, warm: ours, the bare engine's, and ours from the \
                files that a kill would leave after a megabyte of writes.

                --workload churn, by itself, is weeks of a shifting working set against --budget: three reads for each \
                of --writes, over --days. It prints the most that the files took, the share that is live payload at \
                the end and at the least, hit ratios, evictions, bytes written for each byte of payload, and the last \
                day's rate against that of the first full one.

                The workloads consistency-* measure the engine that keeps models in memory consistent, and need no backend: \
                times until everybody was told, and how long the main actor was held. Of these, consistency-follow-* commit \
                10,000 nodes to a cache without a manager, and with one that holds none, three or all of them.

                Stores are made in the system's temporary directory, or in --directory, and removed. On a memory file \
                system durability costs nothing, which flatters writes.

                EXAMPLES
                  grove compare
                  grove compare --needs ios,processes --for feed,chat
                  grove compare --mix reads=90,pages=8,writes=2
                  grove compare --for shared     a cache of many machines, in a checkout of Grove
                  grove compare --full --format html --output report.html
                  grove compare --backend lmdb --backend sqlite --workload 'read-*'
                  grove compare --nodes 110000 --format json --output compare.json
                  grove compare --input feed.json --identity rules.json --backend sqlite
                  grove compare --input feed.json --identity rules.json --coding codable
                """)

        /// The format of the printed result.
        enum Format: String, CaseIterable, ExpressibleByArgument {
            case table
            case json
            case csv
            case html
            case markdown
        }

        @Option(help: "A backend to measure; repeat for several. All by default; 'all' says so.")
        var backend: [String] = []

        @Option(help: ArgumentHelp("What a backend must do, such as ios,processes,budget.", valueName: "needs"))
        var needs: [String] = []

        @Option(
            name: .customLong("for"),
            help: ArgumentHelp("Uses, such as feed,chat; --list names them.", valueName: "uses"))
        var uses: [String] = []

        @Option(help: ArgumentHelp("A use of your own: reads=90,pages=8,writes=2.", valueName: "shares"))
        var mix: String?

        @Flag(help: "Measure every workload, and print all figures.")
        var details = false

        @Option(help: ArgumentHelp("Workloads to run, * for any text; repeat for several.", valueName: "glob"))
        var workload: [String] = []

        @Option(
            help:
                "How the models are coded: specialised or codable; repeat for both. By default both, Codable where it shows."
        )
        var coding: [String] = []

        @Flag(help: "Lists the uses, the needs, and the workloads.")
        var list = false

        @Option(help: ArgumentHelp("A JSON document to measure with.", valueName: "file"))
        var input: String?

        @Option(help: ArgumentHelp("The identity rules of the document.", valueName: "file"))
        var identity: String?

        @Option(help: "Distinct nodes to generate; ten in eleven are messages, the others people.")
        var nodes = 22_000

        @Flag(help: "Every workload, more and longer repetitions, longer lists: some ten minutes instead of two.")
        var full = false

        @Option(help: "The seed of the generated data and of the order of operations.")
        var seed: UInt64 = 1

        @Option(help: "How to print.")
        var format = Format.table

        @Option(
            help: ArgumentHelp("For html and markdown: the table that make peers has printed.", valueName: "file"))
        var peers: String?

        @Option(help: ArgumentHelp("The file to write; standard output otherwise.", valueName: "file"))
        var output: String?

        @Option(help: ArgumentHelp("Where temporary stores are made.", valueName: "dir"))
        var directory: String?

        @Option(
            help: "Bytes on disk that the caches may take; without it 50,000,000 for churn, and no limit otherwise.")
        var budget: Int?

        @Option(help: "For churn: how many records are written; 60,000 by default, 300,000 with --full.")
        var writes: Int?

        @Option(help: "For churn: how many days pass.")
        var days = 30

        @Option(help: "For churn: how many messages are deleted beside each batch that is written.")
        var deletions = 0

        func validate() throws {
            guard budget ?? 1 > 0, writes ?? 1 > 0, days > 0 else {
                throw ValidationError("--budget, --writes and --days are above 0.")
            }
            guard (input == nil) == (identity == nil) else {
                throw ValidationError("--input and --identity go together.")
            }
            guard nodes >= 2, nodes <= 20_000_000 else { throw ValidationError("--nodes is from 2 to 20,000,000.") }
        }

        func run() async throws {
            if uses == ["shared"], output == nil, format == .table { return try SharedComparison.run() }
            if list { return try OutputFile.write(Array(listing.utf8), to: output) }
            try OutputFile.check(output)
            let peers = try peers.map {
                try PeersTable(String(decoding: try InputFile.read($0, as: "table"), as: UTF8.self))
            }
            if workload == ["churn"] {
                return try LargeStack.run(unavailable: LargeStack.noThread) { () throws in
                    try churn(try chosenBackends())
                }
            }
            // A command with a backend or a document and no workload does not ask for the engine.
            let named = try mix.map { [try Use.mixed($0)] } ?? (uses.isEmpty ? Use.standard : try Use.named(uses))
            // A command with one backend and no use, or with workloads, asks for figures; any other asks which backend
            // to choose.
            let isChoice = backend.count != 1 || !uses.isEmpty || mix != nil
            let isShort = workload.isEmpty && !details && !full && isChoice
            let isAsked = !workload.isEmpty || (backend.isEmpty && input == nil && !isShort)
            let engine = isAsked ? ConsistencyWorkload.allCases.filter { isChosen($0.rawValue) } : []
            let chosen = Workload.allCases.filter {
                isShort ? named.flatMap(\.workloads).contains($0) : isChosen($0.rawValue)
            }
            guard !engine.isEmpty || !chosen.isEmpty else {
                throw ToolError.input(
                    "no workload matches \(workload.joined(separator: ", ")); grove compare --list names them")
            }
            let interruption = Interruption()
            Cleanup.intercept { interruption.request($0) }
            defer { Cleanup.intercept(nil) }
            var report = try LargeStack.run(unavailable: LargeStack.noThread) { () throws in
                try measure(
                    chosen, codings: isShort && coding.isEmpty ? [.specialised] : try chosenCodings(), interruption)
            }
            report.uses = named
            report.hasDetails = !isShort
            report.command = command
            report.peers = peers
            let left = try leftOut()
            if !left.isEmpty { report.exclusions = [left] }
            if !engine.isEmpty, interruption.signal == nil {
                try await report.measure(engine, isFull: full)
            }
            try write(report)
            if let signal = interruption.signal { throw ExitCode(128 + signal) }
        }

        private var listing: String {
            let stores = Workload.allCases.map { ($0.rawValue, "counts \($0.unit)", $0.summary) }
            let engine = ConsistencyWorkload.allCases.map { ($0.rawValue, "milliseconds", $0.summary) }
            let uses =
                ["\(Terminal.bold("Uses")), for --for"]
                + Use.all.map { "  \($0.name)\(String(repeating: " ", count: 10 - $0.name.count))  \($0.summary)" }
                + ["  shared      by itself: a cache of many machines over PostgreSQL"]
            let needs =
                ["\(Terminal.bold("Needs")), for --needs"]
                + Requirement.allCases.map {
                    "  \($0.rawValue)\(String(repeating: " ", count: 10 - $0.rawValue.count))  \($0.summary)"
                }
            let heads = uses + [""] + needs + ["", "\(Terminal.bold("Workloads")), for --workload"]
            return (heads.joined(separator: "\n") + "\n")
                + (stores + engine).map { name, unit, summary in
                    let padding = String(repeating: " ", count: 32 - name.count)
                    return "\(Terminal.bold(name))\(padding)\(unit)\n  \(summary)"
                }.joined(separator: "\n")
        }

        /// The typed line, without the paths of this machine.
        private var command: String {
            var words = ["grove"]
            var rest = CommandLine.arguments.dropFirst()
            while let word = rest.popFirst() {
                let name = String(word.prefix { $0 != "=" })
                guard ["--output", "--directory", "--peers", "--input", "--identity"].contains(name) else {
                    words.append(word)
                    continue
                }
                let value = name == word ? rest.popFirst() ?? "" : String(word.dropFirst(name.count + 1))
                if name != "--output", name != "--directory" {
                    words += [name, value.split(separator: "/").last.map(String.init) ?? value]
                }
            }
            return words.joined(separator: " ")
        }

        private func isChosen(_ name: String) -> Bool {
            workload.isEmpty || workload.contains { Workload.matches(name, $0) }
        }

        private func measure(
            _ workloads: [Workload], codings: [Measurement.Coding], _ interruption: Interruption
        ) throws -> CompareReport {
            guard !workloads.isEmpty else { return CompareReport() }
            let measurement = Measurement(
                workloads, try chosenBackends(), codings: codings, isFull: full, seed: seed,
                budget: budget, in: try TemporaryDirectory(in: directory))
            guard let input, let identity else {
                return try measurement.run(.feed(nodes: nodes), until: { interruption.signal != nil })
            }
            let (_, document) = try InputFile.document(input, identity: identity)
            return try measurement.run(
                .document(document, name: InputFile.name(input)), until: { interruption.signal != nil })
        }

        private func write(_ report: CompareReport) throws {
            Terminal.progress("")
            let text: [UInt8] =
                switch format {
                case .table: Array(report.table.utf8)
                case .json: JSONPrinter.print(report.json, indentation: 2)
                case .csv: Array(report.csv.utf8)
                case .html: Array(report.page.html.utf8)
                case .markdown: Array(report.page.markdown.utf8)
                }
            try OutputFile.write(text, to: output)
            if report.isVoid, format != .table {
                Terminal.note("grove: some floors were too slow for their figures to mean anything; see \"void\"")
            }
        }

        /// Measures weeks with a budget; the bare engines have no budget, so there is no floor.
        private func churn(_ backends: [BackendName]) throws {
            let settings = ChurnRun.Settings(
                budget: budget ?? 50_000_000, writes: writes ?? (full ? 300_000 : 60_000), days: days, seed: seed,
                deletions: max(deletions, 0))
            let report = try ChurnReport(settings, backends, in: try TemporaryDirectory(in: directory))
            Terminal.progress("")
            let text =
                switch format {
                case .html: report.page(command).html
                case .markdown: report.page(command).markdown
                case .table, .json, .csv: report.table
                }
            try OutputFile.write(Array(text.utf8), to: output)
            if report.isBroken { throw ToolError.failed("a store took more than its budget") }
        }

        private func chosenBackends() throws(ToolError) -> [BackendName] {
            let needs = try Requirement.named(needs)
            func meeting(_ backends: [BackendName]) throws(ToolError) -> [BackendName] {
                let left = backends.filter { backend in needs.allSatisfy { $0.isMet(by: backend) } }
                guard left.isEmpty else { return left }
                throw .input(
                    "no backend meets \(needs.map(\.rawValue).joined(separator: ", ")); grove compare --list says what they ask"
                )
            }
            if backend.isEmpty || backend.contains("all") { return try meeting(BackendName.allCases) }
            var chosen: [BackendName] = []
            for name in backend {
                guard let known = BackendName(rawValue: name) else {
                    throw .input("there is no backend \(name); take memory, lmdb, sqlite, leveldb or all")
                }
                if !chosen.contains(known) { chosen.append(known) }
            }
            return try meeting(chosen)
        }

        /// A sentence with the backends that do not meet the needs; empty if all of them do.
        private func leftOut() throws(ToolError) -> String {
            let needs = try Requirement.named(needs)
            let missing = BackendName.allCases.compactMap { backend -> String? in
                let unmet = needs.filter { !$0.isMet(by: backend) }.map(\.rawValue)
                return unmet.isEmpty ? nil : "\(backend.rawValue) (\(unmet.joined(separator: ", ")))"
            }
            return missing.isEmpty
                ? "" : "Left out, as they do not meet what is needed: \(missing.joined(separator: ", "))."
        }

        private func chosenCodings() throws(ToolError) -> [Measurement.Coding] {
            var chosen: [Measurement.Coding] = []
            for name in coding {
                guard let known = Measurement.Coding(rawValue: name) else {
                    throw .input("there is no coding \(name); take specialised or codable")
                }
                if !chosen.contains(known) { chosen.append(known) }
            }
            return chosen
        }
    }
#endif
