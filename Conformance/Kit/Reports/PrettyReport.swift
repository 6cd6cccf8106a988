/// A report for people: one line for each rule that is not simply well, aligned, and a verdict for each backend.
public struct PrettyReport: Sendable {
    private let report: ConformanceReport
    private let isColoured: Bool

    /// Makes a report; colour is for terminals.
    public init(_ report: ConformanceReport, isColoured: Bool = false) {
        self.report = report
        self.isColoured = isColoured
    }

    /// The text.
    public var text: String {
        var lines = [report.heading, ""]
        let width = report.backends.flatMap(\.results).map(\.rule.id.count).max() ?? 0
        for backend in report.backends {
            lines.append(backend.backend)
            for result in backend.results {
                lines.append("  " + line(result, width: width))
                if result.isBroken {
                    lines.append("            \(result.message)")
                    lines.append(
                        "            replay: \(report.command ?? "grove conformance --backend \(backend.backend)") --rule \(result.rule.id) --seed \(report.seed)"
                    )
                }
            }
            lines.append("")
        }
        let name = report.backends.map(\.backend.count).max() ?? 0
        for backend in report.backends { lines.append(verdict(backend, width: name)) }
        return lines.joined(separator: "\n") + "\n"
    }

    /// One rule's line, without what follows a broken one.
    public func line(_ result: RuleResult, width: Int = 6) -> String {
        let outcome = padded(result.outcome.rawValue, 8)
        let detail = result.isBroken || result.message.isEmpty ? "" : " (\(result.message))"
        return
            "\(coloured(outcome, result))  \(padded(result.rule.id, width))  \(padded(result.rule.level.rawValue, 6))  "
            + result.rule.text + detail
    }

    private func verdict(_ backend: BackendReport, width: Int) -> String {
        let counts = [(RuleResult.Outcome.passed, "passed"), (.skipped, "skipped"), (.excused, "excused")].compactMap {
            let count = backend.count($0.0)
            return count == 0 && $0.0 != .passed ? nil : "\(count) \($0.1)"
        }
        let verdict = backend.verdict.rawValue + (backend.isHardened ? ", hardened" : "")
        var text = "\(padded(backend.backend, width))  \(padded(verdict, 20))  "
        text += (counts + ["\(backend.broken) failed"]).joined(separator: ", ")
        text += "; \(ConformanceReport.versions), seed \(report.seed)"
        if backend.hasTooManySkips { text += "; more than one rule in ten was skipped" }
        if !backend.hasRun { text += "; nothing was checked" }
        return text
    }

    private func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private func coloured(_ text: String, _ result: RuleResult) -> String {
        guard isColoured else { return text }
        let colour = result.isBroken ? "31" : result.outcome == .passed ? "32" : "33"
        return "\u{1B}[\(colour)m\(text)\u{1B}[0m"
    }
}
