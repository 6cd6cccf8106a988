/// A report as JSON, for other tools; later versions keep its keys.
package struct JSONReport: Sendable {
    private let report: ConformanceReport

    /// Makes a report.
    package init(_ report: ConformanceReport) { self.report = report }

    /// The text, with one line for each rule.
    package var text: String {
        let backends = report.backends.map { backend in
            let rules = backend.results.map { rule($0, backend) }.joined(separator: ",\n")
            return "{\"backend\":\(Quoted.json(backend.backend)),\"verdict\":\"\(backend.verdict.rawValue)\","
                + "\"hardened\":\(backend.isHardened),\"interrupted\":\(backend.isInterrupted),"
                + "\"asked\":\(backend.asked),\"total\":\(backend.total),"
                + "\"passed\":\(backend.count(.passed)),\"failed\":\(backend.broken),\"skipped\":\(backend.count(.skipped)),"
                + "\"rules\":[\n\(rules)]}"
        }
        return
            "{\"spec\":\(ConformanceReport.spec),\"kit\":\(Quoted.json(ConformanceReport.kit)),\"seed\":\(report.seed),\"backends\":["
            + backends.joined(separator: ",\n") + "]}\n"
    }

    private func rule(_ result: RuleResult, _ backend: BackendReport) -> String {
        let (seconds, attoseconds) = result.duration.components
        var fields = [
            "\"id\":\(Quoted.json(result.rule.id))", "\"level\":\"\(result.rule.level.rawValue)\"",
            "\"outcome\":\"\(result.outcome.rawValue)\"", "\"applies\":\(result.isApplicable)",
            "\"checks\":\(result.checks)", "\"milliseconds\":\(seconds * 1_000 + attoseconds / 1_000_000_000_000_000)",
            "\"message\":\(Quoted.json(result.message))",
        ]
        if result.isBroken {
            let text = FailureText(result.sentence)
            let words = [
                ("expected", text.expected), ("came", text.came), ("reason", result.rule.reason),
                ("promise", result.rule.promise), ("replay", backend.replay(result, seed: report.seed)),
                ("replayProgram", backend.replayOfProgram(result)),
            ]
            fields += words.compactMap { name, text in text.map { "\"\(name)\":\(Quoted.json($0))" } }
        }
        return "{\(fields.joined(separator: ","))}"
    }
}
