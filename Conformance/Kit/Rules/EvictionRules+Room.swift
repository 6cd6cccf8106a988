import GroveCache
import GroveModel
import GrovePlatform
import Synchronization

/// How much one transaction may change, and what a view does that stays open.
extension EvictionRules {
    static let transactions = Rule(
        "EVC-20",
        "A transaction may change its declared share of what a full store holds; what stays as it is counts nothing, and beyond what fits it fails with `overBudget` and changes nothing.",
        because: "A sync is one transaction, and does not know of the budget.", requires: needs,
        kills: ["counts-unchanged"], timeLimit: .seconds(240)
    ) { trial in
        let site = try trial.site()
        let budget = 2 * EvictionRules.budget
        let cache = try site.open(budget: CacheBudget(bytes: budget))
        for batch in 0..<140 {
            _ = try cache.write(contentsOf: people(batch * 100..<(batch + 1) * 100, nameCount: 900))
        }
        let bytes = Int(Double(budget) * trial.profile.livePayloadShare * trial.profile.transactionShare)
        var first = 100_000
        for nameCount in [250, 950, 5_000] {
            let new = people(first..<first + bytes / (nameCount + 100), nameCount: nameCount)
            first += new.count
            // Some are there already and lie anywhere.
            let all = new + people(13_000..<13_040, nameCount: 200 + nameCount % 7)
            try cache.transact { transaction in
                // The second and the third time there is nothing to change.
                for _ in 0..<3 {
                    for start in stride(from: 0, to: all.count, by: 50) {
                        try transaction.write(contentsOf: Array(all[start..<min(start + 50, all.count)]))
                    }
                }
                try transaction.writeCollection(Array(all.prefix(1_000)), forKey: "list")
            }
            for place in stride(from: 0, to: all.count, by: 17) {
                try trial.expectHit(
                    try cache.read(ModelIdentifier(all[place].id), as: Person.self), all[place],
                    "a node of a transaction of \(bytes) bytes with names of \(nameCount)")
            }
            try trial.expectHit(
                try cache.readCollection("list", as: Person.self), "the collection that the transaction wrote")
            let size = try EvictionRules.bytes(of: cache, site)
            try trial.expect(
                size <= budget, "after a large transaction: expected at most \(budget) bytes, got \(size).")
        }
        let kept = try account(cache).0
        let error = try trial.expectError(.overBudget, from: "a transaction of more than the budget") {
            try cache.transact { transaction in
                for batch in 0..<budget / 200_000 {
                    try transaction.write(
                        contentsOf: people(900_000 + batch * 200..<900_000 + batch * 200 + 200, nameCount: 1_000))
                }
            }
        }
        let numbers = error.message.split { !$0.isNumber }.compactMap { Int($0) }
        try trial.expect(
            numbers.count { $0 > bytes } >= 2,
            "the message: expected how much it was and what fits, got \"\(error.message)\".")
        try trial.expectMiss(
            try cache.read("Person:900000", as: Person.self), .absent, "Person:900000", "a node of what was refused")
        // Room for a transaction of usual size was made before.
        let left = try account(cache).0
        try trial.expect(left >= kept / 4 * 3, "the bytes after the refusal: expected most of \(kept), got \(left).")
    }

    /// Long, and less than a store waits for another process by default.
    private static let patience = Duration.milliseconds(4_500)

    static let behindView = Rule(
        "EVC-21",
        "A view that stays open does not empty the cache, and holds no write up: where its bytes cannot come back, writes fail with `full` and name it.",
        because: "A screen that reads for too long must not cost what all others have.", requires: needs,
        kills: ["evicts-behind-a-view", "waits-behind-a-view"], timeLimit: .seconds(240)
    ) { trial in
        let cache = try trial.site().open(budget: CacheBudget(bytes: budget))
        for batch in 0..<70 {
            _ = try cache.write(contentsOf: people(batch * 100..<(batch + 1) * 100, nameCount: 900))
        }
        let last = ModelIdentifier("Person:6999")
        let before = try account(cache).0
        let (begun, ending) = (Ending(), Ending())
        defer { ending.come() }
        let viewer = Threads.start { () -> Bool in
            try cache.view { view in
                let found = try view.read(last, as: Person.self).value
                begun.come()
                while !ending.hasCome { usleep(1_000) }
                return try found != nil && view.read(last, as: Person.self).value == found
            }
        }
        while !begun.hasCome { usleep(1_000) }
        var failures = 0
        var batch = 0
        while batch < 400, failures < 10 {
            let people = people(10_000 + batch * 20..<10_020 + batch * 20, nameCount: 900)
            batch += 1
            let start = ContinuousClock.now
            do throws(CacheError) {
                _ = try cache.write(contentsOf: people)
            } catch {
                failures += 1
                try trial.expectEqual(error.code, .full, "a write that has no room beside an open view")
                try trial.expect(
                    error.message.contains("view"),
                    "the message of a write beside an open view: expected it to name the view, got \"\(error.message)\"."
                )
            }
            let time = ContinuousClock.now - start
            try trial.expect(
                time < patience, "write \(batch) beside an open view: expected less than \(patience), got \(time).")
        }
        let left = try account(cache).0
        try trial.expect(
            left >= before / 4 * 3, "what is left beside an open view: expected most of \(before) bytes, got \(left).")
        ending.come()
        let isStill = try viewer.wait(seconds: 30)
        try trial.expect(isStill == true, "the view: expected what it showed at first, got something else.")
        for batch in 0..<40 {
            _ = try cache.write(contentsOf: people(30_000 + batch * 20..<30_020 + batch * 20, nameCount: 900))
        }
    }
}

/// A moment that another thread waits for.
final class Ending: Sendable {
    private let state = Mutex(false)

    var hasCome: Bool { state.withLock { $0 } }

    func come() { state.withLock { $0 = true } }
}
