import GroveCache
import GroveModel

/// KEP: what is kept beside the models, as an outbox keeps what is pending.
enum KeptRules {
    static let all = [stays, together, wiped]

    static let stays = Rule(
        "KEP-01", "What is kept is evicted by no budget.",
        because: "A message that was not sent yet must not be forgotten for a picture.",
        requires: EvictionRules.needs, kills: ["evicts-kept"], timeLimit: .seconds(120)
    ) { trial in
        let cache = try trial.site().open(budget: PinTrees.budget(trial.profile))
        let all = records(0..<20, round: 0)
        try keep(all, in: cache)
        try PinTrees.flood(cache, from: 0, 600)
        let first = try cache.read("Flood:0", as: Person.self).value
        try trial.expect(first == nil, "the first of 600 models within a budget of 150: expected it to be evicted.")
        try trial.expectEqual(try cache.kept(), all, "what is kept after 600 models within a budget of 150")
    }

    static let together = Rule(
        "KEP-02", "A record that is kept changes with the models of its transaction, or with none of them.",
        because: "A change that is stored and still pending is sent twice; one that is neither is lost.",
        requires: [.typedCalls], kills: ["transaction-in-pieces"]
    ) { trial in
        let cache = try trial.site().open()
        let all = records(0..<3, round: 0)
        try keep(all, in: cache)
        struct Stop: Error {}
        for round in 1...3 {
            let person = Person(id: "Person:1", age: round)
            let former = try cache.read("Person:1", as: Person.self).value
            do {
                try cache.transact { transaction in
                    try transaction.keep(nil, as: "record 0")
                    try transaction.keep([9], as: "record 1")
                    try transaction.write(contentsOf: [person])
                    throw Stop()
                }
            } catch is Stop {}
            try trial.expectEqual(try cache.kept(), all, "what is kept after a transaction that has thrown")
            try trial.expectEqual(
                try cache.read("Person:1", as: Person.self).value, former,
                "a model of a transaction that has thrown")
            try cache.transact { transaction in
                try transaction.keep(nil, as: "record 0")
                try transaction.write(contentsOf: [person])
            }
            try trial.expectEqual(
                try cache.kept(), all.filter { $0.key != "record 0" }, "what is kept after a record was removed")
            try trial.expectHit(
                try cache.read("Person:1", as: Person.self), person, "the model that was written with the removal")
            try keep(all, in: cache)
        }
    }

    static let wiped = Rule(
        "KEP-03", "What is kept is there when the cache is opened again, and a wipe takes it.",
        because: "What was not sent outlives a relaunch, and is no business of the next user.",
        requires: [.typedCalls, .persistent, .close, .reopen, .wipe], kills: ["wipes-all-but-kept"]
    ) { trial in
        let site = try trial.site()
        let all = records(0..<5, round: 0)
        do {
            let cache = try site.open()
            try keep(all, in: cache)
            cache.close()
        }
        let cache = try site.open()
        try trial.expectEqual(try cache.kept(), all, "what is kept after reopening")
        try cache.wipe()
        try trial.expectEqual(try cache.kept(), [:], "what is kept after a wipe")
        let later = records(0..<1, round: 1)
        try keep(later, in: cache)
        cache.close()
        try trial.expectEqual(try site.open().kept(), later, "what is kept after a wipe and reopening")
    }

    private static func records(_ numbers: Range<Int>, round: Int) -> [String: [UInt8]] {
        Dictionary(
            uniqueKeysWithValues: numbers.map { number in
                ("record \(number)", (0..<number).map { UInt8(truncatingIfNeeded: $0 + round) })
            })
    }

    private static func keep(_ records: [String: [UInt8]], in cache: any ConformanceCache) throws {
        try cache.transact { transaction in
            for (name, bytes) in records { try transaction.keep(bytes, as: name) }
        }
    }
}
