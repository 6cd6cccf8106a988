/// A report to read on a terminal.
///
/// For each backend it has a line for each theme, the skips by reason, the broken rules in full, and the verdict.
package struct PrettyReport: Sendable {
    /// The amount of detail in a report.
    package enum Detail: Sendable {
        /// The broken rules and the verdict.
        case quiet
        /// Also a line for each theme, and the skips.
        case normal
        /// Also a line for each rule.
        case verbose
    }

    private let report: ConformanceReport
    private let isColoured: Bool
    private let detail: Detail
    private let width: Int

    /// Makes a report.
    ///
    /// - Parameters:
    ///   - isColoured: whether the text has a terminal's codes for colours.
    ///   - columns: the greatest width of a line; the value of `COLUMNS` by default, or 80.
    package init(
        _ report: ConformanceReport, isColoured: Bool = false, detail: Detail = .normal, columns: Int? = nil
    ) {
        self.report = report
        self.isColoured = isColoured
        self.detail = detail
        width = columns ?? Prose.columns
    }

    /// The text of the report.
    package var text: String {
        var lines: [String] = []
        if detail != .quiet { lines += [report.heading, ""] }
        for backend in report.backends {
            if detail == .verbose { lines += rules(backend) + [""] }
            if detail != .quiet { lines += summary(backend) }
            if backend.broken > 0 { lines += failures(backend) }
        }
        for backend in report.backends { lines += verdict(backend) }
        return lines.joined(separator: "\n") + "\n"
    }

    // MARK: What was checked

    private func rules(_ backend: BackendReport) -> [String] {
        let width = backend.results.map(\.rule.id.count).max() ?? 0
        return [backend.backend] + backend.results.map { "  " + line($0, width: width) }
    }

    /// The line of one rule.
    package func line(_ result: RuleResult, width: Int = 6) -> String {
        let detail = result.isBroken || result.message.isEmpty ? "" : " (\(result.message))"
        let outcome = coloured(Prose.padded(result.outcome.word, 9), result.outcome.colour)
        let time = result.duration >= .milliseconds(500) ? " [\(Prose.seconds(result.duration))]" : ""
        return "\(outcome)  \(Prose.padded(result.rule.id, width))  \(Prose.padded(result.rule.level.rawValue, 6))  "
            + result.rule.text + detail + time
    }

    /// A line for each theme, and then the skips by reason.
    private func summary(_ backend: BackendReport) -> [String] {
        var lines = Prose.wrapped(backend.claims, after: backend.backend + ": ", width: width)
        lines[0] = bold(backend.backend) + lines[0].dropFirst(backend.backend.count)
        let themes = Theme.families(of: backend.results.map(\.rule))
        let names = themes.map { Theme.name(of: $0) == $0 ? "\($0)-*" : "\(Theme.name(of: $0)) (\($0)-*)" }
        let column = names.map(\.count).max() ?? 0
        for (family, name) in zip(themes, names) {
            let results = backend.results.filter { $0.rule.family == family }
            lines.append("  \(Prose.padded(name, column))  \(counts(results))")
        }
        lines += skips(backend) + excuses(backend)
        let slow = backend.results.filter { $0.duration >= .seconds(2) }.sorted { $0.duration > $1.duration }.prefix(3)
        if !slow.isEmpty {
            let names = slow.map { "\($0.rule.id) \(Prose.seconds($0.duration))" }.joined(separator: ", ")
            lines.append("  slowest: \(names)")
        }
        return lines + [""]
    }

    private func counts(_ results: [RuleResult]) -> String {
        let (holding, broken) = (results.count { $0.outcome == .passed }, results.count(where: \.isBroken))
        var parts = [holding == 1 ? "1 holds" : "\(holding) hold"]
        if broken > 0 { parts.append(coloured(broken == 1 ? "1 is broken" : "\(broken) are broken", .red)) }
        for (outcome, word) in [(RuleResult.Outcome.excused, "excused"), (.skipped, "skipped")] {
            let count = results.count { $0.outcome == outcome }
            if count > 0 { parts.append("\(count) \(word)") }
        }
        return parts.joined(separator: ", ")
    }

    private func skips(_ backend: BackendReport) -> [String] {
        let skipped = backend.results.filter { $0.outcome == .skipped }
        guard !skipped.isEmpty else { return [] }
        var lines: [String] = []
        for applies in [true, false] {
            let part = skipped.filter { $0.isApplicable == applies }
            let reasons = Dictionary(grouping: part, by: \.message).sorted {
                ($0.value.count, $1.key) > ($1.value.count, $0.key)
            }
            guard !part.isEmpty else { continue }
            lines.append(
                applies
                    ? "  skipped, and counted against it:"
                    : "  skipped, as the backend does not claim to be such a one:")
            for (reason, results) in reasons {
                let ids = results.map(\.rule.id).joined(separator: " ")
                lines += Prose.wrapped(
                    "\(Prose.needs(results.count, reason, noun: "rule")): \(ids)", after: "    ", width: width)
            }
        }
        return lines
    }

    private func excuses(_ backend: BackendReport) -> [String] {
        backend.results.filter { $0.outcome == .excused }.flatMap {
            Prose.wrapped("excused \($0.rule.id): \($0.message)", after: "  ", width: width)
        }
    }

    // MARK: What is broken

    private func failures(_ backend: BackendReport) -> [String] {
        let causes = FailureCause.causes(of: backend.results)
        var lines = [
            bold(
                "\(backend.backend): \(Prose.count(backend.broken, "rule")) broken, as it seems by "
                    + Prose.count(causes.count, "cause")), "",
        ]
        var hasSaidFollow = false
        for (index, cause) in causes.enumerated() {
            if cause.mayFollow, !hasSaidFollow {
                hasSaidFollow = true
                lines += Prose.wrapped(
                    "What comes now may follow from what is above: mend the store first, and run again with --failed.",
                    after: "", width: width)
                lines.append("")
            }
            lines += failure(cause.results[0], number: index + 1, backend)
            let others = cause.results.dropFirst()
            if !others.isEmpty {
                lines += Prose.wrapped(
                    "\(Prose.count(others.count, "other rule")) ended in the same way: "
                        + others.map(\.rule.id).joined(separator: " "), after: "   ", width: width)
            }
            lines.append("")
        }
        return lines
    }

    /// One broken rule in full: the values, the reason, the guide's promise and the command that checks it again.
    private func failure(_ result: RuleResult, number: Int, _ backend: BackendReport) -> [String] {
        let rule = result.rule
        let head = "\(number). "
        var lines = Prose.wrapped(
            "\(rule.id) (\(rule.level.rawValue)) \(result.outcome.word): \(rule.text)", after: head, width: width)
        lines[0] = coloured(lines[0], .red)
        func add(_ name: String, _ text: String) {
            lines += Prose.wrapped(text, after: "   \(Prose.padded(name, 8)) ", width: width)
        }
        let text = FailureText(result.sentence)
        if text.expected == nil { add("came", text.subject) } else if !text.subject.isEmpty { add("of", text.subject) }
        if let expected = text.expected { add("expected", expected) }
        if let came = text.came { add("came", came) }
        add("why", rule.reason)
        if let promise = rule.promise { add("promise", "\(promise) (\(Rule.guide))") }
        // Commands are copied: they are not wrapped.
        lines.append("   again    \(backend.replay(result, seed: report.seed))")
        if let replay = backend.replayOfProgram(result) { lines.append("   or       \(replay)") }
        return lines
    }

    // MARK: The verdict

    private func verdict(_ backend: BackendReport) -> [String] {
        let colour: Colour = backend.verdict == .failed ? .red : backend.verdict == .conformant ? .green : .yellow
        return Prose.wrapped(backend.verdictSentence(seed: report.seed), after: "", width: width)
            .map { coloured($0, colour) }
    }

    // MARK: Colour

    enum Colour: String {
        case red = "31"
        case green = "32"
        case yellow = "33"
    }

    private func coloured(_ text: String, _ colour: Colour) -> String {
        isColoured ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }

    private func bold(_ text: String) -> String { isColoured ? "\u{1B}[1m\(text)\u{1B}[0m" : text }
}

extension RuleResult.Outcome {
    /// The outcome as a word in a sentence.
    var word: String {
        switch self {
        case .passed: "holds"
        case .failed: "broken"
        case .skipped: "skipped"
        case .excused: "excused"
        case .crashed: "crashed"
        case .timedOut: "timed out"
        }
    }

    fileprivate var colour: PrettyReport.Colour {
        switch self {
        case .passed: .green
        case .failed, .crashed, .timedOut: .red
        case .skipped, .excused: .yellow
        }
    }
}

extension BackendReport {
    /// The verdict in one sentence, with the numbers behind it.
    func verdictSentence(seed: UInt64) -> String {
        let passed = count(.passed)
        var parts = ["\(passed) of \(Prose.count(total, "rule")) \(passed == 1 ? "holds" : "hold")"]
        if broken > 0 { parts.append("\(broken) broken") }
        for (outcome, word) in [(RuleResult.Outcome.excused, "excused"), (.skipped, "skipped")] {
            if count(outcome) > 0 { parts.append("\(count(outcome)) \(word)") }
        }
        let rest = total - results.count
        if rest > 0 { parts.append("\(rest) not asked") }
        let sum = parts.joined(separator: ", ")
        let end = "; \(Prose.seconds(duration)), seed \(seed)."
        switch verdict {
        case .conformant: return "\(backend): conformant\(isHardened ? ", hardened" : ""): \(sum)\(end)"
        case .excused: return "\(backend): conformant but for what is excused: \(sum)\(end)"
        case .partial: return "\(backend): what was asked holds, which is no verdict of all: \(sum)\(end)"
        case .interrupted: return "\(backend): interrupted, and nothing was found broken: \(sum)\(end)"
        case .failed:
            if broken == 0, !hasRun { return "\(backend): not conformant: nothing was checked: \(sum)\(end)" }
            if hasTooManySkips, !results.contains(where: { $0.isBroken && $0.rule.level == .must }) {
                return
                    "\(backend): not conformant: more than one in ten of the \(applicable) rules that apply was skipped: "
                    + "\(sum)\(end)"
            }
            return "\(backend): not conformant\(isInterrupted ? ", and interrupted" : ""): \(sum)\(end)"
        }
    }
}
