import GrovePlatform

/// A family of generated traces: one way in which applications ask for records.
///
/// The same seed gives the same trace everywhere. A weighted trace has records of some 400 bytes, spread log-normally.
package enum TraceFamily: String, CaseIterable {
    /// Some records are asked for far more often than others, by Zipf's law, the same ones all the time.
    case zipf
    /// The same, and one favourite after the other changes.
    case drift
    /// New records, and those of lately: the nearer, the more often.
    case recency
    /// The same records in the same order again and again, with some strangers between.
    case loop
    /// Favourites, and now and then many records that are read once.
    case scans
    /// Quick returns: each record is asked for again after 50 others, and after 400.
    case bursts
    /// Five users of one cache take turns: favourites, a loop, a log, a chat, photographs.
    case tenants
    /// A sync brings messages with their people; screens show recent ones, and now and then a page of the past.
    case feed

    /// The traces of the family, some small variants of each.
    package var traces: [AccessTrace] {
        switch self {
        case .zipf: [0.5, 0.8, 1.0, 1.2].map { exponent in make(1) { $0.zipf(exponent, of: 20_000, 200_000) } }
        case .drift:
            [(0.7, 5), (0.9, 5), (0.9, 2), (1.1, 3)].flatMap { exponent, every in
                [make(2) { $0.zipf(exponent, of: 10_000, 200_000, newEvery: every) }]
            } + [make(2, isWeighted: true) { $0.zipf(0.9, of: 10_000, 200_000, newEvery: 5) }]
        case .recency: [0.2, 0.5].map { share in make(3) { $0.recency(share, 200_000) } }
        case .loop: [(2_000, 0.0), (5_000, 0.05)].map { length, noise in make(4) { $0.loop(length, noise, 200_000) } }
        case .scans:
            [(5_000, 5_000), (1_000, 500)].map { every, length in make(5) { $0.scans(every, length, 60_000) } }
        case .bursts: [make(6) { $0.bursts(60_000) }]
        case .tenants: [false, true].map { isWeighted in make(7, isWeighted: isWeighted) { $0.tenants(200_000) } }
        case .feed:
            [(150, 400, 600.0, 2_000), (100, 600, 2_000, 500), (400, 300, 300, 5_000)].map {
                written, read, age, people in
                make(8) { $0.feed(150, written, read, age, people) }
            } + [make(8, isWeighted: true) { $0.feed(150, 150, 400, 600, 2_000) }]
        }
    }

    private func make(_ seed: UInt64, isWeighted: Bool = false, _ body: (inout TraceMaker) -> Void) -> AccessTrace {
        var maker = TraceMaker(seed: seed)
        body(&maker)
        return maker.trace(isWeighted: isWeighted)
    }
}

/// A trace while it is made: keys are any numbers, another range for each kind of record.
private struct TraceMaker {
    private var random: SplitMix
    private var keys: [UInt64] = []

    init(seed: UInt64) { random = SplitMix(seed: seed) }

    private mutating func unit() -> Double { Double.random(in: 0..<1, using: &random) }

    private mutating func ask(_ kind: UInt64, _ number: Int) { keys.append(kind << 40 | UInt64(number)) }

    func trace(isWeighted: Bool) -> AccessTrace {
        AccessTrace(
            keys: keys,
            weight: !isWeighted
                ? nil
                : { key in
                    // Of a key always the same.
                    var own = SplitMix(seed: key)
                    let (first, second) = (
                        Double.random(in: 1e-9..<1, using: &own), Double.random(in: 0..<1, using: &own)
                    )
                    let normal = (-2 * log(first)).squareRoot() * cos(2 * Double.pi * second)
                    return UInt32(max(40, 400 * exp(0.8 * normal)))
                })
    }

    /// The shares of ranks up to each of `count`, by Zipf's law.
    private static func ranks(_ count: Int, _ exponent: Double) -> [Double] {
        var (sum, sums) = (0.0, [Double]())
        for rank in 1...count {
            sum += pow(Double(rank), -exponent)
            sums.append(sum)
        }
        return sums.map { $0 / sum }
    }

    private mutating func rank(_ shares: [Double]) -> Int {
        let wanted = unit()
        var (low, high) = (0, shares.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if shares[middle] < wanted { low = middle + 1 } else { high = middle }
        }
        return low
    }

    mutating func zipf(_ exponent: Double, of count: Int, _ requests: Int, newEvery: Int? = nil) {
        let shares = TraceMaker.ranks(count, exponent)
        var items = Array(0..<count).shuffled(using: &random)
        var next = count
        for request in 0..<requests {
            if let newEvery, request % newEvery == 0 {
                items[Int(pow(unit(), 2) * Double(count))] = next
                next += 1
            }
            ask(1, items[rank(shares)])
        }
    }

    /// One step of recency: a new record of `kind`, or one of those in `seen`, at a distance whose logarithm is
    /// uniform.
    private mutating func recencyStep(_ kind: UInt64, _ share: Double, _ reach: Double, _ seen: inout [Int]) {
        if seen.count < 10 || unit() < share {
            // As many were asked for as there are: a number that no other has.
            seen.append(seen.count)
        } else {
            let distance = min(Int(exp(unit() * log(reach))), seen.count - 1)
            seen.append(seen[seen.count - 1 - distance])
        }
        ask(kind, seen[seen.count - 1])
    }

    mutating func recency(_ share: Double, _ requests: Int) {
        var seen: [Int] = []
        for _ in 0..<requests { recencyStep(2, share, 20_000, &seen) }
    }

    mutating func loop(_ length: Int, _ noise: Double, _ requests: Int) {
        for request in 0..<requests {
            if unit() < noise { ask(4, request) } else { ask(3, request % length) }
        }
    }

    mutating func scans(_ every: Int, _ length: Int, _ requests: Int) {
        let shares = TraceMaker.ranks(10_000, 0.9)
        let items = Array(0..<10_000).shuffled(using: &random)
        var scanned = 0
        for request in 0..<requests {
            ask(1, items[rank(shares)])
            guard request % every == every - 1 else { continue }
            for _ in 0..<length {
                ask(5, scanned)
                scanned += 1
            }
        }
    }

    mutating func bursts(_ records: Int) {
        for record in 0..<records {
            for distance in [0, 50, 400] where record >= distance { ask(6, record - distance) }
        }
    }

    mutating func tenants(_ requests: Int) {
        let (users, photos) = (TraceMaker.ranks(5_000, 0.9), TraceMaker.ranks(20_000, 0.7))
        var (who, step, logged) = (0, 0, 0)
        var seen: [Int] = []
        for request in 0..<requests {
            if request % 50 == 0 { who = Int.random(in: 0..<5, using: &random) }
            switch who {
            case 0: ask(1, rank(users))
            case 1:
                ask(3, step % 3_000)
                step += 1
            case 2:
                ask(5, logged)
                logged += 1
            case 3: recencyStep(2, 0.3, 5_000, &seen)
            default: ask(7, rank(photos))
            }
        }
    }

    mutating func feed(_ days: Int, _ written: Int, _ read: Int, _ age: Double, _ people: Int) {
        let shares = TraceMaker.ranks(people, 0.9)
        var authors: [Int] = []
        for _ in 0..<days {
            for _ in 0..<written {
                authors.append(rank(shares))
                show(authors.count - 1, authors)
            }
            for _ in 0..<read {
                if unit() < 0.005 {
                    let first = Int.random(in: 0..<authors.count, using: &random)
                    for message in first..<min(first + 20, authors.count) { show(message, authors) }
                } else {
                    let past = Int(-log(1 - unit()) * age)
                    show(
                        past < authors.count
                            ? authors.count - 1 - past : Int.random(in: 0..<authors.count, using: &random), authors)
                }
            }
        }
    }

    private mutating func show(_ message: Int, _ authors: [Int]) {
        ask(8, message)
        ask(9, authors[message])
    }
}
