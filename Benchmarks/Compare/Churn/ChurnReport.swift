import GroveCache
import GroveModel

/// The results of ``ChurnRun``, as a table.
package struct ChurnReport {
    let settings: ChurnRun.Settings
    private(set) var results: [ChurnRun.Result] = []

    /// Lives through the days on a new store of each of `backends`, in `directory`.
    package init(
        _ settings: ChurnRun.Settings, _ backends: [BackendName], in directory: TemporaryDirectory
    ) throws {
        self.settings = settings
        for backend in backends {
            let place = backend.isPersistent ? try directory.make(backend.rawValue) : nil
            do {
                let cache = try backend.open(place, budget: CacheBudget(bytes: settings.budget))
                defer { cache.close() }
                results.append(try cache.churn(ChurnRun(settings: settings), backend, in: place))
            } catch let error as CacheError {
                throw ToolError(error, "churning \(backend.rawValue)")
            }
        }
    }

    /// Whether some backend passed the budget.
    package var isBroken: Bool { results.contains { $0.peak > $0.budget } }

    package var table: String {
        let deletes = settings.deletions > 0
        let header =
            ["backend", "peak", "of it", "live", "least", "hits", "by day", "models", "amp", "speed", "cpu"]
            + (deletes ? ["maybe", "lost"] : [])
        var table = TextTable(header, alignment: header.map { $0 == "backend" ? .left : .right })
        for result in results {
            let later = result.hitRatios.dropFirst(result.hitRatios.count / 3)
            // The first day that evicts is the first that does all the work.
            let first = result.rates.count / 3
            let cells = [
                result.backend.rawValue, (Double(result.peak) / 1e6).fixed(2),
                percent(Double(result.peak) / Double(result.budget)), percent(result.share),
                percent(result.leastShare), percent(result.hitRatio),
                "\(percent(later.min() ?? 0))-\(percent(later.max() ?? 0))",
                (result.usage.entries ?? 0).grouped, result.amplification.map { $0.fixed(1) } ?? "-",
                ((result.rates.last ?? 0) / result.rates[first]).fixed(2),
                ((result.processorRates.last ?? 0) / result.processorRates[first]).fixed(2),
            ]
            table.append(cells + (deletes ? [result.possiblyDeleted.grouped, result.forgotten.grouped] : []))
        }
        return """
            \(settings.writes.grouped) writes and three reads for each, over \(settings.days) days, seed \(settings.seed)
            budget \(settings.budget.grouped) bytes; shares and ratios in per cent

            \(table)

            peak = the most MB that the files took, as du counts; of it = of the budget
            live = keys and values in the budget at the end; least = after a third
            hits = hit ratio after a third; by day = the least and the most of a day
            models = how many live in the budget at the end, the cache's own records counted
            amp = bytes written for each byte of records
            speed = the last day's rate divided by that of the day after a third
            cpu = the same of calls a second of the processor's time\(deletes ? deletionNotes : "")
            """
    }

    /// The same as a page, with the hit ratio of each day.
    package func page(_ command: String) -> ReportPage {
        var main = ReportTable(
            title: "A budget over \(settings.days) days",
            notes: [
                "Hits are of all reads after a third of the days. Live is what of the budget is keys and values at the end, and at the least after a third."
            ],
            header: [
                "backend", "most MB on disk", "of the budget", "live", "least live", "hits", "models",
                "bytes written a byte",
            ])
        var days = ReportTable(
            title: "Hit ratio by day", legend: ["A column for each day; a full one would be 100 %."],
            header: ["backend", "the least, after a third", "the most", "each day"])
        for result in results {
            let later = result.hitRatios.dropFirst(result.hitRatios.count / 3)
            main.rows.append(
                [
                    result.backend.rawValue, (Double(result.peak) / 1e6).fixed(2),
                    "\(percent(Double(result.peak) / Double(result.budget))) %", "\(percent(result.share)) %",
                    "\(percent(result.leastShare)) %", "\(percent(result.hitRatio)) %",
                    (result.usage.entries ?? 0).grouped, result.amplification.map { $0.fixed(1) } ?? "-",
                ].map { .init($0) })
            days.rows.append([
                .init(result.backend.rawValue), .init("\(percent(later.min() ?? 0)) %"),
                .init("\(percent(later.max() ?? 0)) %"), .init("", columns: result.hitRatios),
            ])
        }
        return ReportPage(
            title: "Grove within a budget",
            answer: [
                "\(settings.writes.grouped) writes and three reads for each, over \(settings.days) days, within \(settings.budget.grouped) bytes on disk."
            ] + results.map { "\($0.backend.rawValue): \(percent($0.hitRatio)) % of the reads were hits." },
            tables: [main, days],
            circumstances: ["\(Machine.text).", "It is made again by: `\(command)`"])
    }

    private var deletionNotes: String {
        """

        \(settings.deletions) deletions a batch; of \((results.first?.reads ?? 0).grouped) reads after a third:
        maybe = those that miss because a sender was possibly deleted
        lost = those of what was deleted and is not known to be
        """
    }

    private func percent(_ ratio: Double) -> String { (ratio * 100).fixed(1) }
}
