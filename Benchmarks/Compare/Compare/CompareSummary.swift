import GroveCache

/// Which backend to take, in words: the first lines of a report on several backends.
///
/// The order of backends is that of the run's own figures, in the first coding that was measured; the facts are those of their
/// profiles. Memory keeps nothing, so it is not ranked among the others.
struct CompareSummary {
    /// The question of each line, and the workload whose rates answer it.
    private static let questions: [(title: String, workload: Workload, unit: String)] = [
        ("Reading trees at random", .readTree, "a second"), ("Reading pages of 50", .page, "elements a second"),
        ("Writing 500 trees to a commit", .writeBatch, "nodes a second"),
        ("Writing one tree to a commit", .writeOne, "a second"),
    ]

    private let report: CompareReport
    private let backends: [BackendName]
    /// Those in the coding that was measured first.
    private let results: [CompareResult]

    /// `nil` if the report has fewer than two backends, so that there is nothing to choose.
    init?(_ report: CompareReport) {
        guard !report.results.isEmpty else { return nil }
        self.report = report
        results = report.results.filter { $0.coding == report.results[0].coding }
        backends = BackendName.allCases.filter { backend in report.results.contains { $0.backend == backend } }
        guard backends.count > 1 else { return nil }
    }

    /// The lines, each of up to 80 columns.
    var text: String {
        var parts = [
            "\(report.dataSet); the stores are \(report.isInMemory ? "in memory, not on a disk" : "on a disk")."
        ]
        parts += CompareSummary.questions.compactMap(line)
        let footprints = report.footprints.filter { $0.backend.isPersistent }
        if !footprints.isEmpty {
            let sizes = footprints.map { footprint in
                let bytes = Double(footprint.bytesOnDisk) / Double(max(footprint.nodes, 1))
                return Ranking.Entry(backend: footprint.backend, figure: bytes, repetitions: bytes...bytes)
            }
            parts.append("Size on disk: " + Ranking(.size, sizes).sentence(unit: "bytes a record") { $0.fixed(0) })
        }
        parts += backends.map(\.facts)
        let slow = backends.filter { backend in
            results.contains { result in
                result.backend == backend && result.isVoid
                    && CompareSummary.questions.contains { $0.workload == result.workload }
            }
        }
        if !slow.isEmpty {
            let names = Ranking.list(slow.map(\.rawValue))
            parts.append(
                "The machine was slow or busy: \(names), called directly, took three times as long as it should.")
        }
        parts.append("Compare only figures of one run. The tables follow.")
        return parts.map(CompareSummary.wrapped).joined(separator: "\n")
    }

    private func line(_ title: String, _ workload: Workload, _ unit: String) -> String? {
        let results = results.filter { $0.workload == workload }
        let entries = results.filter { $0.backend.isPersistent }.map {
            Ranking.Entry(backend: $0.backend, figure: $0.operationsPerSecond, repetitions: range($0))
        }
        guard !entries.isEmpty else { return nil }
        var line = "\(title): " + Ranking(.speed, entries).sentence(unit: unit, show: CompareResult.short)
        if let memory = results.first(where: { $0.backend == .memory }) {
            line += " Memory does \(CompareResult.short(memory.operationsPerSecond))."
        }
        let waiting = entries.map(\.backend).filter(\.syncsEachCommit)
        if workload == .writeOne, !report.isInMemory, !waiting.isEmpty, waiting.count < entries.count {
            let verb = waiting.count == 1 ? "waits" : "wait"
            line += " Only \(Ranking.list(waiting.map(\.rawValue))) \(verb) for the disk at each commit."
        }
        return line
    }

    /// From the slowest repetition to as fast as the fastest might have been if nothing had disturbed the machine.
    ///
    /// Programs that take turns on a core also empty its caches, so a disturbance counts twice.
    private func range(_ result: CompareResult) -> ClosedRange<Double> {
        let best = report.results.map(\.pace).max() ?? 0
        let disturbance = result.pace > 0 ? best / result.pace : 1
        return result.repetitions.lowerBound...result.repetitions.upperBound * disturbance * disturbance
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

extension BackendName {
    /// Whether a commit returns only after the engine has synced the data, as it must to stay whole after a loss of power.
    fileprivate var syncsEachCommit: Bool { self == .lmdb || self == .leveldb }

    /// Where the backend can be used, in a sentence.
    fileprivate var facts: String {
        let place =
            switch self {
            case .memory: "on all platforms"
            case .lmdb, .leveldb: "on Linux and macOS"
            case .sqlite: "on Linux and all of Apple's systems"
            }
        let processes = profile.isMultiProcess ? "several processes at once" : "one process"
        let share = "at least \((profile.livePayloadShare * 100).fixed(0)) % of a budget is records"
        let end = profile.isPersistent ? "" : "; nothing is left when the process ends"
        return "\(rawValue): \(place); \(processes); \(share)\(end)."
    }
}
