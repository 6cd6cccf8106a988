/// How many calls of a use a backend does in a second, from the measured cost of each kind.
struct UseScore: Sendable {
    let backend: BackendName
    let callsPerSecond: Double
    /// From the slowest repetition to as fast as the fastest might have been if nothing had disturbed the machine.
    let range: ClosedRange<Double>
    /// Whether an engine below was too slow for the figure to mean anything.
    let isVoid: Bool

    /// `nil` if a kind of call was not measured.
    init?(_ use: Use, _ backend: BackendName, in report: CompareReport) {
        let results = report.results.filter { $0.backend == backend && $0.coding == report.results[0].coding }
        let best = report.results.map(\.pace).max() ?? 0
        let sum = use.parts.reduce(0) { $0 + $1.share }
        var (cost, least, most) = (0.0, 0.0, 0.0)
        var isVoid = false
        for part in use.parts {
            guard let result = results.first(where: { $0.workload == part.workload }), result.operationsPerSecond > 0
            else { return nil }
            let units = part.workload.unitsPerCall * part.share / sum
            // Programs that take turns on a core also empty its caches, so a disturbance counts twice.
            let disturbance = result.pace > 0 ? best / result.pace : 1
            cost += units / result.operationsPerSecond
            least += units / (result.repetitions.upperBound * disturbance * disturbance)
            most += units / max(result.repetitions.lowerBound, .leastNonzeroMagnitude)
            isVoid = isVoid || result.isVoid
        }
        if use.opens {
            guard let footprint = report.footprints.first(where: { $0.backend == backend }) else { return nil }
            let opening = footprint.openMilliseconds / 1e3
            (cost, least, most) = (cost + opening, least + opening, most + opening)
        }
        self.backend = backend
        callsPerSecond = 1 / max(cost, .leastNonzeroMagnitude)
        range = 1 / max(most, cost)...1 / max(min(least, cost), .leastNonzeroMagnitude)
        self.isVoid = isVoid
    }

    var entry: Ranking.Entry { Ranking.Entry(backend: backend, figure: callsPerSecond, repetitions: range) }
}

/// The backends that may be ranked for one use: those of one promise if the use commits anything, and never memory.
struct UseRanking {
    let use: Use
    /// What commits survive; `nil` if nothing is committed.
    let promise: Promise?
    let ranking: Ranking

    /// The rankings of `use`: one, or one for each promise.
    static func all(_ use: Use, in report: CompareReport) -> [UseRanking] {
        let scores = report.ranked.compactMap { UseScore(use, $0, in: report) }
        let promises: [Promise?] = use.writes ? [.power, .kill] : [nil]
        return promises.compactMap { promise in
            let entries = scores.filter { promise == nil || $0.backend.promise == promise }.map(\.entry)
            return entries.isEmpty ? nil : UseRanking(use: use, promise: promise, ranking: Ranking(.speed, entries))
        }
    }

    /// The backend that is faster than all others here; `nil` if there is none, or no other.
    var winner: BackendName? {
        let groups = ranking.groups
        guard ranking.entries.count > 1, groups.leaders.count == 1 else { return nil }
        return groups.leaders[0].backend
    }

    /// How many times as fast the best is as the one behind it.
    var lead: Double {
        guard ranking.entries.count > 1 else { return 1 }
        return ranking.entries[0].figure / max(ranking.entries[1].figure, .leastNonzeroMagnitude)
    }
}

extension CompareReport {
    /// Those that may be recommended: memory keeps nothing.
    fileprivate var ranked: [BackendName] { backends.filter { $0.isPersistent && !wrong.contains($0) } }
}

/// Where the order of two backends turns: at which share of commits among reads of trees.
struct Turn: Equatable {
    /// The one that is faster at reading, and the one that is faster at writing.
    let reader: BackendName
    let writer: BackendName
    /// From 0 to 1.
    let share: Double

    /// The turns among backends of one promise, from the costs of a read and of a commit of one tree.
    static func all(in report: CompareReport) -> [Turn] {
        func rankings(_ workload: Workload) -> [BackendName: Ranking.Entry] {
            let use = Use(name: "", summary: "", parts: [.init(workload: workload, share: 1)])
            let entries = report.ranked.compactMap {
                UseScore(use, $0, in: report)?.entry
            }
            return Dictionary(entries.map { ($0.backend, $0) }) { first, _ in first }
        }
        let (reads, writes) = (rankings(.readTree), rankings(.writeOne))
        func isFaster(_ one: Ranking.Entry, _ other: Ranking.Entry) -> Bool {
            one.figure > other.figure * Ranking.leastFactor && !one.repetitions.overlaps(other.repetitions)
        }
        var turns: [Turn] = []
        for reader in report.ranked {
            for writer in report.ranked where writer != reader && writer.promise == reader.promise {
                guard let (read, otherRead) = both(reads[reader], reads[writer]),
                    let (write, otherWrite) = both(writes[reader], writes[writer]), isFaster(read, otherRead),
                    isFaster(otherWrite, write)
                else { continue }
                let gain = 1 / otherRead.figure - 1 / read.figure
                let loss = 1 / write.figure - 1 / otherWrite.figure
                turns.append(Turn(reader: reader, writer: writer, share: gain / (gain + loss)))
            }
        }
        return turns
    }

    private static func both<Value>(_ one: Value?, _ other: Value?) -> (Value, Value)? {
        guard let one, let other else { return nil }
        return (one, other)
    }
}
