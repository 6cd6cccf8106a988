import GroveCache
import GroveModel

/// EVC: what is pinned stays.
enum PinRules {
    static let all = [retained]

    static let retained = Rule(
        "EVC-11",
        "What is reachable from a pin is not evicted; unpinning releases it; past the budget it is refused.",
        because: "What a screen shows must not vanish beneath it, and a pin for ever is a leak.",
        requires: EvictionRules.needs.union([.evict]),
        kills: ["pins-nothing", "never-releases", "pins-past-budget", "pins-what-is-there", "forgets-count"],
        timeLimit: .seconds(240)
    ) { trial in
        try reachable(trial)
        try refusal(trial, nameCount: 12_000...12_000)
        try refusal(trial, nameCount: 20...500)
        if trial.backend.capabilities.isSuperset(of: [.persistent, .reopen]) { try reopening(trial) }
    }

    /// What is held, and what not any more.
    private static func reachable(_ trial: Trial) throws {
        let cache = try trial.site().open(budget: PinTrees.budget(trial.profile))
        let early = PinTrees.tree(0, round: 0)
        _ = try cache.write(early)
        try cache.retain("Tree:0")
        try cache.retain("Tree:0")
        try cache.retain("Tree:1")
        try cache.retain(collection: "list")
        try PinTrees.flood(cache, from: 0, 300)
        try trial.expectHit(try cache.read("Tree:0", as: Branch.self), early, "a tree that was there before its pin")
        let late = PinTrees.tree(1, round: 1)
        let items = [Person(id: "Person:item"), Person(id: "Person:0/0", age: 7)]
        _ = try cache.write(late)
        _ = try cache.writeCollection(items, forKey: "list")
        try PinTrees.flood(cache, from: 1_000, 300)
        try trial.expectHit(try cache.read("Tree:1", as: Branch.self), late, "a tree that came after its pin")
        try trial.expectEqual(
            try cache.readCollection("list", as: Person.self).value?.values, items,
            "a collection that came after its pin")
        // A part that is written alone, with something new below it.
        _ = try cache.write(
            Branch(id: "Tree:1/2", label: 9, parts: [Branch(id: "Tree:grafted", boss: Person(id: "Person:new"))]))
        try PinTrees.flood(cache, from: 2_000, 300)
        let part = try trial.expectHit(try cache.read("Tree:1/2", as: Branch.self), "a part that was written alone")
        try trial.expectEqual(part.parts.first?.boss?.id, "Person:new", "what is below what was written alone")
        _ = try cache.delete("Tree:0/1")
        try PinTrees.flood(cache, from: 3_000, 300)
        let left = try trial.expectHit(try cache.read("Tree:0", as: Branch.self), "a tree of which a part was deleted")
        try trial.expectEqual(left.parts.map(\.id), ["Tree:0/0", "Tree:0/2"], "the parts of a tree that lost one")

        try cache.release("Tree:0")
        try PinTrees.flood(cache, from: 4_000, 300)
        try trial.expectHit(try cache.read("Tree:0", as: Branch.self), left, "a tree that is still retained once")
        try cache.release("Tree:0")
        try PinTrees.flood(cache, from: 5_000, 600)
        try trial.expectMiss(
            try cache.read("Tree:0", as: Branch.self), .absent, "Tree:0", "a tree that nobody retains any more")
        let shared = try trial.expectHit(
            try cache.read("Person:0/0", as: Person.self), "a node that a released tree shared with what is retained")
        try trial.expectEqual(shared, items[1], "that node")
        try cache.release(collection: "list")
        try PinTrees.flood(cache, from: 6_000, 600)
        try trial.expectMiss(
            try cache.read("Person:item", as: Person.self), .absent, "Person:item", "an element that was released")
        try cache.wipe()
        _ = try cache.write(late)
        try PinTrees.flood(cache, from: 7_000, 600)
        try trial.expectMiss(
            try cache.read("Tree:1", as: Branch.self), .absent, "Tree:1", "a tree whose pin a wipe took")
    }

    /// What does not fit, and what else still does, where pinned nodes have names of so many bytes.
    private static func refusal(_ trial: Trial, nameCount: ClosedRange<Int>) throws {
        let site = try trial.site()
        let cache = try site.open(budget: CacheBudget(bytes: EvictionRules.budget))
        var generator = trial.generator()
        var kept: [Person] = []
        var bytes = 0
        var lists = 0
        while true {
            let people = (0..<(60_000 / nameCount.upperBound + 1)).map { place in
                let count = Int.random(in: nameCount, using: &generator)
                let number = UInt32.random(in: 0...UInt32.max, using: &generator)
                return Person(id: "Pinned:\(number)-\(lists)-\(place)", name: EvictionRules.name(count, Int(number)))
            }
            _ = try cache.writeCollection(people, forKey: "list-\(lists)")
            do throws(CacheError) {
                try cache.retain(collection: "list-\(lists)")
            } catch {
                try trial.expectEqual(error.code, .overBudget, "a pin for which there is no room")
                break
            }
            kept += people
            bytes += people.reduce(0) { $0 + $1.name.utf8.count }
            lists += 1
            let usage = try cache.usage()
            try trial.expect(
                bytes < EvictionRules.budget, "pins of lists past the budget: expected a refusal, got none; \(usage).")
        }
        try trial.expect(
            bytes > EvictionRules.budget / 12,
            "names that could be pinned: expected a twelfth of the budget at the least, got \(bytes) bytes.")
        func expectKept(_ what: String) throws {
            for person in kept {
                try trial.expectHit(try cache.read(ModelIdentifier(person.id), as: Person.self), person, what)
            }
            let bytes = try EvictionRules.bytes(of: cache, site)
            try trial.expect(
                bytes <= EvictionRules.budget, "bytes: expected at most \(EvictionRules.budget), got \(bytes).")
            try trial.expectEqual(
                try EvictionRules.account(cache).0, try EvictionRules.stored(site).bytes, "the bytes that are counted")
        }
        try expectKept("a pinned node after a refusal")
        for batch in 0..<60 {
            _ = try cache.write(
                contentsOf: EvictionRules.people(10_000 + batch * 50..<10_050 + batch * 50, nameCount: 2_000))
        }
        try expectKept("a pinned node after many that are not")
        let last = Person(id: "Person:12999", name: EvictionRules.name(2_000, 12_999))
        try trial.expectHit(
            try cache.read("Person:12999", as: Person.self), last, "what was written last, beside all that is pinned")
        // More than there is room for, and not pinned yet.
        _ = try cache.write(contentsOf: EvictionRules.people(20_000..<20_040, nameCount: 12_000))
        var isRefused = false
        for number in 20_000..<20_040 {
            do throws(CacheError) {
                try cache.retain(ModelIdentifier("Person:\(number)"))
            } catch {
                try trial.expectEqual(error.code, .overBudget, "a pin for which there is no room")
                isRefused = true
            }
        }
        let usage = try cache.usage()
        try trial.expect(isRefused, "pins of nodes past the budget: expected a refusal, got none; \(usage).")
        if let limit = usage.pinnedLimit {
            try trial.expect(
                usage.pinnedBytes <= limit, "pinned bytes: expected at most \(limit), got \(usage.pinnedBytes).")
        }
        try expectKept("a pinned node after a refused pin")
        for list in 0..<lists { try cache.release(collection: "list-\(list)") }
        for batch in 0..<90 {
            _ = try cache.write(
                contentsOf: EvictionRules.people(30_000 + batch * 50..<30_050 + batch * 50, nameCount: 2_000))
            // What is read goes before what was read as often, long ago.
            for _ in 0..<4 {
                for number in 30_000 + batch * 50..<30_050 + batch * 50 {
                    _ = try cache.read(ModelIdentifier("Person:\(number)"), as: Person.self)
                }
            }
        }
        var left = 0
        for person in kept where try cache.read(ModelIdentifier(person.id), as: Person.self).value != nil { left += 1 }
        try trial.expect(left < kept.count / 2, "released nodes: expected most to go, got \(left) of \(kept.count).")
    }

    /// What ends with the handle, and not before.
    private static func reopening(_ trial: Trial) throws {
        let site = try trial.site()
        let budget = PinTrees.budget(trial.profile)
        let first = try site.open(budget: budget)
        let tree = PinTrees.tree(1, round: 1)
        _ = try first.write(tree)
        try first.retain("Tree:1")
        try first.suspend()
        try first.resume()
        try PinTrees.flood(first, from: 0, 300)
        try trial.expectHit(try first.read("Tree:1", as: Branch.self), tree, "a tree across a suspension")
        first.close()
        let second = try site.open(budget: budget)
        try PinTrees.flood(second, from: 1_000, 600)
        try trial.expectMiss(
            try second.read("Tree:1", as: Branch.self), .absent, "Tree:1", "a tree whose pin ended with its handle")
    }
}

/// What rules of pins write.
enum PinTrees {
    /// Little, so that most of what is written goes soon.
    static func budget(_ profile: BackendProfile) -> CacheBudget {
        CacheBudget(bytes: profile.isEvicting ? 6 << 20 : nil, nodes: 150)
    }

    /// Tree `number` as it is in round `round`: the root's label says which, and so does a part's name.
    static func tree(_ number: Int, round: Int) -> Branch {
        Branch(
            id: "Tree:\(number)", label: round,
            parts: (0..<3).map { part in
                Branch(
                    id: "Tree:\(number)/\((round + part) % 5)", label: round,
                    boss: Person(id: "Person:\(number)/\(round % 3)", name: "\(round)", age: round))
            })
    }

    /// Writes `count` nodes that no handle retains, in transactions of fifty.
    static func flood(_ cache: any ConformanceCache, from first: Int, _ count: Int) throws(CacheError) {
        for start in stride(from: first, to: first + count, by: 50) {
            _ = try cache.write(
                contentsOf: (start..<start + 50).map { number in
                    Person(id: "Flood:\(number)", name: EvictionRules.name(number * 37 % 400, number), age: number)
                })
            // What is read again and again stays: what was read before, and is not any more, goes for it.
            for _ in 0..<3 {
                for number in start..<start + 50 { _ = try cache.read("Flood:\(number)", as: Person.self) }
            }
        }
    }
}
