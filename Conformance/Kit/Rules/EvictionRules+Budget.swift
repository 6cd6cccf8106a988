import GroveCache
import GroveModel

/// That the budget holds, and is used.
extension EvictionRules {
    static let within = Rule(
        "EVC-01",
        "Bytes stay within the budget after each completed write; after it shrinks, at the next opening, which keeps a part.",
        because: "Users remove applications that fill their disks, and those that forget everything at each update.",
        requires: needs, kills: ["budget-forgotten"], timeLimit: .seconds(240)
    ) { trial in
        let site = try trial.site()
        let cache = try site.open(budget: CacheBudget(bytes: budget))
        for batch in 0..<90 {
            _ = try cache.write(contentsOf: people(batch * 100..<(batch + 1) * 100, nameCount: 1_200))
            let bytes = try EvictionRules.bytes(of: cache, site)
            try trial.expect(bytes <= budget, "bytes after batch \(batch): expected at most \(budget), got \(bytes).")
        }
        try trial.expect(try cache.usage().evictions > 0, "evictions: expected some, got none.")
        let last = people(8_990..<9_000, nameCount: 1_200)
        for person in last {
            try trial.expectHit(
                try cache.read(ModelIdentifier(person.id), as: Person.self), person, "a node that was written last")
        }
        guard site.directory != nil else { return }
        cache.close()
        let smaller = budget * 5 / 6
        let again = try site.open(budget: CacheBudget(bytes: smaller))
        let bytes = try EvictionRules.bytes(of: again, site)
        try trial.expect(bytes <= smaller, "bytes under a smaller budget: expected at most \(smaller), got \(bytes).")
        let left = try stored(site).bytes
        let least = Int(Double(smaller) * trial.profile.livePayloadShare / 2)
        try trial.expect(
            left >= least, "what is stored under a smaller budget: expected at least \(least), got \(left).")
        _ = try again.write(contentsOf: people(0..<10, nameCount: 1_200))
        try trial.expectHit(try again.read("Person:3", as: Person.self), "a node that was written after that")
    }

    static let oversize = Rule(
        "EVC-03", "An over-budget item is refused without flushing others.",
        because: "One huge picture must not cost the whole timeline.", requires: needs, kills: ["budget-forgotten"]
    ) { trial in
        let cache = try trial.site().open(budget: CacheBudget(bytes: budget))
        let kept = people(0..<500, nameCount: 200)
        _ = try cache.write(contentsOf: kept)
        try trial.expectError(.overBudget, from: "a node of the whole budget's size") {
            try cache.write(Person(id: "Person:huge", name: name(budget, 0)))
        }
        cache.setModel(
            Person(id: "Person:huge", name: name(budget, 0)), forKey: "Person:huge", context: nil)
        try trial.expectError(.overBudget, from: "a flush after one that nobody waited for") { try cache.flush() }
        try trial.expectMiss(
            try cache.read("Person:huge", as: Person.self), .absent, "Person:huge", "the node that was refused")
        for person in kept {
            try trial.expectHit(
                try cache.read(ModelIdentifier(person.id), as: Person.self), person, "a node from before")
        }
        try trial.expectEqual(try cache.usage().evictions, 0, "the evictions")
    }

    static let largeTree = Rule(
        "EVC-08", "A tree larger than the budget is refused or later misses, never partial.",
        because: "Half a tree was never written by anybody.", requires: needs, kills: ["budget-forgotten"],
        timeLimit: .seconds(120)
    ) { trial in
        let cache = try trial.site().open(budget: CacheBudget(bytes: budget))
        let kept = people(0..<100, nameCount: 100)
        _ = try cache.write(contentsOf: kept)
        let tree = Branch(
            id: "Branch:0",
            parts: (1...1_000).map { number in
                Branch(
                    id: "Branch:\(number)",
                    boss: Person(id: "Person:b\(number)", name: name(budget / 800, number)))
            })
        do {
            try cache.write(tree)
            try trial.expect(
                try cache.read("Branch:0", as: Branch.self).value == nil,
                "a tree larger than the budget: expected a refusal or a miss, got the tree.")
        } catch let error as CacheError {
            try trial.expect(
                error.code == .overBudget, "a tree larger than the budget: expected overBudget, got \(error).")
            for person in kept {
                try trial.expectHit(
                    try cache.read(ModelIdentifier(person.id), as: Person.self), person, "a node from before")
            }
        }
    }

    static let large = Rule(
        "EVC-19", "A write of most of what fits takes the place of others, not its own, and keeps within the budget.",
        because: "One large document must cost neither itself nor more of the disk than was said.", requires: needs,
        kills: ["budget-forgotten"], timeLimit: .seconds(120)
    ) { trial in
        let site = try trial.site()
        let cache = try site.open(budget: CacheBudget(bytes: budget))
        for batch in 0..<40 {
            _ = try cache.write(contentsOf: people(batch * 200..<(batch + 1) * 200, nameCount: 900))
        }
        func expectWithin(_ what: String) throws {
            let bytes = try bytes(of: cache, site)
            try trial.expect(bytes <= budget, "\(what): expected at most \(budget) bytes, got \(bytes).")
        }
        /// Whether the write was taken; that an engine has no room for it is an answer too.
        func isTaken(_ write: () throws -> Void) throws -> Bool {
            do {
                try write()
            } catch let error as CacheError where error.code == .overBudget || error.code == .full {
                return false
            }
            return true
        }
        // Trees of many records, from a quarter of the budget to nearly all of it.
        for parts in stride(from: 200, through: 760, by: 80) {
            let parts = (1...parts).map { number in
                Branch(
                    id: "Branch:\(number)",
                    boss: Person(id: "Person:b\(number)", name: name(budget / 800, number)))
            }
            _ = try isTaken { try cache.write(Branch(id: "Branch:0", parts: parts)) }
            try expectWithin("after a tree of \(parts.count / 8) % of the budget")
        }
        // One record of nearly all that a full store holds, new and then in place of another.
        let count = Int(Double(budget) * trial.profile.livePayloadShare * 0.9)
        for version in 0..<4 {
            let large = Person(id: "Person:large", name: name(count, version))
            guard try isTaken({ _ = try cache.write(large) }) else { continue }
            for batch in 0..<20 {
                _ = try cache.write(contentsOf: people(batch * 10..<batch * 10 + 10, nameCount: 300))
                try expectWithin("after a large record")
            }
            try trial.expectHit(
                try cache.read("Person:large", as: Person.self), large, "a large record, after some small ones")
        }
    }

    static let everythingCounts = Rule(
        "EVC-09", "Keys, tombstones, collections and metadata count.",
        because: "A million deletions fill a disk as well as a million pictures.", requires: needs,
        kills: ["budget-forgotten"],
        timeLimit: .seconds(120)
    ) { trial in
        let site = try trial.site()
        let cache = try site.open(budget: CacheBudget(bytes: budget))
        try cache.write(Person(id: "Person:0"))
        var before = try account(cache).0
        for number in 0..<100 {
            cache.deleteModel(Person(id: "Person:gone-\(number)"), forKey: nil, context: nil)
        }
        try cache.flush()
        try trial.expect(
            try account(cache).0 >= before + 100 * 28, "a hundred tombstones: expected their bytes to count.")
        before = try account(cache).0
        for number in 0..<100 { _ = try cache.writeCollection([Person(id: "Person:0")], forKey: "list-\(number)") }
        try trial.expect(
            try account(cache).0 >= before + 100 * 28, "a hundred collections: expected their bytes to count.")
        let long = String(repeating: "k", count: 3_000)
        for number in 0..<3_000 {
            cache.deleteModel(Person(id: "Person:\(number)-\(long)"), forKey: nil, context: nil)
        }
        try cache.flush()
        try trial.expectEqual(try account(cache).0, try stored(site).bytes, "the bytes that are counted")
        let bytes = try EvictionRules.bytes(of: cache, site)
        try trial.expect(bytes <= budget, "bytes after deletions alone: expected at most \(budget), got \(bytes).")
        try trial.expect(try cache.usage().evictions > 0, "evicted tombstones: expected some, got none.")
    }

    static let peak = Rule(
        "EVC-10",
        "Peak size on disk never exceeds the budget under churn with readers, and live payload has its declared share.",
        because: "A budget that is kept by keeping almost nothing is not kept.", requires: needs,
        kills: ["budget-forgotten"], timeLimit: .seconds(400)
    ) { trial in
        let site = try trial.site()
        let budget = 20 << 20
        let cache = try site.open(budget: CacheBudget(bytes: budget))
        let ending = Ending()
        var generator = trial.generator()
        var peak = 0
        var (payload, looks) = (0, 0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: BlockingExecutor.shared) {
                var number = 0
                while !ending.hasCome {
                    number += 7
                    _ = try cache.read(ModelIdentifier("Person:\(number % 74_000)"), as: Person.self)
                }
            }
            defer { ending.come() }
            for batch in 0..<900 {
                let people = (0..<60).map { _ in
                    let number = batch * 60 + Int.random(in: 0..<20_000, using: &generator)
                    let count = Int.random(in: 300...1_100, using: &generator)
                    return Person(id: "Person:\(number)", name: name(count, number &+ batch), age: batch)
                }
                _ = try cache.write(contentsOf: people)
                peak = max(peak, try bytes(of: cache, site))
                if batch > 600 {
                    payload += try account(cache).0
                    looks += 1
                }
            }
        }
        try trial.expect(peak <= budget, "the peak: expected at most \(budget), got \(peak).")
        try trial.expect(try cache.usage().evictions > 5_000, "evictions: expected thousands.")
        let share = Double(payload) / Double(looks) / Double(budget)
        trial.note("peak \(peak * 100 / budget) %, live payload \(Int(share * 100)) % of the budget")
        try trial.expect(
            share >= trial.profile.livePayloadShare,
            "the share of live payload: expected \(trial.profile.livePayloadShare), got \(share).")
    }
}
