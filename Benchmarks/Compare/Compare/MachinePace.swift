/// How fast the machine does a piece of work that is always the same, so that it shows when other programs disturbed a
/// measurement.
enum MachinePace {
    /// Does the work, for some 20 milliseconds; rounds of it a second.
    static func measure() -> Double {
        let rounds = 8_000_000
        var sum: UInt64 = 0
        let time = Stopwatch.time { sum = work(rounds) }
        // The sum is used, so that the compiler keeps the work.
        return sum == 0 ? 0 : Double(rounds) * 1e9 / Double(max(time, 1))
    }

    @inline(never)
    private static func work(_ rounds: Int) -> UInt64 {
        var random = SplitMix(seed: 1)
        var sum: UInt64 = 0
        for _ in 0..<rounds { sum |= random.next() }
        return sum
    }
}
