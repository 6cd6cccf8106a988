/// What became of a run: every rule on every backend.
public struct ConformanceReport: Sendable {
    /// The version of the rules; it grows when a rule is added or changes.
    public static let spec = 1

    /// The version of the kit that checked them.
    public static let kit = "0.1.0"

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
    public var isConformant: Bool {
        !backends.isEmpty && backends.allSatisfy { $0.verdict != .failed && $0.verdict != .interrupted }
    }

    /// Whether the user ended the run.
    public var isInterrupted: Bool { backends.contains(where: \.isInterrupted) }

    /// Whether anything was checked at all.
    public var hasRun: Bool { backends.contains(where: \.hasRun) }

    /// The versions of the rules and of the kit.
    static var versions: String { "spec \(spec), kit \(kit)" }

    /// The line with the versions and the seed that heads every readable report.
    public var heading: String { "Grove conformance, \(ConformanceReport.versions), seed \(seed)" }
}
