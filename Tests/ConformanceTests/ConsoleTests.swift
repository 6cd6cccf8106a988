import Foundation
import GroveCache
@testable import GroveConformance
import GroveHarnesses
import GroveMutants
import Synchronization
import Testing

/// What a user of either program sees.
@Suite struct ConsoleTests {
    private let memory = FileManager.default.temporaryDirectory.path + "/grove-console-\(UUID().uuidString)"

    private static func rule(_ id: String, level: Rule.Level = .must) -> Rule {
        Rule(id, "It holds.", because: "It must.", level: level) { _ in }
    }

    /// A run of the bad rules in processes of their own, and what was shown and told meanwhile.
    private func run(
        _ rules: [Rule], failed: Bool = false, failFast: Bool = false,
        until interruption: Interruption = Interruption(),
        told: (String) -> Void = { _ in }
    ) throws -> ConformanceReport {
        var console = ConformanceConsole()
        console.seed = 7
        console.isOfFailed = failed
        console.isFailingFast = failFast
        console.memory = memory
        console.show = { _ in }
        let lines = Mutex<[String]>([])
        console.tell = { line in lines.withLock { $0.append(line) } }
        defer { lines.withLock { $0.forEach(told) } }
        let backend = StoreBackend(MemoryHarness(), worker: Workers.command("memory"))
        return try console.run([backend], rules: rules, until: interruption)
    }

    @Test("Failures are told as they come, and those of the last time can be checked again")
    func failed() throws {
        defer { try? FileManager.default.removeItem(atPath: memory) }
        let quick = Rules.bad.filter { $0.id != "TST-03" }
        var told: [String] = []
        let first = try run(quick) { told.append($0) }
        #expect(first.backends[0].results.map(\.outcome) == [.crashed, .passed, .failed])
        #expect(told == ["memory: TST-01 crashed: It traps.", "memory: TST-04 broken: It fails."])
        let second = try run(quick, failed: true)
        #expect(second.backends[0].results.map(\.rule.id) == ["TST-01", "TST-04"])
        // A rule that holds is forgotten; what was not checked stays.
        let held = Rule("TST-01", "It holds.", because: "…") { try $0.expect(true, "") }
        LastFailures(of: "memory", executable: Workers.command("memory")?.executable ?? "", in: memory)
            .update([RuleResult(held, .passed)])
        #expect(try run(quick, failed: true).backends[0].results.map(\.rule.id) == ["TST-04"])
        #expect(throws: CheckFailure.self) { try run([quick[1]], failed: true) }
    }

    @Test("A run that fails fast ends at the first broken rule, and says how many it left out")
    func failFast() throws {
        defer { try? FileManager.default.removeItem(atPath: memory) }
        let report = try run(Rules.bad, failFast: true)
        #expect(report.backends[0].results.map(\.rule.id) == ["TST-01"])
        #expect(report.backends[0].asked == 4)
        #expect(ConformanceConsole.status(report, Interruption()) == 1)
    }

    @Test("An interrupted run reports what it has, which is no verdict")
    func interrupted() throws {
        defer { try? FileManager.default.removeItem(atPath: memory) }
        let interruption = Interruption()
        #expect(interruption.request(2))
        #expect(!interruption.request(2))
        let report = try run(Rules.all, until: interruption)
        #expect(report.backends.allSatisfy { $0.results.isEmpty })
        #expect(ConformanceConsole.status(report, interruption) == 130)
        let some = BackendReport(
            backend: "a", results: [RuleResult(Self.rule("TST-01"), .passed, checks: 1)], isWhole: false, asked: 5,
            total: 9,
            isInterrupted: true)
        #expect(some.verdict == .interrupted)
        #expect(!ConformanceReport(seed: 1, backends: [some]).isConformant)
        #expect(PrettyReport(ConformanceReport(seed: 1, backends: [some])).text.contains("a: interrupted"))
    }

    @Test("A mistyped rule beside a right one is refused by both programs")
    func mistyped() async throws {
        let mistake = #expect(throws: CheckFailure.self) { try ConformanceConsole.rules(["STO-05", "NOP-1"]) }
        #expect(mistake?.description == "no rule matches NOP-1; --list shows them")
        #expect(await ConformanceMain.main(Mutants.delegate, arguments: ["--rule", "CON-01", "--rule", "NOP-1"]) == 2)
        // The rule is there, and is not asked of a delegate.
        #expect(await ConformanceMain.main(Mutants.delegate, arguments: ["--rule", "STO-05", "--list"]) == 2)
        #expect(try ConformanceConsole.rules(["sto-05", "DEL-*"]).count > 5)
    }

    @Test("One rule alone is no verdict of all")
    func partial() {
        let one = BackendReport(
            backend: "a", results: [RuleResult(Self.rule("TST-01"), .passed, checks: 1)], isWhole: false, total: 181)
        #expect(one.verdict == .partial)
        let text = PrettyReport(ConformanceReport(seed: 1, backends: [one]), columns: 200).text
        #expect(text.contains("what was asked holds, which is no verdict of all: 1 of 181 rules holds, 180 not asked"))
        #expect(!text.contains("conformant"))
    }

    @Test("A green run is a page: a line for each theme, skips by reason, the verdict")
    func green() {
        let backend = Mutants.reference
        let results = Rules.all.map { rule in
            ConformanceRunner.skip(of: rule, on: backend) ?? RuleResult(rule, .passed, checks: 1)
        }
        let report = BackendReport(backend: "a", results: results, isWhole: true)
        let lines = PrettyReport(ConformanceReport(seed: 1, backends: [report]), columns: 80).text.split(
            separator: "\n")
        #expect(lines.count < 50, "a page, not \(lines.count) lines")
        #expect(lines.allSatisfy { $0.count <= 80 })
        for family in Theme.families(of: Rules.all) { #expect(lines.count { $0.contains("(\(family)-*)") } == 1) }
        #expect(Theme.families(of: Rules.all).allSatisfy { Theme.name(of: $0) != $0 }, "every theme has a name")
        let quiet = PrettyReport(ConformanceReport(seed: 1, backends: [report]), detail: .quiet).text
        #expect(quiet.split(separator: "\n").count <= 3)
    }

    @Test("Failures of the bare store come first, and those that end alike are one cause")
    func causes() {
        let miss = "a tree: expected a hit, got a miss (absent Person:1)."
        let results = [
            RuleResult(Self.rule("NRM-01"), .failed, message: miss),
            RuleResult(
                Self.rule("NRM-02"), .failed, message: "another tree: expected a hit, got a miss (absent Person:22)."),
            RuleResult(Self.rule("RCN-01"), .crashed, message: "Its process ended with signal 4."),
            RuleResult(Self.rule("STO-05"), .failed, message: "a value: expected [1], got nil."),
            RuleResult(Self.rule("STO-06"), .passed, checks: 1),
        ]
        let causes = FailureCause.causes(of: results)
        #expect(causes.map { $0.results.map(\.rule.id) } == [["STO-05"], ["NRM-01", "NRM-02"], ["RCN-01"]])
        #expect(causes.map(\.mayFollow) == [false, true, true])
        let report = BackendReport(backend: "a", results: results, isWhole: false, total: 9)
        let text = PrettyReport(ConformanceReport(seed: 5, backends: [report]), columns: 80).text
        for part in [
            "4 rules broken, as it seems by 3 causes", "   of       a value\n   expected [1]\n   came     nil\n",
            "   promise  A value of no bytes is an empty buffer, never `nil`.", "   why      It must.",
            "   again    grove conformance --backend a --rule STO-05 --seed 5\n",
            "1 other rule ended in the same way: NRM-02",
            "may follow from what is above",
        ] { #expect(text.contains(part), "\(part)") }
    }

    @Test("A broken rule that saved a program says how to run it, in the words of the program that checks")
    func savedProgram() {
        let message = "step 1: expected 1, got 2.\n\(RuleResult.saved)/tmp/with space/x.txt"
        var report = BackendReport(
            backend: "a", results: [RuleResult(Self.rule("MBT-01"), .failed, message: message)], isWhole: false)
        report.command = ConformanceConsole.command("/my tools/check", "it")
        let text = PrettyReport(ConformanceReport(seed: 5, backends: [report])).text
        #expect(text.contains("'/my tools/check' it --rule MBT-01 --seed 5\n"))
        #expect(text.contains("'/my tools/check' it --replay '/tmp/with space/x.txt'\n"))
        for format in [ReportFormat.json, .tap, .junit] {
            #expect(ConformanceReport(seed: 5, backends: [report]).text(format).contains("--rule MBT-01 --seed 5"))
        }
    }

    @Test("What is typed again is taken by the executable of the example, and by the tool")
    func replays() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).txt")
        defer { try? FileManager.default.removeItem(at: file) }
        try "\(RandomProgram([.wipe]))".write(to: file, atomically: true, encoding: .utf8)
        let example = try #require(Workers.example)
        let tool = try #require(Workers.command("memory"))
        for (executable, words) in [
            (example.executable, []), (tool.executable, ["conformance", "--backend", "memory"]),
        ] {
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: executable)
            process.arguments = words + ["--replay", file.path]
            process.standardOutput = output
            try process.run()
            let bytes = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            #expect(String(decoding: bytes, as: UTF8.self).hasSuffix("agrees with the model\n"))
        }
    }

    @Test("What cannot be checked is left out of a test's arguments, and said")
    func checkable() {
        let (rules, missing) = Rules.checkable(on: StoreBackend(LMDBHarness()))
        #expect(rules.count < Rules.all.count)
        #expect(rules.allSatisfy { !$0.requires.contains(.processes) })
        #expect(missing?.hasPrefix("NOT CHECKED on lmdb: \(Rules.all.count - rules.count) rules of ") == true)
        #expect(missing?.contains(" need processes") == true)
        #expect(Rules.checkable(Rules.matching(["STO-05"]), on: StoreBackend(LMDBHarness())).missing == nil)
    }

    @Test("Sentences have one full stop, numbers their nouns, and paths their quotes")
    func prose() {
        #expect(CheckFailure("It failed: The disk is full..").description == "It failed: The disk is full.")
        #expect(CheckFailure("It goes on...").description == "It goes on...")
        #expect(Prose.count(1, "rule") == "1 rule")
        #expect(Prose.count(0, "rule") == "0 rules")
        #expect(Prose.needs(2, "needs magic", noun: "rule") == "2 rules need magic")
        #expect(Prose.needs(1, "needs magic") == "1 needs magic")
        #expect(Prose.shell("a/b-c.d") == "a/b-c.d")
        #expect(Prose.shell("it's") == "'it'\\''s'")
        #expect(Prose.seconds(.milliseconds(1_250)) == "1.3 s")
        #expect(Prose.wrapped("aa bb cc", after: "- ", width: 7) == ["- aa bb", "  cc"])
        #expect(FailureText("The process died.") == FailureText("The process died."))
        #expect(FailureText("Expected the calls to succeed, got the error full.").came == "the error full")
        #expect(RuleList.markdown([Rules.all[0]]).contains("\n1 rule.\n"))
    }

    @Test("A failure is cut at the first difference")
    func difference() throws {
        let long = String(repeating: "a", count: 1_000)
        let (expected, came) = briefly(long + "x" + long, long + "y" + long)
        #expect(expected.count < 300 && came.count < 300)
        #expect(expected.contains("ax") && came.contains("ay"))
        #expect(expected.contains("(the first 1000 characters are equal)"))
        let short = briefly(1, 2)
        #expect(short == ("1", "2"))
    }

    @Test("What a report quotes as a promise stands in the guide")
    func promises() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let guide = try String(contentsOf: root.appendingPathComponent(Rule.guide), encoding: .utf8)
            .split { $0 == "\n" || $0 == " " }.joined(separator: " ")
        for (id, promise) in Rule.promises {
            #expect(Rules.all.contains { $0.id == id }, "\(id)")
            #expect(guide.contains(promise), "\(id): \(promise)")
        }
    }
}
