import GroveCache
import GroveModel

/// That what is counted is what is there.
extension EvictionRules {
    static let replacing = Rule(
        "EVC-02", "Replacing never double-counts; deleting and forgetting release.",
        because: "A count that drifts evicts everything in the end, or nothing.", requires: needs.union([.evict]),
        kills: ["counts-twice"]
    ) { trial in
        let cache = try trial.site().open(budget: CacheBudget(bytes: budget))
        try cache.write(Person(id: "Person:0", name: "first"))
        let (before, entries) = try account(cache)
        try cache.write(Person(id: "Person:1", name: String(repeating: "n", count: 100)))
        let (one, entriesOfOne) = try account(cache)
        for round in 0..<50 {
            try cache.write(Person(id: "Person:1", name: String(repeating: "n", count: round * 10)))
        }
        try cache.write(Person(id: "Person:1", name: String(repeating: "n", count: 100)))
        try trial.expectEqual(try account(cache).0, one, "the bytes after 51 writes of one node")
        try trial.expectEqual(try account(cache).1, entriesOfOne, "the entries after 51 writes of one node")
        _ = try cache.delete("Person:1")
        let deleted = try account(cache).0
        try trial.expect(
            deleted < one, "the bytes after a deletion: expected fewer than \(one), got \(deleted).")
        try cache.evict("Person:1")
        let forgotten = try account(cache).0
        try trial.expect(
            forgotten - before <= 40,
            "the bytes after it was forgotten: expected \(before) and at most a line in a list, got \(forgotten).")
        try trial.expectEqual(try account(cache).1, entries, "the entries after it was forgotten")
    }

    static let recount = Rule(
        "EVC-04", "Accounting equals a recount.",
        because: "A budget is kept by what is counted.", requires: needs.union([.evict]), kills: ["counts-twice"],
        timeLimit: .seconds(120)
    ) { trial in
        let site = try trial.site()
        let cache = try site.open(budget: CacheBudget(bytes: budget))
        var generator = trial.generator()
        for round in 0..<30 {
            try disturb(cache, round, using: &generator)
            let (bytes, entries) = try stored(site)
            try trial.expectEqual(try account(cache).0, bytes, "the bytes that are counted after round \(round)")
            try trial.expectEqual(try account(cache).1, entries, "the entries that are counted after round \(round)")
        }
        try cache.wipe()
        _ = try cache.write(contentsOf: people(0..<10, nameCount: 10))
        try trial.expectEqual(try account(cache).0, try stored(site).bytes, "the bytes after a wipe and ten nodes")
    }

    static let reopened = Rule(
        "EVC-05", "Accounting equals a recount also after reopening, and after an unclean end.",
        because: "Applications are killed more often than they are closed.",
        requires: needs.union([.persistent, .directory]), kills: ["counts-from-opening"],
        timeLimit: .seconds(180)
    ) { trial in
        let site = try trial.site()
        var generator = trial.generator()
        for round in 0..<4 {
            let cache = try site.open(budget: CacheBudget(bytes: budget))
            for part in 0..<6 { try disturb(cache, round * 6 + part, using: &generator) }
            // What is in the files now is what a kill would leave.
            let killed = try trial.site()
            guard let from = site.directory, let to = killed.directory else { return }
            try TemporaryDirectory.copy(from, to)
            for place in [killed, site] {
                if place === site { cache.close() }
                let again = try place.open(budget: CacheBudget(bytes: budget))
                let person = Person(id: "Person:again", name: "\(round)")
                try again.write(person)
                let (counted, entries) = try stored(place)
                let what = place === site ? "closing" : "a kill"
                try trial.expectEqual(try account(again).0, counted, "the bytes that are counted after \(what)")
                try trial.expectEqual(try account(again).1, entries, "the entries that are counted after \(what)")
                // Few enough at once for every engine to have room for them: this is about accounts.
                for batch in 0..<100 {
                    _ = try again.write(contentsOf: people(batch * 30..<(batch + 1) * 30, nameCount: 2_000))
                }
                try trial.expect(
                    try bytes(of: again, place) <= budget, "bytes after \(what): expected the budget to hold.")
                try trial.expectEqual(
                    try account(again).0, try stored(place).bytes,
                    "the bytes that are counted after \(what) and evictions")
                again.close()
            }
        }
    }
}
