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
        #expect(backends.map { $0["verdict"] as? String } == ["failed", "conformant"])
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

    @Test("The readable report says how to replay a failure, and each backend's verdict")
    func pretty() {
        let text = PrettyReport(report).text
        #expect(text.contains("seed 42"))
        #expect(text.contains("replay: grove conformance --backend a --rule TST-02 --seed 42"))
        #expect(text.contains("more than one rule in ten was skipped"))
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
