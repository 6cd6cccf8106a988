/// The order in which records go, as far as a look at one of them tells: a score, and whether that is among the worst.
///
/// Times are in bytes: see ``WriteClock``. Nothing is kept for each record.
struct TouchOrder: Sendable {
    /// The rule by which records go.
    enum Kind: UInt8, Sendable {
        /// The greatest age alone.
        case recency
        /// First the records that were never hit and are older than the trial time, then the greatest age over one plus
        /// the hits.
        case trial
    }

    /// The bounds of the trial time, as parts of a capacity.
    private static let trialRange = 0.1...0.8
    /// The time, in capacities, in which a record that has gone counts as hit once if it comes back.
    private static let reach = 2.0
    /// The share of the scores seen lately that are among the worst.
    private static let worst = 1.0 / 16
    /// The most scores in the distribution: beyond that its counts are halved.
    private static let memory: Float = 4_096
    /// The number that is added to a score that comes before all others.
    private static let before = 1e18

    var kind: Kind
    private(set) var capacity: Double
    private(set) var seen: TouchTable
    /// The trial time, in bytes: a record that was never hit stays for as long.
    private(set) var trial: Double
    /// The number of scores that were seen lately in each part; see ``part(of:)``.
    private var scores = [Float](repeating: 0, count: 256)
    private var scoreCount: Float = 0
    private var looks = 0
    /// The least part whose scores are all among the worst.
    private var threshold = Int.max

    init(_ kind: Kind, capacity: Int, slots: Int) {
        self.kind = kind
        self.capacity = Double(max(capacity, 1))
        seen = TouchTable(limit: slots, unit: UInt64(max(capacity / 64, 1)))
        trial = TouchOrder.trialRange.lowerBound * self.capacity
    }

    /// Takes over the touches, the kind and the trial time of an order of another capacity.
    ///
    /// - Parameter trialShare: its trial time as a part of its capacity.
    mutating func restore(_ other: TouchTable, _ kind: Kind, trialShare: Double, now: UInt64) {
        seen.restore(other, now: now)
        self.kind = kind
        trial = min(max(trialShare, TouchOrder.trialRange.lowerBound), TouchOrder.trialRange.upperBound) * capacity
    }

    /// The trial time as a part of the capacity.
    var trialShare: Double { trial / capacity }

    /// Notes a hit; returns the time by which the clock advances for it.
    mutating func hit(_ hash: UInt64, weight: Int, now: UInt64) -> Int {
        guard let place = seen.find(hash) else {
            seen.set(hash, at: nil, last: now, hits: 1, now: now)
            return 0
        }
        let (age, hits) = (Double(seen.age(place, now: now)), seen.hits(place))
        // A hit that plain recency would have missed: records that were hit deserve more room.
        if hits > 0, age > capacity { trial = max(TouchOrder.trialRange.lowerBound * capacity, trial - Double(weight)) }
        seen.set(hash, at: place, last: now, hits: hits + 1, now: now)
        return age > capacity / 2 ? weight : 0
    }

    /// Notes that a record is stored that was missing.
    mutating func came(_ hash: UInt64, weight: Int, now: UInt64) {
        guard let place = seen.find(hash) else { return }
        let (age, hits) = (Double(seen.age(place, now: now)), seen.hits(place))
        // It went before it was hit, and would have stayed with a longer trial.
        if age <= capacity, hits == 0 {
            trial = min(trial + Double(weight), TouchOrder.trialRange.upperBound * capacity)
        }
        let isBack = age <= TouchOrder.reach * capacity
        seen.set(hash, at: place, last: isBack ? now : now &- min(UInt64(age), now), hits: isBack ? 1 : 0, now: now)
    }

    /// Notes that a record went, which was written at `written`; `nil` for longer ago than is known.
    mutating func went(_ hash: UInt64, written: UInt64?, now: UInt64) {
        let since = written.map { now &- min($0, now) } ?? UInt64(capacity)
        let place = seen.find(hash)
        if let place, seen.age(place, now: now) <= since &+ seen.unit { return }
        seen.set(hash, at: place, last: now &- min(since, now), hits: place.map { seen.hits($0) } ?? 0, now: now)
    }

    /// The score of a record that was written at `written`: the greater, the sooner it goes.
    func score(_ hash: UInt64, written: UInt64?, now: UInt64) -> Double {
        var age = written.map { Double(now &- min($0, now)) } ?? .infinity
        var hits = 0
        if let place = seen.find(hash) {
            age = min(age, Double(seen.age(place, now: now)))
            hits = seen.hits(place)
        } else if age == .infinity {
            age = capacity
        }
        guard kind == .trial else { return age }
        return hits == 0 && age > trial ? TouchOrder.before + age : age / Double(1 + hits)
    }

    /// Takes in a score that was seen; returns whether it is among the worst of those that were seen lately.
    mutating func goes(_ score: Double) -> Bool {
        let part = part(of: score)
        scores[part] += 1
        scoreCount += 1
        looks += 1
        if looks & 31 == 0 { findThreshold() }
        return part >= threshold
    }

    private mutating func findThreshold() {
        if scoreCount > TouchOrder.memory {
            for part in scores.indices { scores[part] /= 2 }
            scoreCount /= 2
        }
        // Nothing follows from a few looks.
        guard scoreCount >= 128 else { return }
        let most = scoreCount * Float(TouchOrder.worst)
        var (part, above) = (scores.count - 1, Float(0))
        while part > 0, above <= most / 2 || above + scores[part] <= most {
            above += scores[part]
            part -= 1
        }
        threshold = part + 1
    }

    /// The part of the scale that a score lies in: there are eight for each doubling, and as many again from ``before``
    /// on.
    private func part(of score: Double) -> Int {
        let isBefore = score >= TouchOrder.before
        let age = max(isBefore ? score - TouchOrder.before : score, 0)
        // The logarithm to the base of 2, with straight lines between the powers.
        let ratio = (age + 1) / capacity
        let part = age < .infinity ? 64 + 8 * Int(ratio.exponent) + Int(8 * (ratio.significand - 1)) : 127
        return max(0, min(127, part)) + (isBefore ? 128 : 0)
    }
}
