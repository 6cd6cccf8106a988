/// One figure of several backends, and what it says of their order.
struct Ranking {
    /// A backend's figure, and the least and the most of the repetitions that it is the median of.
    struct Entry {
        let backend: BackendName
        let figure: Double
        let repetitions: ClosedRange<Double>
    }

    /// What is measured.
    enum Quality {
        /// A rate: more is better.
        case speed
        /// A number of bytes: less is better.
        case size
    }

    /// Backends are not ranked if their figures differ by less than this factor.
    static let leastFactor = 1.1

    let quality: Quality
    /// The best first.
    let entries: [Entry]

    init(_ quality: Quality, _ entries: [Entry]) {
        self.quality = quality
        self.entries = entries.sorted { quality == .speed ? $0.figure > $1.figure : $0.figure < $1.figure }
    }

    /// The best, with those that this run cannot tell from it; and the others.
    var groups: (leaders: [Entry], others: [Entry]) {
        guard let best = entries.first else { return ([], []) }
        func isLeader(_ entry: Entry) -> Bool { isClose(entry) || entry.repetitions.overlaps(best.repetitions) }
        return (entries.filter(isLeader), entries.filter { !isLeader($0) })
    }

    /// Whether backends are not ranked although their medians differ, because their repetitions overlap.
    var isNoisy: Bool { !groups.leaders.allSatisfy(isClose) }

    /// The order in a sentence: `show` prints a figure, and `unit` says what the first one counts.
    func sentence(unit: String, show: (Double) -> String) -> String {
        let (leaders, others) = groups
        let names = Ranking.list(leaders.map(\.backend.rawValue))
        let figures = Ranking.list(leaders.map { show($0.figure) })
        let rest = others.map { entry in
            let factor = factor(entry).fixed(1)
            return switch quality {
            case .speed: "\(factor) times \(entry.backend.rawValue) (\(show(entry.figure)))"
            case .size: "\(entry.backend.rawValue) takes \(factor) times as much (\(show(entry.figure)))"
            }
        }
        let end = rest.isEmpty ? "." : (quality == .speed ? ", " : "; ") + Ranking.list(rest) + "."
        if entries.count < 2 { return "\(names), \(figures) \(unit)." }
        if isNoisy { return "this run is too noisy to rank \(names) (\(figures) \(unit))" + end }
        switch (quality, leaders.count) {
        case (.speed, 1): return "\(names) is fastest with \(figures) \(unit)" + end
        case (.size, 1): return "\(names) is smallest with \(figures) \(unit)" + end
        case (.speed, _): return "\(names) are equally fast (\(figures) \(unit))" + end
        case (.size, _): return "\(names) are equally small (\(figures) \(unit))" + end
        }
    }

    /// How many times as good as `entry` the best is.
    private func factor(_ entry: Entry) -> Double {
        let best = entries.first?.figure ?? entry.figure
        return max(best, entry.figure) / max(min(best, entry.figure), .leastNonzeroMagnitude)
    }

    private func isClose(_ entry: Entry) -> Bool { factor(entry) < Ranking.leastFactor }

    /// `a, b and c`.
    static func list(_ parts: [String]) -> String {
        guard let last = parts.last, parts.count > 1 else { return parts.first ?? "" }
        return parts.dropLast().joined(separator: ", ") + " and " + last
    }
}
