import Foundation
import GroveConformance
import Testing

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// What other tools read.
@Suite struct ReportTests {
    private var report: ConformanceReport {
        func rule(_ id: String) -> Rule {
            Rule(id, "A text with <angles>, \"quotes\" & a # \\.", because: "…") { _ in }
        }
        let results = [
            RuleResult(rule("TST-01"), .passed, checks: 3, duration: .milliseconds(1_234)),
            RuleResult(rule("TST-02"), .failed, checks: 1, message: "expected <1>, got \u{1}\u{0} & \"é\"\n."),
            RuleResult(rule("TST-03"), .skipped, message: "needs persistent"),
            RuleResult(rule("TST-04"), .timedOut, message: "It did not end."),
        ]
        return ConformanceReport(
            seed: 42,
            backends: [
                BackendReport(backend: "a", results: results, isWhole: true),
                BackendReport(backend: "b", results: [results[0]], isWhole: false),
            ])
    }

    @Test("The JSON has the keys that other tools rely on")
    func json() throws {
        let text = JSONReport(report).text
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["spec"] as? Int == 1)
        #expect(object["seed"] as? Int == 42)
        let backends = try #require(object["backends"] as? [[String: Any]])
        #expect(backends.map { $0["backend"] as? String } == ["a", "b"])
        #expect(backends.map { $0["verdict"] as? String } == ["failed", "partial"])
        #expect(backends[0]["passed"] as? Int == 1)
        #expect(backends[0]["failed"] as? Int == 2)
        #expect(backends[0]["skipped"] as? Int == 1)
        let rules = try #require(backends[0]["rules"] as? [[String: Any]])
        #expect(rules.map { $0["outcome"] as? String } == ["passed", "failed", "skipped", "timedOut"])
        #expect(rules[0]["checks"] as? Int == 3)
        #expect(rules[1]["message"] as? String == "expected <1>, got \u{1}\u{0} & \"é\"\n.")
        #expect(rules.allSatisfy { $0["level"] as? String == "MUST" && $0["id"] is String })
    }

    @Test("The JUnit file parses, with one case for each rule and backend")
    func junit() throws {
        final class Counter: NSObject, XMLParserDelegate {
            var elements: [String: Int] = [:]
            func parser(
                _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
                attributes: [String: String] = [:]
            ) {
                elements[name, default: 0] += 1
            }
        }
        let counter = Counter()
        let parser = XMLParser(data: Data(JUnitReport(report).text.utf8))
        parser.delegate = counter
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
        #expect(counter.elements["testsuite"] == 2)
        #expect(counter.elements["testcase"] == 5)
        #expect(counter.elements["failure"] == 1)
        #expect(counter.elements["error"] == 1)
        #expect(counter.elements["skipped"] == 1)
    }

    @Test("The TAP has its version, its plan, and one line for each rule and backend")
    func tap() {
        let lines = TAPReport(report).text.split(separator: "\n")
        #expect(lines.first == "TAP version 14")
        #expect(lines.contains("1..5"))
        #expect(lines.count { $0.hasPrefix("ok ") } == 3)
        #expect(lines.count { $0.hasPrefix("not ok ") } == 2)
        #expect(lines.count { $0.contains(" # SKIP needs persistent") } == 1)
        #expect(lines.count { $0 == "  ---" } == 2)
        #expect(lines.count { $0 == "  ..." } == 2)
    }

    /// The path of a tool of others; `nil` if there is no such tool.
    private static func path(of tool: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return path.split(separator: ":").map { "\($0)/\(tool)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs a tool of others on `text`, in a file.
    private func run(_ tool: String, _ arguments: [String], on text: String) throws -> (status: Int32, output: String) {
        let found = try #require(ReportTests.path(of: tool))
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).txt")
        try text.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: found)
        process.arguments = arguments + [file.path]
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
    }

    @Test(
        "prove reads the TAP: what failed fails, what was skipped and excused does not",
        .enabled(if: path(of: "prove") != nil, "needs prove"))
    func prove() throws {
        let failing = try run("prove", ["-v", "-e", "cat"], on: TAPReport(report, version: 13).text)
        #expect(failing.status != 0)
        #expect(failing.output.contains("Failed 2/5 subtests"), "\(failing.output)")
        #expect(!failing.output.contains("Parse errors"), "\(failing.output)")
        let rule = Rule("TST-05", "It holds.", because: "…") { _ in }
        let results = [
            RuleResult(rule, .passed, checks: 1), RuleResult(rule, .excused, message: "the engine cannot"),
            RuleResult(rule, .skipped, message: "needs magic"),
        ]
        let good = ConformanceReport(seed: 1, backends: [BackendReport(backend: "a", results: results, isWhole: false)])
        let passing = try run("prove", ["-v", "-e", "cat"], on: TAPReport(good, version: 13).text)
        #expect(passing.status == 0, "\(passing.output)")
        #expect(passing.output.contains("Result: PASS"))
    }

    @Test(
        "A JUnit parser of others reads the XML, with its counts",
        .enabled(if: path(of: "python3") != nil, "needs python3"))
    func junitElsewhere() throws {
        let script = """
            import sys
            try:
                import junitparser
                suites = list(junitparser.JUnitXml.fromfile(sys.argv[1]))
                print([(s.name, s.tests, s.failures, s.errors, s.skipped, len(list(s))) for s in suites])
            except ImportError:
                import xml.etree.ElementTree as tree
                suites = tree.parse(sys.argv[1]).getroot().findall('testsuite')
                keys = ('tests', 'failures', 'errors', 'skipped')
                print([(s.get('name'),) + tuple(int(s.get(k)) for k in keys) + (len(s.findall('testcase')),)
                       for s in suites])
            """
        let read = try run("python3", ["-c", script], on: JUnitReport(report).text)
        #expect(read.status == 0, "\(read.output)")
        #expect(read.output == "[('a', 4, 1, 1, 1, 4), ('b', 1, 0, 0, 0, 1)]\n")
    }

    @Test(
        "The page for a browser is well formed, needs nothing else, and holds the verdicts, the failures and what no rule tests"
    )
    func html() throws {
        let text = HTMLReport(report).text
        // Without its first line and the void elements, it is XML.
        let body = text.split(separator: "\n").filter { !$0.hasPrefix("<!doctype") && !$0.hasPrefix("<meta") }
        let parser = XMLParser(data: Data(body.joined(separator: "\n").utf8))
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
        #expect(!text.contains("<script") && !text.contains("src=") && !text.contains("href="))
        for part in [
            "aria-label=\"Grove conformance: not conformant\"", "aria-label=\"Grove conformance: checked in part\"",
            "grove conformance --backend a --rule TST-02 --seed 42", "<h2>What no rule tests</h2>", "needs persistent",
            "A text with &lt;angles&gt;",
        ] { #expect(text.contains(part), "\(part)") }
    }

    @Test("The page for a repository has a row for each theme, what is broken and what was skipped")
    func markdown() {
        let text = MarkdownReport(report).text
        for part in [
            "**not conformant**", "**checked in part**", "| TST | 1 | 2 | 1 |", "### TST-02 broken",
            "- again: `grove conformance --backend a --rule TST-02 --seed 42`", "| TST-03 | needs persistent | yes |",
            "## What no rule tests",
        ] { #expect(text.contains(part), "\(part)") }
        #expect(!text.contains("<angles>"))
    }

    @Test("A backend is hardened when the rules of faults ran, all of them")
    func hardened() {
        func report(_ outcome: RuleResult.Outcome) -> BackendReport {
            BackendReport(
                backend: "a",
                results: Rules.all.map { RuleResult($0, $0.requires.contains(.systemFaults) ? outcome : .passed) },
                isWhole: true)
        }
        let good = report(.passed)
        #expect(good.isHardened)
        #expect(!report(.skipped).isHardened)
        #expect(!report(.failed).isHardened)
        let text = PrettyReport(ConformanceReport(seed: 42, backends: [good])).text
        #expect(text.contains("conformant, hardened"))
        #expect(text.contains("spec \(ConformanceReport.spec), kit \(ConformanceReport.kit), seed 42"))
    }

    @Test("The readable report says how to replay a failure, and each backend's verdict")
    func pretty() {
        let text = PrettyReport(report).text
        #expect(text.contains("seed 42"))
        #expect(text.contains("\n   again    grove conformance --backend a --rule TST-02 --seed 42\n"))
        #expect(!text.contains("\u{1B}"))
        #expect(PrettyReport(report, isColoured: true).text.contains("\u{1B}[31m"))
    }

    @Test("A run that checks nothing does not conform")
    func nothing() {
        let skipped = RuleResult(Rules.all[0], .skipped, message: "needs magic")
        let empty = BackendReport(backend: "a", results: [skipped], isWhole: false)
        #expect(empty.verdict == .failed)
        #expect(!ConformanceReport(seed: 1, backends: []).isConformant)
    }

    @Test("Conformance/RULES.md is current")
    func rulesFile() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let file = root.appendingPathComponent("Conformance/RULES.md")
        let stored = try String(contentsOf: file, encoding: .utf8)
        let isCurrent = stored == RuleList.markdown()
        #expect(isCurrent, "write it anew: grove conformance --markdown --output Conformance/RULES.md")
    }
}
