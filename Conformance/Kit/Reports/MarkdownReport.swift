/// A report to publish, as Markdown.
///
/// For each backend it has a badge, the declared profile, the verdict, a table of themes, and the broken and skipped
/// rules. It ends with a list of properties that no rule tests.
package struct MarkdownReport: Sendable {
    private let report: ConformanceReport

    /// Makes a report.
    package init(_ report: ConformanceReport) { self.report = report }

    /// The text of the report.
    package var text: String {
        var lines = ["# Conformance", "", "\(report.heading)."]
        for backend in report.backends { lines += ["", "## \(backend.backend)", ""] + section(backend) }
        lines += ["", "## What no rule tests", ""] + Untested.sentences.map { "- \($0)" }
        return lines.joined(separator: "\n") + "\n"
    }

    private func section(_ backend: BackendReport) -> [String] {
        var lines = ["**\(backend.badge)**"]
        if !backend.claims.isEmpty { lines[0] += ": \(backend.claims)" }
        lines += ["", MarkdownReport.cell(backend.verdictSentence(seed: report.seed)), ""]
        lines += ["| theme | rules that hold | broken | skipped or excused |", "|---|--:|--:|--:|"]
        for theme in backend.themes {
            lines.append("| \(theme.name) | \(theme.passed) | \(theme.broken) | \(theme.others) |")
        }
        for cause in FailureCause.causes(of: backend.results) {
            lines += [""] + failure(cause, backend)
        }
        let skips = backend.results.filter { $0.outcome == .skipped || $0.outcome == .excused }
        if !skips.isEmpty {
            lines += ["", "| rule | not checked, or excused | counts |", "|---|---|---|"]
            lines += skips.map {
                "| \($0.rule.id) | \(MarkdownReport.cell($0.message)) | \($0.isApplicable ? "yes" : "no") |"
            }
        }
        return lines
    }

    private func failure(_ cause: FailureCause, _ backend: BackendReport) -> [String] {
        let result = cause.results[0]
        var lines = [
            "### \(result.rule.id) \(result.outcome.word)", "", MarkdownReport.cell(result.rule.text), "",
            "- found: \(MarkdownReport.cell(result.sentence))", "- why it matters: \(result.rule.reason)",
        ]
        if let promise = result.rule.promise { lines.append("- the promise: \(promise)") }
        lines.append("- again: `\(backend.replay(result, seed: report.seed))`")
        let others = cause.results.dropFirst().map(\.rule.id)
        if !others.isEmpty { lines.append("- ended in the same way: \(others.joined(separator: ", "))") }
        return lines
    }

    /// `text` with the characters replaced that would end a cell or begin a tag.
    private static func cell(_ text: String) -> String {
        var cell = ""
        for character in text {
            switch character {
            case "|": cell += "\\|"
            case "<": cell += "&lt;"
            case "\n": cell += " "
            default: cell.append(character)
            }
        }
        return cell
    }
}

extension BackendReport {
    /// The name of a theme, and the numbers of its rules by outcome.
    struct ThemeCount {
        let name: String
        let passed: Int
        let broken: Int
        let others: Int
    }

    /// The themes, in order.
    var themes: [ThemeCount] {
        Theme.families(of: results.map(\.rule)).map { family in
            let results = results.filter { $0.rule.family == family }
            let (passed, broken) = (results.count { $0.outcome == .passed }, results.count(where: \.isBroken))
            return ThemeCount(
                name: Theme.name(of: family), passed: passed, broken: broken, others: results.count - passed - broken)
        }
    }

    /// The verdict in a word or two, for a badge.
    var badge: String {
        switch verdict {
        case .conformant: isHardened ? "conformant, hardened" : "conformant"
        case .excused: "conformant with excuses"
        case .partial: "checked in part"
        case .interrupted: "interrupted"
        case .failed: "not conformant"
        }
    }
}
