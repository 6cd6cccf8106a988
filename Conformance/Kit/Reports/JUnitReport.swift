/// A report as JUnit XML: a suite for each backend, a case for each rule.
package struct JUnitReport: Sendable {
    private let report: ConformanceReport

    /// Makes a report.
    package init(_ report: ConformanceReport) { self.report = report }

    /// The text of the report.
    package var text: String {
        let all = report.backends.flatMap(\.results)
        var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"]
        lines.append("<testsuites name=\"\(Quoted.xml(report.heading))\" \(counts(all))>")
        for backend in report.backends {
            lines.append("  <testsuite name=\"\(Quoted.xml(backend.backend))\" \(counts(backend.results))>")
            lines.append("    <properties>")
            lines.append("      <property name=\"seed\" value=\"\(report.seed)\"/>")
            lines.append("      <property name=\"spec\" value=\"\(ConformanceReport.spec)\"/>")
            lines.append("      <property name=\"kit\" value=\"\(Quoted.xml(ConformanceReport.kit))\"/>")
            lines.append("      <property name=\"hardened\" value=\"\(backend.isHardened)\"/>")
            lines.append("      <property name=\"verdict\" value=\"\(backend.verdict.rawValue)\"/>")
            lines.append("    </properties>")
            for result in backend.results { lines += testCase(result, backend) }
            lines.append("  </testsuite>")
        }
        lines.append("</testsuites>")
        return lines.joined(separator: "\n") + "\n"
    }

    private func testCase(_ result: RuleResult, _ backend: BackendReport) -> [String] {
        let name = Quoted.xml("\(result.rule.id) \(result.rule.text)")
        let open =
            "    <testcase classname=\"grove.\(Quoted.xml(backend.backend)).\(result.rule.family)\" name=\"\(name)\" "
            + "assertions=\"\(result.checks)\" time=\"\(seconds(result.duration))\""
        let message = Quoted.xml(result.message)
        let text = Quoted.xml("\(result.message)\nreplay: \(backend.replay(result, seed: report.seed))")
        switch result.outcome {
        case .passed: return [open + "/>"]
        case .skipped, .excused: return [open + ">", "      <skipped message=\"\(message)\"/>", "    </testcase>"]
        case .failed:
            return [
                open + ">", "      <failure message=\"\(message)\" type=\"failed\">\(text)</failure>",
                "    </testcase>",
            ]
        case .crashed, .timedOut:
            let type = result.outcome.rawValue
            return [
                open + ">", "      <error message=\"\(message)\" type=\"\(type)\">\(text)</error>",
                "    </testcase>",
            ]
        }
    }

    private func counts(_ results: [RuleResult]) -> String {
        let errors = results.count { $0.outcome == .crashed || $0.outcome == .timedOut }
        let skipped = results.count { $0.outcome == .skipped || $0.outcome == .excused }
        let time = results.reduce(Duration.zero) { $0 + $1.duration }
        return
            "tests=\"\(results.count)\" failures=\"\(results.count { $0.outcome == .failed })\" errors=\"\(errors)\" "
            + "skipped=\"\(skipped)\" time=\"\(seconds(time))\""
    }

    private func seconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = String(attoseconds / 1_000_000_000_000_000)
        return "\(seconds)." + String(repeating: "0", count: 3 - milliseconds.count) + milliseconds
    }
}
