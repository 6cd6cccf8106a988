import GroveCache
import GroveModel
import Synchronization

/// CNC: what callers see of each other.
enum ConcurrencyRules {
    static let all = [linearizable, racing, monotonic, unstalled, untorn]

    static let linearizable = Rule(
        "CNC-01", "Each key is linearizable.",
        because: "A read that begins after a write ended must see it, whoever made it.",
        kills: ["remembers-answers", "lags-one-commit", "goes-back"]
    ) { trial in
        for round in 0..<14 {
            let cache = try trial.cache()
            let keys = 3
            let clock = Atomic(0)
            let histories = Mutex<[[History.Call]]>(Array(repeating: [], count: keys))
            // Two rounds are one caller's: what is wrong with them is wrong on every machine.
            let callers = (0..<(round < 2 ? 1 : 4)).map { caller in
                var generator = SeededGenerator(seed: trial.seed &+ UInt64(round * 10 + caller), for: trial.ruleID)
                return Threads.start { [generator] in
                    var random = generator
                    for index in 0..<36 {
                        let key = Int.random(in: 0..<keys, using: &random)
                        let name = "Person:\(key)"
                        let begin = clock.add(1, ordering: .sequentiallyConsistent).newValue
                        var value: Int? = caller * 1_000 + index
                        var isWrite = true
                        switch Int.random(in: 0..<8, using: &random) {
                        case 0..<2: try cache.write(Person(id: name, age: value))
                        case 2: cache.setModel(Person(id: name, age: value), forKey: name, context: nil)
                        case 3:
                            value = nil
                            try cache.delete(ModelIdentifier(name))
                        default:
                            value = try cache.read(ModelIdentifier(name), as: Person.self).value?.age
                            isWrite = false
                        }
                        // What was forgotten says nothing of the order.
                        if !isWrite, value == nil, trial.backend.leniency.forgets { continue }
                        let end = clock.add(1, ordering: .sequentiallyConsistent).newValue
                        let call = History.Call(value: value, isWrite: isWrite, begin: begin, end: end)
                        histories.withLock { $0[key].append(call) }
                    }
                }
            }
            for caller in callers { _ = try caller.wait(seconds: 60) }
            for (key, calls) in histories.withLock({ $0 }).enumerated() {
                // Calls that began later may explain what earlier ones read, so nothing is cut off in their midst.
                guard calls.count <= 64 else { continue }
                let history = History(calls: calls.sorted { $0.begin < $1.begin })
                try trial.expect(
                    history.isLinearizable,
                    "the calls on key \(key): expected an order that explains them, got none: \(brief(history.calls))")
            }
        }
        // A write that ends, for certain, while a read is under way.
        guard trial.hasTypedCalls else { return }
        let cache = try trial.cache()
        let id = "Caller:\(trial.seed)/\(ObjectIdentifier(trial).hashValue)"
        try cache.write(Caller(id: id, generation: 1))
        Caller.calls.withLock { calls in
            calls[id] = { _ = try? Threads.start { try cache.write(Caller(id: id, generation: 2)) }.wait() }
        }
        let during = try cache.read(ModelIdentifier(id), as: Caller.self)
        Caller.calls.withLock { $0[id] = nil }
        try trial.expectHit(during, Caller(id: id, generation: 1), "a model that is replaced while it is read")
        try trial.expectHit(
            try cache.read(ModelIdentifier(id), as: Caller.self), Caller(id: id, generation: 2),
            "a model that was replaced while it was read")
    }

    static let racing = Rule(
        "CNC-04", "Racing tree writers leave one whole tree.",
        because: "Two answers of a server must not mix.", kills: ["drops-last-write", "silent-loss"]
    ) { trial in
        @Sendable func tree(_ writer: Int, _ round: Int) -> Message { .full("Message:1", salt: writer * 1_000 + round) }
        for round in 0..<20 {
            let cache = try trial.cache()
            let writers = (0..<4).map { writer in
                Threads.start {
                    for index in 0..<5 {
                        if index % 2 == 0 {
                            try cache.write(tree(writer, round * 10 + index))
                        } else {
                            cache.setModel(tree(writer, round * 10 + index), forKey: "Message:1", context: nil)
                        }
                    }
                }
            }
            for writer in writers { _ = try writer.wait() }
            try cache.flush()
            let read = try trial.expectHit(try cache.read("Message:1", as: Message.self), "a tree that four wrote")
            let possible = (0..<4).map { tree($0, round * 10 + 4) }
            try trial.expect(
                possible.contains(read),
                "a tree that four wrote: expected the last of one of them, whole, got \(brief(read)).")
        }
        // Whatever the threads' timing hid, one writer after a race shows.
        let cache = try trial.cache()
        let racers = (0..<2).map { writer in Threads.start { try cache.write(tree(writer, 0)) } }
        for racer in racers { _ = try racer.wait() }
        for round in 1...70 {
            try cache.write(tree(0, round))
            try trial.expectHit(
                try cache.read("Message:1", as: Message.self), tree(0, round), "a tree that one wrote after a race")
        }
    }

    static let monotonic = Rule(
        "CNC-05", "Reads are monotonic per caller.",
        because: "A screen that goes back to an older state makes people doubt what they saw.", kills: ["goes-back"]
    ) { trial in
        let cache = try trial.cache()
        // One caller alone first: whatever goes back then is not the fault of the threads' timing.
        for round in 0..<40 {
            try cache.write(Person(id: "Person:0", age: round))
            try trial.expectEqual(
                try cache.read("Person:0", as: Person.self).value?.age, round, "what one caller reads of its own writes"
            )
        }
        try cache.write(Person(id: "Person:1", age: 0))
        let writer = Threads.start {
            for round in 1...200 {
                if round % 2 == 0 {
                    try cache.write(Person(id: "Person:1", age: round))
                } else {
                    cache.setModel(Person(id: "Person:1", age: round), forKey: "Person:1", context: nil)
                }
            }
        }
        let readers = (0..<2).map { reader in
            Threads.start {
                var last = 0
                var reads = 0
                while writer.calls == 0 || reads < 50 {
                    let person: Person? =
                        reads % 3 == reader
                        ? try cache.model(forKey: "Person:1", as: Person.self)
                        : try cache.read("Person:1", as: Person.self).value
                    let age = person?.age ?? -1
                    try trial.expect(
                        age >= last, "one caller's reads: expected \(last) or later, got \(age).")
                    last = age
                    reads += 1
                }
            }
        }
        _ = try writer.wait(seconds: 60)
        for reader in readers { _ = try reader.wait(seconds: 60) }
    }

    static let unstalled = Rule(
        "CNC-08", "A reader is not stalled by a writer of 10,000 nodes.",
        because: "A synchronization in the background must not stop the screen.", requires: [.readersNeverStall],
        kills: ["stalls-readers"], timeLimit: .seconds(120)
    ) { trial in
        let cache = try trial.cache()
        let person = Person(id: "Person:read")
        try cache.write(person)
        var failure: CheckFailure?
        // A busy machine may keep the reader waiting once; a store that stalls it does so every time.
        for round in 0..<6 {
            do {
                return try readBeside(round, cache, person, trial)
            } catch let error as CheckFailure {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// Reads `person` as often as possible while 10,000 nodes are written.
    private static func readBeside(
        _ round: Int, _ cache: any ConformanceCache, _ person: Person, _ trial: Trial
    ) throws {
        let people = (0..<10_000).map { Person(id: "Person:\(round)/\($0)", name: String(repeating: "n", count: 100)) }
        let start = ContinuousClock.now
        let writer = Threads.start { try cache.write(contentsOf: people).changed.count }
        var longest = Duration.zero
        var reads = 0
        while writer.calls == 0 {
            let begin = ContinuousClock.now
            try trial.expectHit(
                try cache.read("Person:read", as: Person.self), person, "a model read beside a large write")
            longest = max(longest, ContinuousClock.now - begin)
            reads += 1
        }
        let whole = ContinuousClock.now - start
        let changed = try writer.wait(seconds: 60)
        if trial.hasTypedCalls { try trial.expectEqual(changed, 10_000, "the nodes of the large write") }
        trial.note("\(reads) reads in the \(whole) of the write, the longest \(longest)")
        try trial.expect(reads > 20, "the reads during a write of \(whole): expected more than 20, got \(reads).")
        try trial.expect(
            longest * 2 < whole,
            "the longest read during a write of \(whole): expected half of it at most, got \(longest).")
    }

    static let untorn = Rule(
        "CNC-10", "A read between a commit of the engine and its announcement shows no older value beside a newer one.",
        because: "What was queued before the commit is in it already; applied again, it undoes what came after.",
        requires: [.faults, .flush], kills: ["shows-queued-again"]
    ) { trial in
        let site = try trial.site()
        let cache = try site.open()
        let pair = ["Person:p", "Person:q"]
        try cache.writeCollection(pair.map { Person(id: $0, age: 0) }, forKey: "pair")
        let seen = Mutex<[[Int]]>([])
        site.interceptor.afterCommits {
            guard let read = try? cache.readCollection("pair", as: Person.self), let both = read.value else { return }
            seen.withLock { $0.append(both.values.map { $0.age ?? -1 }) }
        }
        for round in 1...60 {
            // While the writer is busy with the list, the two calls behind it come into one commit.
            cache.setCollection((0..<100).map { Person(id: "Person:\($0)", age: round) }, forKey: "all", context: nil)
            cache.setModel(Person(id: pair[0], age: 2 * round - 1), forKey: pair[0], context: nil)
            try cache.write(contentsOf: pair.map { Person(id: $0, age: 2 * round) })
        }
        try cache.flush()
        site.interceptor.afterCommits(nil)
        let reads = seen.withLock { $0 }
        try trial.expect(reads.count >= 60, "reads after commits: expected at least 60, got \(reads.count).")
        for ages in reads {
            try trial.expect(
                ages.count == 2 && ages[0] >= ages[1],
                "two models, of which the first is written before and with the second: expected the first to be at least "
                    + "as new, got \(ages).")
        }
    }
}
