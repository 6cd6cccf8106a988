/// A report as JSON, for other tools; its keys stay.
public struct JSONReport: Sendable {
    private let report: ConformanceReport

    /// Makes a report.
    public init(_ report: ConformanceReport) { self.report = report }

    /// The text, one rule a line.
    public var text: String {
        let backends = report.backends.map { backend in
            let rules = backend.results.map(rule).joined(separator: ",\n")
            return "{\"backend\":\(Quoted.json(backend.backend)),\"verdict\":\"\(backend.verdict.rawValue)\","
                + "\"hardened\":\(backend.isHardened),"
                + "\"passed\":\(backend.count(.passed)),\"failed\":\(backend.broken),\"skipped\":\(backend.count(.skipped)),"
                + "\"rules\":[\n\(rules)]}"
        }
        return
            "{\"spec\":\(ConformanceReport.spec),\"kit\":\(Quoted.json(ConformanceReport.kit)),\"seed\":\(report.seed),\"backends\":["
            + backends.joined(separator: ",\n") + "]}\n"
    }

    private func rule(_ result: RuleResult) -> String {
        "{\"id\":\(Quoted.json(result.rule.id)),\"level\":\"\(result.rule.level.rawValue)\","
            + "\"outcome\":\"\(result.outcome.rawValue)\",\"checks\":\(result.checks),"
            + "\"message\":\(Quoted.json(result.message))}"
    }
}
