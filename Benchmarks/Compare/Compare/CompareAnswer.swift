import GroveCache

/// Which backend to take for which use, in words, and a table of backends by uses: what a comparison prints first.
///
/// The orders are those of the run's own figures, in the first coding that was measured; the facts are those of the
/// profiles. Memory keeps nothing, so it is not ranked among the others; nor are backends whose commits survive
/// different things.
struct CompareAnswer {
    private let report: CompareReport
    let backends: [BackendName]
    let uses: [Use]

    /// `nil` if the report has fewer than two backends, or nothing of a use, so that there is nothing to choose.
    init?(_ report: CompareReport) {
        guard !report.results.isEmpty else { return nil }
        self.report = report
        backends = report.backends
        uses = report.uses.filter { use in
            report.backends.contains { UseScore(use, $0, in: report) != nil }
        }
        guard backends.count > 1 || !report.exclusions.isEmpty, !uses.isEmpty else { return nil }
    }

    /// The answer, and then the table.
    var text: String { answer + "\n\n" + table }

    // MARK: In words

    /// Some ten lines, each of up to 80 columns.
    var answer: String { sentences.map(CompareAnswer.wrapped).joined(separator: "\n") }

    /// The same, a paragraph each.
    var sentences: [String] {
        let place = report.isInMemory ? "in memory, where syncing costs nothing" : "on a disk"
        var parts = ["\(report.dataSet); the stores are \(place)."]
        if report.isInterrupted { parts.append("Interrupted: what follows is of what was measured until then.") }
        if !report.isOptimised { parts.append("This build is not optimised: its figures mean little.") }
        parts += report.exclusions
        if backends.count == 1 { parts.append("Take \(backends[0].rawValue): it is what is left.") }
        let rankings = uses.flatMap { UseRanking.all($0, in: report) }
        for backend in backends {
            let won = rankings.filter { $0.winner == backend }
            parts += [won.filter { $0.promise == nil }, won.filter { $0.promise != nil }].compactMap {
                take(backend, $0)
            }
        }
        parts += ties(rankings)
        parts += Turn.all(in: report).map {
            "\($0.writer.rawValue) overtakes \($0.reader.rawValue) if more than \(percent($0.share)) % of the calls are commits."
        }
        parts += backends.map(\.facts)
        let slow = backends.filter { backend in
            uses.contains { UseScore($0, backend, in: report)?.isVoid == true }
        }
        if !slow.isEmpty {
            let names = Ranking.list(slow.map(\.rawValue))
            parts.append(
                "The machine was slow or busy: \(names), called directly, took three times as long as it should.")
        }
        return parts
    }

    /// For which uses a backend is the fastest, in a sentence; `nil` if for none.
    ///
    /// - Parameter won: uses that are all of one promise, or all of none.
    private func take(_ backend: BackendName, _ won: [UseRanking]) -> String? {
        guard !won.isEmpty else { return nil }
        let uses = won.map { ranking in
            let second = ranking.ranking.entries[1].backend.rawValue
            return "\(ranking.use.name) (\(ranking.lead.fixed(1)) times \(second))"
        }
        let end = won[0].promise != nil ? ", of those whose commits survive \(backend.promise.words)" : ""
        return "Take \(backend.rawValue) for \(Ranking.list(uses))\(end)."
    }

    /// What is not ranked, and why.
    private func ties(_ rankings: [UseRanking]) -> [String] {
        let tied = rankings.filter { $0.ranking.entries.count > 1 && $0.winner == nil }
        /// The backends that are tied, each time with the uses for which they are.
        func names(_ tied: [UseRanking]) -> String {
            var groups: [(backends: [String], uses: [String])] = []
            for ranking in tied {
                let backends = ranking.ranking.groups.leaders.map(\.backend.rawValue)
                if let index = groups.firstIndex(where: { Set($0.backends) == Set(backends) }) {
                    groups[index].uses.append(ranking.use.name)
                } else {
                    groups.append((backends, [ranking.use.name]))
                }
            }
            return groups.map { "\(Ranking.list($0.backends)) for \(Ranking.list($0.uses))" }.joined(separator: "; ")
        }
        let (noisy, close) = (tied.filter(\.ranking.isNoisy), tied.filter { !$0.ranking.isNoisy })
        return (close.isEmpty ? [] : ["Equally fast: \(names(close))."])
            + (noisy.isEmpty ? [] : ["This run is too noisy to rank \(names(noisy))."])
    }

    private func percent(_ share: Double) -> String {
        let percent = share * 100
        return percent < 1 ? percent.fixed(1) : percent.fixed(0)
    }

    // MARK: As a table

    /// Backends by uses: bars, of which the longest is the fastest of its kind, and calls a second.
    var table: String {
        var lines: [String] = []
        var rest = uses[...]
        // As many uses side by side as 80 columns hold.
        while !rest.isEmpty {
            var (count, width) = (0, 7 + 2 + 13)
            for use in rest where count < rest.count {
                width += 2 + max(use.name.count, CompareAnswer.barWidth)
                if width > 80, count > 0 { break }
                count += 1
            }
            lines += [table(Array(rest.prefix(count))), ""]
            rest = rest.dropFirst(count)
        }
        lines.removeLast()
        let size = report.footprints.filter { $0.backend.isPersistent }.map {
            "\($0.backend.rawValue) \((Double($0.bytesOnDisk) / Double(max($0.nodes, 1))).fixed(0))"
        }
        if !size.isEmpty { lines.append("bytes on disk a record: \(size.joined(separator: ", "))") }
        lines.append(
            CompareAnswer.wrapped(
                "A full bar is the fastest on disk, among those whose commits survive the same if that matters to the use."
            ))
        lines.append("Compare only figures of one run. --details prints all, --list the uses.")
        return lines.joined(separator: "\n")
    }

    private func table(_ uses: [Use]) -> String {
        var table = TextTable(
            ["calls/s", "survives"] + uses.map(\.name), alignment: [.left, .left] + uses.map { _ in .right })
        for backend in rows {
            let scores = uses.map { UseScore($0, backend, in: report) }
            table.append(
                [backend.rawValue + (report.wrong.contains(backend) ? " !" : ""), backend.promise.words]
                    + scores.map { $0.map { CompareResult.short($0.callsPerSecond) } ?? "-" })
            table.append(
                ["", ""]
                    + zip(uses, scores).map { use, score in
                        score.map { CompareAnswer.bar($0.callsPerSecond, of: best(use, as: backend)) } ?? ""
                    })
        }
        return table.description
    }

    /// The backends, those first whose commits survive most.
    var rows: [BackendName] {
        Promise.allCases.reversed().flatMap { promise in backends.filter { $0.promise == promise } }
    }

    /// The figure that a backend's bar is measured against.
    func best(_ use: Use, as backend: BackendName) -> Double {
        let rivals = backends.filter {
            use.writes ? $0.promise == backend.promise : $0.isPersistent == backend.isPersistent
        }
        return rivals.compactMap { UseScore(use, $0, in: report)?.callsPerSecond }.max() ?? 0
    }

    private static let barWidth = 5

    /// `figure` as a bar of up to five columns.
    static func bar(_ figure: Double, of best: Double) -> String {
        guard best > 0 else { return "" }
        let eighths = min(max(Int((figure / best * Double(barWidth * 8)).rounded()), 1), barWidth * 8)
        let rest = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"][eighths % 8]
        return String(repeating: "█", count: eighths / 8) + rest
            + String(repeating: " ", count: barWidth - (eighths + 7) / 8)
    }

    /// `text` in lines of up to 80 columns, all but the first indented.
    private static func wrapped(_ text: String) -> String {
        var lines = [""]
        for word in text.split(separator: " ") {
            let line = lines[lines.count - 1]
            if line.isEmpty {
                lines[lines.count - 1] = String(word)
            } else if line.count + 1 + word.count <= 80 {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append("    " + word)
            }
        }
        return lines.joined(separator: "\n")
    }
}
