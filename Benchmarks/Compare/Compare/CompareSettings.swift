/// How much is measured.
struct CompareSettings: Sendable {
    /// Medians are of this many repetitions.
    let repetitions: Int
    /// Reads in a repetition.
    let reads: Int
    /// Commits of one operation in a repetition.
    let commits: Int
    /// Trees that are read while the heap is watched.
    let watchedReads: Int
    /// Elements of a long collection.
    let listLength: Int
    /// How long readers run beside a writer.
    let stall: Duration
    let seed: UInt64

    static func full(seed: UInt64, trees: Int) -> CompareSettings {
        CompareSettings(
            repetitions: 5, reads: min(max(trees, 1_000), 20_000), commits: 200,
            watchedReads: 1_000_000, listLength: 100_000, stall: .milliseconds(1_000), seed: seed)
    }

    static func standard(seed: UInt64, trees: Int) -> CompareSettings {
        CompareSettings(
            repetitions: 3, reads: min(max(trees, 1_000), 5_000), commits: 50,
            watchedReads: 20_000, listLength: 10_000, stall: .milliseconds(300), seed: seed)
    }
}
