import GroveCache

/// The results of ``ChurnRun``, as a table.
struct ChurnReport {
    let settings: ChurnRun.Settings
    var results: [ChurnRun.Result] = []

    /// Whether some backend passed the budget.
    var isBroken: Bool { results.contains { $0.peak > $0.budget } }

    var table: String {
        let header = [
            "backend", "budget", "high-water mark", "of it", "live share", "least", "hit ratio", "by day", "evictions",
            "write amplification", "last day / first",
        ]
        var table = TextTable(header, alignment: header.map { $0 == "backend" ? .left : .right })
        for result in results {
            let later = result.hitRatios.dropFirst(result.hitRatios.count / 3)
            // The first day that evicts is the first that does all the work.
            let first = result.rates[result.rates.count / 3]
            table.append([
                result.backend.rawValue, result.budget.grouped, result.peak.grouped,
                percent(Double(result.peak) / Double(result.budget)), percent(result.share),
                percent(result.leastShare), percent(result.hitRatio),
                "\(percent(later.min() ?? 0)) to \(percent(later.max() ?? 0))",
                result.usage.evictions.grouped, result.amplification.map { $0.fixed(2) } ?? "-",
                ((result.rates.last ?? 0) / first).fixed(2),
            ])
        }
        return "\(settings.writes.grouped) writes and three reads for each, over \(settings.days) days, seed "
            + "\(settings.seed)\n\n\(table)"
    }

    private func percent(_ ratio: Double) -> String { (ratio * 100).fixed(1) + "%" }
}
