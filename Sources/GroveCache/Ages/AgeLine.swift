/// When calls were made, by their numbers: a short list of samples instead of a time in every record.
///
/// A sample says that every call with its number or a later one was made at its time or later. So a time that is told of
/// a call is never too late: what it wrote may count as older than it is, and never as younger. At most one sample is
/// taken a second, and old ones are thinned until their distance is a sixty-fourth of their age: some hundreds for
/// months.
///
/// Numbers are those of the store. What other processes committed, and what nobody remembers, lies in gaps: no time is
/// told of it.
struct AgeLine: Sendable, Equatable {
    struct Sample: Sendable, Equatable {
        var number: UInt64
        var time: Double
    }

    /// By number, and by time as well.
    private(set) var samples: [Sample] = []
    /// Numbers of which nothing is known, in order.
    private(set) var gaps: [ClosedRange<UInt64>] = []
    /// The number up to which nothing is known.
    private(set) var floor: UInt64
    /// The latest time that the clock has told.
    private(set) var latest = -Double.infinity
    private var thinsAt = AgeLine.leastThinned

    /// Seconds between samples, and how far the clock may step back unnoticed.
    static let interval = 1.0
    /// The part of its age by which a time may be too early.
    private static let coarseness = 1.0 / 64
    private static let leastThinned = 256
    /// Further gaps make everything before them unknown.
    private static let mostGaps = 256

    /// A line that knows nothing of the calls up to `floor`.
    init(after floor: UInt64) { self.floor = floor }

    init(samples: [Sample], gaps: [ClosedRange<UInt64>], floor: UInt64, latest: Double) {
        self.samples = samples
        self.gaps = gaps
        self.floor = floor
        self.latest = latest
    }

    // MARK: Noting

    /// Notes that the call `number`, and each later one, is made at `reading` or later.
    ///
    /// - Returns: whether the clock went back, so that nothing from before has an age any more.
    @inline(__always)
    mutating func note(_ number: UInt64, at reading: Double) -> Bool {
        let step = reading - latest
        if step >= 0, let last = samples.last, reading - last.time < AgeLine.interval {
            latest = reading
            return false
        }
        return noteSample(number, at: reading)
    }

    private mutating func noteSample(_ number: UInt64, at reading: Double) -> Bool {
        guard reading.isFinite else { return false }
        let wentBack = notice(reading, before: number)
        let last = samples.last
        guard last.map({ reading - $0.time >= AgeLine.interval && number > $0.number }) ?? true else { return wentBack }
        samples.append(Sample(number: number, time: reading))
        if samples.count >= thinsAt { thin() }
        return wentBack
    }

    /// Whether the clock has told a time so much later than `reading` that it was set back, or `reading` is an old one.
    @inline(__always)
    func isBehind(_ reading: Double) -> Bool { reading < latest - AgeLine.interval }

    /// Notes that the clock tells `reading`, before the call `number` is made.
    ///
    /// A clock that was set back would make what was confirmed before look younger than it is, and nobody can tell by
    /// how much: so that has no age any more.
    ///
    /// - Returns: whether it went back, by more than readings of several threads may overtake each other.
    mutating func notice(_ reading: Double, before number: UInt64) -> Bool {
        guard reading.isFinite else { return false }
        guard isBehind(reading) else {
            latest = max(latest, reading)
            return false
        }
        samples = []
        gaps = []
        floor = number &- 1
        latest = reading
        return true
    }

    /// Notes that others committed `count` calls behind number `last`: this process's calls behind it move up.
    mutating func moveUp(behind last: UInt64, by count: UInt64) {
        guard count > 0 else { return }
        var index = samples.count
        while index > 0, samples[index - 1].number > last {
            index -= 1
            samples[index].number += count
        }
        addGap((last + 1)...(last + count))
    }

    /// Forgets the calls up to `number`: nothing of what they wrote is there any more.
    mutating func forget(upTo number: UInt64) {
        floor = max(floor, number)
        gaps.removeAll { $0.upperBound <= number }
    }

    private mutating func addGap(_ gap: ClosedRange<UInt64>) {
        if let previous = gaps.last, gap.lowerBound <= previous.upperBound &+ 1 {
            gaps[gaps.count - 1] = previous.lowerBound...max(previous.upperBound, gap.upperBound)
        } else {
            gaps.append(gap)
        }
        guard gaps.count > AgeLine.mostGaps else { return }
        floor = max(floor, gaps.removeFirst().upperBound)
    }

    /// Puts what was saved earlier before this line, which began where nothing was known.
    ///
    /// - Parameters:
    ///   - saved: a line of the same store.
    ///   - top: the last number that `saved` is about.
    /// - Returns: whether it was taken up; it is not where the clock was set back since.
    mutating func prepend(_ saved: AgeLine, upTo top: UInt64) -> Bool {
        guard latest == -.infinity || latest >= saved.latest - AgeLine.interval else { return false }
        let first = samples.first?.time ?? .infinity
        var all = saved.samples.filter { $0.number <= top }
        for index in all.indices where all[index].time > first { all[index].time = first }
        var line = AgeLine(samples: all + samples, gaps: [], floor: saved.floor, latest: max(latest, saved.latest))
        for gap in saved.gaps where gap.lowerBound <= top { line.addGap(gap.lowerBound...min(gap.upperBound, top)) }
        if floor > top { line.addGap((top + 1)...floor) }
        for gap in gaps { line.addGap(gap) }
        self = line
        return true
    }

    /// Removes samples until the distance of those that stay is a small part of their age.
    private mutating func thin() {
        var kept: [Sample] = []
        kept.reserveCapacity(samples.count)
        for index in samples.indices {
            // What stood between its neighbours counts as old as the earlier one.
            if let last = kept.last, index + 1 < samples.count,
                samples[index + 1].time - last.time <= (latest - samples[index + 1].time) * AgeLine.coarseness
            {
                continue
            }
            kept.append(samples[index])
        }
        samples = kept
        thinsAt = max(AgeLine.leastThinned, 2 * kept.count)
    }

    // MARK: Asking

    /// The number from which on calls were made at `time` or later, gaps left out; `UInt64.max` where no call was.
    func leastNumber(since time: Double) -> UInt64 {
        var low = 0
        var high = samples.count
        while low < high {
            let middle = (low + high) / 2
            if samples[middle].time >= time { high = middle } else { low = middle + 1 }
        }
        return low < samples.count ? max(samples[low].number, floor &+ 1) : .max
    }

    /// A time at which the call `number` had not been made yet, as late as is known; `nil` where nothing is.
    func time(of number: UInt64) -> Double? {
        guard number > floor, !AgeLine.isInGap(number, gaps) else { return nil }
        var low = 0
        var high = samples.count
        while low < high {
            let middle = (low + high) / 2
            if samples[middle].number > number { high = middle } else { low = middle + 1 }
        }
        return low > 0 ? samples[low - 1].time : nil
    }

    /// Below this number, to confirm what a call wrote makes it younger.
    var confirmsBelow: UInt64 { max(samples.last?.number ?? .max, (gaps.last?.upperBound ?? 0) &+ 1) }

    static func isInGap(_ number: UInt64, _ gaps: some RandomAccessCollection<ClosedRange<UInt64>>) -> Bool {
        gaps.contains { $0.contains(number) }
    }
}
