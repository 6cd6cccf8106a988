/// Nanoseconds of the monotonic clock, and what is made of them.
enum Stopwatch {
    private static let clock = ContinuousClock()

    /// Runs `body` and returns how long it took.
    @inline(__always)
    static func time(_ body: () throws -> Void) rethrows -> UInt64 {
        let start = clock.now
        try body()
        return (clock.now - start).nanoseconds
    }

    /// What timing nothing takes: the median of many tries, to be taken off what is timed one by one.
    static let overhead: UInt64 = {
        var tries = (0..<2_001).map { _ in time {} }
        tries.sort()
        return tries[tries.count / 2]
    }()
}

extension Duration {
    /// The duration in nanoseconds; a negative one is none.
    @inline(__always)
    var nanoseconds: UInt64 {
        let (seconds, attoseconds) = components
        let total = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        return total > 0 ? UInt64(total) : 0
    }
}

/// Times of single calls.
struct Latencies {
    private var sorted: [UInt64]

    /// - Parameter samples: nanoseconds, the clock's own time already taken off.
    init(_ samples: [UInt64]) { sorted = samples.sorted() }

    /// The time in microseconds that the `share` quickest calls stayed below; `nil` without samples.
    func quantile(_ share: Double) -> Double? {
        guard !sorted.isEmpty else { return nil }
        let rank = Int((share * Double(sorted.count)).rounded(.up)) - 1
        return Double(sorted[min(max(rank, 0), sorted.count - 1)]) / 1_000
    }

    /// The slowest, in microseconds.
    var maximum: Double? { sorted.last.map { Double($0) / 1_000 } }

    var count: Int { sorted.count }
}

extension [Double] {
    /// The median; 0 of nothing.
    var median: Double {
        guard !isEmpty else { return 0 }
        let ordered = sorted()
        return ordered.count % 2 == 1
            ? ordered[ordered.count / 2] : (ordered[ordered.count / 2 - 1] + ordered[ordered.count / 2]) / 2
    }
}
