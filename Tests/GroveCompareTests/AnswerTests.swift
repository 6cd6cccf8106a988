@testable import GroveCompare
import Testing

@Suite("The answer of a comparison")
struct AnswerTests {
    /// A report with these rates, the same in all repetitions.
    private func report(
        _ rates: [(BackendName, Workload, Double)] = AnswerTests.rates, uses: [String] = ["catalogue", "server"],
        spread: Double = 1, isInMemory: Bool = false
    ) throws -> CompareReport {
        var report = CompareReport()
        report.dataSet = "20,000 messages"
        report.isInMemory = isInMemory
        report.isOptimised = true
        report.uses = try Use.named(uses)
        for (coding, share) in [("specialised", 1.0), ("codable", 0.1)] {
            for (backend, workload, rate) in rates {
                report.results.append(
                    CompareResult(
                        backend: backend, workload: workload, coding: coding, operationsPerSecond: rate * share,
                        repetitions: rate * share / spread...rate * share * spread, floorOperationsPerSecond: nil,
                        latencies: Latencies([])))
            }
        }
        return report
    }

    private static let rates: [(BackendName, Workload, Double)] = [
        (.memory, .readTree, 1_200_000), (.lmdb, .readTree, 900_000), (.leveldb, .readTree, 300_000),
        (.sqlite, .readTree, 225_000), (.memory, .writeOne, 160_000), (.lmdb, .writeOne, 4_000),
        (.leveldb, .writeOne, 8_000), (.sqlite, .writeOne, 36_000), (.memory, .transaction, 160_000),
        (.lmdb, .transaction, 40_000), (.leveldb, .transaction, 40_000), (.sqlite, .transaction, 36_000),
    ]

    @Test("It says which backend to take for which use, and where the order turns, in some ten lines of 80 columns")
    func answer() throws {
        let answer = try #require(CompareAnswer(try report()))
        let lines = answer.answer.split(separator: "\n")
        #expect(lines.count <= 14)
        #expect(answer.text.split(separator: "\n").allSatisfy { $0.count <= 80 })
        #expect(lines[0] == "20,000 messages; the stores are on a disk.")
        #expect(answer.answer.contains("Take lmdb for catalogue (3.0 times leveldb)."))
        // Nine reads of a tree are 1.11 and 3.33 µs; a commit is 250 and 125: the costs are equal at 1.75 %.
        #expect(answer.answer.contains("leveldb overtakes lmdb if more than 2 % of the calls are commits."))
        #expect(try report().table.hasPrefix(answer.text + "\n\n"))
    }

    @Test("Durable commits promise the same everywhere, so that all backends on disk are in one ranking")
    func durable() throws {
        let rates: [(BackendName, Workload, Double)] = [
            (.memory, .writeDurable, 100_000), (.lmdb, .writeDurable, 900), (.sqlite, .writeDurable, 300),
        ]
        let report = try report(rates, uses: ["durable"])
        let rankings = UseRanking.all(report.uses[0], in: report)
        #expect(rankings.count == 1 && rankings[0].promise == nil)
        #expect(rankings.first?.ranking.entries.map(\.backend) == [.lmdb, .sqlite])
        #expect(CompareAnswer(report)?.answer.contains("Take lmdb for durable (3.0 times sqlite).") == true)
    }

    @Test("A backend that breaks a rule that must hold is shown with its figures, marked, and never recommended")
    func wrong() throws {
        var report = try report()
        report.wrong = [.lmdb]
        let answer = try #require(CompareAnswer(report))
        #expect(!answer.answer.contains("Take lmdb") && answer.answer.contains("Take leveldb for catalogue"))
        #expect(answer.table.contains("lmdb !") && answer.table.contains("900k"))
        #expect(Turn.all(in: report).isEmpty)
        #expect(report.page.html.contains(">lmdb (wrong)<"))
    }

    @Test("The share at which the order turns is where both cost the same")
    func turn() throws {
        let turn = try #require(Turn.all(in: try report()).first)
        #expect(turn.reader == .lmdb && turn.writer == .leveldb)
        func cost(_ reads: Double, _ writes: Double) -> Double { (1 - turn.share) / reads + turn.share / writes }
        #expect(abs(cost(900_000, 4_000) / cost(300_000, 8_000) - 1) < 1e-9)
        #expect(Turn.all(in: try report(spread: 3)).isEmpty, "a noisy run turns nothing")
    }

    @Test("Backends whose commits survive different things are not ranked among each other, and memory never")
    func promises() throws {
        let report = try report()
        let server = UseRanking.all(report.uses[1], in: report)
        #expect(server.map { $0.promise } == [.power, .kill])
        #expect(
            server.map { $0.ranking.entries.map(\.backend).sorted { $0.rawValue < $1.rawValue } } == [
                [.leveldb, .lmdb], [.sqlite],
            ])
        #expect(
            UseRanking.all(report.uses[0], in: report).map { $0.ranking.entries.map(\.backend) } == [
                [.lmdb, .leveldb, .sqlite]
            ])
        let text = try #require(CompareAnswer(report)?.text)
        let words = text.split { $0 == "\n" || $0 == " " }.joined(separator: " ")
        #expect(words.contains("of those whose commits survive loss of power") && !text.contains("Take sqlite"))
        // Of reads all are ranked, and nothing is said of what commits survive.
        let sentences = try #require(CompareAnswer(report)?.sentences)
        #expect(sentences.allSatisfy { !$0.contains("catalogue") || !$0.contains("of those whose") })
        let rows = text.split(separator: "\n")
        #expect(rows.contains { $0.hasPrefix("sqlite   a kill") } && rows.contains { $0.hasPrefix("memory   nothing") })
    }

    @Test("A use costs what its calls cost, by their shares")
    func score() throws {
        let score = try #require(UseScore(try Use.mixed("reads=90,writes=10"), .lmdb, in: try report()))
        #expect(abs(score.callsPerSecond - 1 / (0.9 / 900_000 + 0.1 / 4_000)) < 1e-6)
        #expect(
            UseScore(try Use.mixed("pages=1"), .lmdb, in: try report()) == nil, "what was not measured has no figure")
    }

    @Test("A run too noisy to rank ranks nothing, and says so")
    func noise() throws {
        let text = try #require(CompareAnswer(try report(spread: 3))?.answer)
        #expect(text.contains("This run is too noisy to rank lmdb, leveldb and sqlite for catalogue"))
        #expect(!text.contains("Take ") && !text.contains("overtakes"))
        var report = try report()
        // SQLite, disturbed to half the machine's pace, might have been four times as fast.
        for index in report.results.indices {
            report.results[index].pace = report.results[index].backend == .sqlite ? 200 : 400
        }
        #expect(CompareAnswer(report)?.answer.contains("too noisy to rank lmdb and sqlite for catalogue") == true)
    }

    @Test("Equally fast backends are said to be so")
    func ties() throws {
        let rates = AnswerTests.rates.map { ($0.0, $0.1, $0.1 == .readTree && $0.0 != .memory ? 300_000 : $0.2) }
        let text = try #require(CompareAnswer(try report(rates))?.answer)
        #expect(text.contains("Equally fast: lmdb, sqlite and leveldb for catalogue."))
    }

    @Test("It says if the disk is memory, if engines were too slow, if it was interrupted, and if nothing else is left")
    func reservations() throws {
        #expect(
            CompareAnswer(try report(isInMemory: true))?.answer.contains("in memory, where syncing costs nothing")
                == true)
        var void = try report()
        for index in void.results.indices { void.results[index].isVoid = void.results[index].backend == .lmdb }
        void.isInterrupted = true
        let text = try #require(CompareAnswer(void)?.answer)
        #expect(text.contains("slow or busy: lmdb, called directly,") && text.contains("Interrupted: "))
        var alone = try report(AnswerTests.rates.filter { $0.0 == .sqlite })
        #expect(CompareAnswer(alone) == nil && CompareAnswer(CompareReport()) == nil)
        #expect(alone.table.hasPrefix("sqlite"))
        alone.exclusions = ["Left out, as they do not meet what is needed: lmdb (ios)."]
        #expect(CompareAnswer(alone)?.answer.contains("Take sqlite: it is what is left.") == true)
        alone.hasDetails = false
        #expect(!alone.table.contains("over = "))
    }

    @Test("Needs are met by what the profiles say, and mistakes are named")
    func needs() throws {
        func left(_ text: String) throws -> [BackendName] {
            let needs = try Requirement.named([text])
            return BackendName.allCases.filter { backend in needs.allSatisfy { $0.isMet(by: backend) } }
        }
        #expect(try left("ios,processes") == [.sqlite])
        #expect(try left("power") == [.lmdb, .leveldb])
        #expect(try left("processes,kill") == [.lmdb, .sqlite])
        #expect(try left("ios,power").isEmpty)
        #expect(throws: ToolError.self) { try Requirement.named(["ios,nothing"]) }
        #expect(throws: ToolError.self) { try Use.named(["feed,nothing"]) }
        let error = #expect(throws: ToolError.self) { try Use.named(["feed,shared"]) }
        #expect(error.map { "\($0)".contains("grove compare --for shared") } == true)
        for text in ["", "reads", "reads=0", "reads=x", "walks=3"] {
            #expect(throws: ToolError.self, "\(text)") { try Use.mixed(text) }
        }
    }

    @Test("A bar is as long as its share of the best")
    func bars() {
        #expect(CompareAnswer.bar(10, of: 10) == "█████")
        #expect(CompareAnswer.bar(5, of: 10) == "██▌  ")
        #expect(CompareAnswer.bar(0.001, of: 10) == "▏    ")
        #expect(CompareAnswer.bar(1, of: 0).isEmpty)
    }

    @Test("All uses fit into 80 columns, and have names of their own")
    func uses() throws {
        #expect(Set(Use.all.map(\.name)).count == Use.all.count)
        let rates = Use.all.flatMap(\.workloads).flatMap { workload in
            BackendName.allCases.map { ($0, workload, 1_000.0) }
        }
        let text = try #require(CompareAnswer(try report(rates, uses: Use.all.map(\.name)))?.text)
        #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
        for use in Use.all where !use.opens { #expect(text.contains(use.name)) }
    }
}
