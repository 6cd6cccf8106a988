/// A report in the Test Anything Protocol, version 14: one test point for each rule and backend.
package struct TAPReport: Sendable {
    private let report: ConformanceReport
    private let version: Int

    /// Makes a report.
    ///
    /// - Parameter version: the version that the first line names. Many readers, such as `prove`, refuse 14 but read
    ///   the same lines as 13.
    package init(_ report: ConformanceReport, version: Int = 14) {
        self.report = report
        self.version = version
    }

    /// The text of the report.
    package var text: String {
        let count = report.backends.reduce(0) { $0 + $1.results.count }
        var lines = ["TAP version \(version)", "# \(report.heading)", "1..\(count)"]
        var number = 0
        for backend in report.backends {
            for result in backend.results {
                number += 1
                let state = result.isBroken || result.outcome == .excused ? "not ok" : "ok"
                var line = "\(state) \(number) - \(backend.backend) \(result.rule.id) \(escaped(result.rule.text))"
                if result.outcome == .skipped { line += " # SKIP \(escaped(result.message))" }
                // TODO is the protocol's own word for a test that is known to fail.
                if result.outcome == .excused { line += " # TODO \(escaped(result.message))" }
                lines.append(line)
                guard result.isBroken else { continue }
                lines += [
                    "  ---", "  outcome: \(result.outcome.rawValue)", "  level: \(result.rule.level.rawValue)",
                    "  message: \(Quoted.json(result.message))", "  checks: \(result.checks)",
                    "  replay: \(Quoted.json(backend.replay(result, seed: report.seed)))", "  ...",
                ]
            }
            let verdict = backend.verdict.rawValue + (backend.isHardened ? ", hardened" : "")
            lines.append("# \(backend.backend): \(verdict); \(ConformanceReport.versions), seed \(report.seed)")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "\\", "#": escaped += "\\\(character)"
            case "\n", "\r": escaped += " "
            default: escaped.append(character)
            }
        }
        return escaped
    }
}
