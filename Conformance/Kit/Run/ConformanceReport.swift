/// What became of a run: every rule on every backend.
public struct ConformanceReport: Sendable {
    /// The version of the rules; it grows when a rule is added or changes.
    public static let spec = 1

    /// The seed, which replays the run.
    public let seed: UInt64
    /// One report for each backend.
    public let backends: [BackendReport]

    /// Makes a report.
    public init(seed: UInt64, backends: [BackendReport]) {
        self.seed = seed
        self.backends = backends
    }

    /// Whether every backend conforms, as far as it was asked.
    public var isConformant: Bool { !backends.isEmpty && backends.allSatisfy { $0.verdict == .conformant } }

    /// Whether anything was checked at all.
    public var hasRun: Bool { backends.contains(where: \.hasRun) }

    /// The line with the version and the seed that heads every readable report.
    public var heading: String { "Grove conformance, spec \(ConformanceReport.spec), seed \(seed)" }
}
