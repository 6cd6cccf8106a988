/// The results of a run: every rule on every backend.
package struct ConformanceReport: Sendable {
    /// The version of the rules, which grows if a rule is added or changed.
    package static let spec = 1

    /// The version of the kit that checked the rules.
    package static let kit = "0.1.0"

    /// The seed, which replays the run.
    package let seed: UInt64
    /// One report for each backend.
    package let backends: [BackendReport]
    /// Makes a report.
    package init(seed: UInt64, backends: [BackendReport]) {
        self.seed = seed
        self.backends = backends
    }

    /// Whether every backend conforms by the rules that were asked for.
    package var isConformant: Bool {
        !backends.isEmpty && backends.allSatisfy { $0.verdict != .failed && $0.verdict != .interrupted }
    }

    /// Whether the user interrupted the run.
    package var isInterrupted: Bool { backends.contains(where: \.isInterrupted) }

    /// Whether at least one rule was checked.
    package var hasRun: Bool { backends.contains(where: \.hasRun) }

    /// The versions of the rules and of the kit.
    static var versions: String { "spec \(spec), kit \(kit)" }

    /// The line with the versions and the seed that heads every readable report.
    package var heading: String { "Grove conformance, \(ConformanceReport.versions), seed \(seed)" }
}
