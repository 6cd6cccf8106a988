import GroveCache
import GroveModel

/// EVC: what is pinned stays.
enum PinRules {
    static let all = [retained, killed, peers]

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
        let cache = try trial.site().open(budget: PinProcess.budget(trial.profile))
        let early = PinProcess.tree(0, round: 0)
        _ = try cache.write(early)
        try cache.retain("Tree:0")
        try cache.retain("Tree:0")
        try cache.retain("Tree:1")
        try cache.retain(collection: "list", acrossReopening: false)
        try PinProcess.flood(cache, from: 0, 300)
        try trial.expectHit(try cache.read("Tree:0", as: Branch.self), early, "a tree that was there before its pin")
        let late = PinProcess.tree(1, round: 1)
        let items = [Person(id: "Person:item"), Person(id: "Person:0/0", age: 7)]
        _ = try cache.write(late)
        _ = try cache.writeCollection(items, forKey: "list")
        try PinProcess.flood(cache, from: 1_000, 300)
        try trial.expectHit(try cache.read("Tree:1", as: Branch.self), late, "a tree that came after its pin")
        try trial.expectEqual(
            try cache.readCollection("list", as: Person.self).value?.values, items,
            "a collection that came after its pin")
        // A part that is written alone, with something new below it.
        _ = try cache.write(
            Branch(id: "Tree:1/2", label: 9, parts: [Branch(id: "Tree:grafted", boss: Person(id: "Person:new"))]))
        try PinProcess.flood(cache, from: 2_000, 300)
        let part = try trial.expectHit(try cache.read("Tree:1/2", as: Branch.self), "a part that was written alone")
        try trial.expectEqual(part.parts.first?.boss?.id, "Person:new", "what is below what was written alone")
        _ = try cache.delete("Tree:0/1")
        try PinProcess.flood(cache, from: 3_000, 300)
        let left = try trial.expectHit(try cache.read("Tree:0", as: Branch.self), "a tree of which a part was deleted")
        try trial.expectEqual(left.parts.map(\.id), ["Tree:0/0", "Tree:0/2"], "the parts of a tree that lost one")

        try cache.release("Tree:0")
        try PinProcess.flood(cache, from: 4_000, 300)
        try trial.expectHit(try cache.read("Tree:0", as: Branch.self), left, "a tree that is still retained once")
        try cache.release("Tree:0")
        try PinProcess.flood(cache, from: 5_000, 600)
        try trial.expectMiss(
            try cache.read("Tree:0", as: Branch.self), .absent, "Tree:0", "a tree that nobody retains any more")
        let shared = try trial.expectHit(
            try cache.read("Person:0/0", as: Person.self), "a node that a released tree shared with what is retained")
        try trial.expectEqual(shared, items[1], "that node")
        try cache.release(collection: "list", acrossReopening: false)
        try PinProcess.flood(cache, from: 6_000, 600)
        try trial.expectMiss(
            try cache.read("Person:item", as: Person.self), .absent, "Person:item", "an element that was released")
        try cache.wipe()
        _ = try cache.write(late)
        try PinProcess.flood(cache, from: 7_000, 600)
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
                return Person(id: "Pinned:\(number)-\(lists)-\(place)", name: String(repeating: "n", count: count))
            }
            do throws(CacheError) {
                try cache.retain(collection: "list-\(lists)", acrossReopening: false)
                _ = try cache.writeCollection(people, forKey: "list-\(lists)")
            } catch {
                try trial.expectEqual(error.code, .overBudget, "a write under a pin for which there is no room")
                try cache.release(collection: "list-\(lists)", acrossReopening: false)
                break
            }
            kept += people
            bytes += people.reduce(0) { $0 + $1.name.utf8.count }
            lists += 1
            try trial.expect(bytes < EvictionRules.budget, "pins past the budget: expected a refusal, got none.")
        }
        try trial.expect(
            bytes > EvictionRules.budget / 8,
            "names that could be pinned: expected an eighth of the budget at the least, got \(bytes) bytes.")
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
        let last = Person(id: "Person:12999", name: String(repeating: "n", count: 2_000))
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
        try trial.expect(isRefused, "pins past the budget: expected a refusal, got none.")
        let usage = try cache.usage()
        if let limit = usage.pinnedLimit {
            try trial.expect(
                usage.pinnedBytes <= limit, "pinned bytes: expected at most \(limit), got \(usage.pinnedBytes).")
        }
        try expectKept("a pinned node after a refused pin")
        for list in 0..<lists { try cache.release(collection: "list-\(list)", acrossReopening: false) }
        for batch in 0..<90 {
            _ = try cache.write(
                contentsOf: EvictionRules.people(30_000 + batch * 50..<30_050 + batch * 50, nameCount: 2_000))
        }
        var left = 0
        for person in kept where try cache.read(ModelIdentifier(person.id), as: Person.self).value != nil { left += 1 }
        try trial.expect(left < kept.count / 2, "released nodes: expected most to go, got \(left) of \(kept.count).")
    }

    /// What outlives the handle, and what does not.
    private static func reopening(_ trial: Trial) throws {
        let site = try trial.site()
        let budget = PinProcess.budget(trial.profile)
        let first = try site.open(budget: budget)
        let trees = (0..<3).map { PinProcess.tree($0, round: $0) }
        _ = try first.write(contentsOf: trees)
        try first.retain("Tree:0", acrossReopening: true)
        try first.retain("Tree:0", acrossReopening: true)
        try first.retain("Tree:1")
        try first.suspend()
        try first.resume()
        try PinProcess.flood(first, from: 0, 300)
        try trial.expectHit(try first.read("Tree:1", as: Branch.self), trees[1], "a tree across a suspension")
        first.close()
        let second = try site.open(budget: budget)
        try PinProcess.flood(second, from: 1_000, 300)
        try trial.expectHit(try second.read("Tree:0", as: Branch.self), trees[0], "a tree that the store remembers")
        try trial.expectMiss(
            try second.read("Tree:1", as: Branch.self), .absent, "Tree:1", "a tree whose pin ended with its handle")
        try second.release("Tree:0", acrossReopening: true)
        second.close()
        let third = try site.open(budget: budget)
        try PinProcess.flood(third, from: 2_000, 600)
        try trial.expectMiss(
            try third.read("Tree:0", as: Branch.self), .absent, "Tree:0", "a tree that the store remembers no more")
    }

    static let killed = Rule(
        "EVC-15", "A kill at any moment loses no node that a persistent pin holds, and accounts equal a recount.",
        because: "What an application needs to start must be there when it starts.",
        requires: [.persistent, .survivesCrash, .processes, .typedCalls, .storedBytes],
        kills: ["acknowledges-early", "forgets-pins"], timeLimit: .seconds(240)
    ) { trial in
        guard let worker = trial.backend.worker else { return }
        var generator = trial.generator()
        var seen = 0
        for _ in 0..<10 {
            let site = try trial.site()
            defer { site.remove() }
            var claims = Claims()
            for _ in 0..<2 {
                let child = try ChildProcess(worker, ["pin", site.directory ?? "", "endless"])
                // It goes on while its lines are read, so that the kill comes at any moment.
                let patience = Int.random(in: 0..<120, using: &generator)
                var lines: [String] = []
                while lines.count < patience, case .line(let line) = child.nextLine(within: .seconds(60)) {
                    lines.append(line)
                }
                child.kill()
                lines += child.lines(within: .seconds(30)).lines
                _ = child.wait()
                try trial.expect(
                    !lines.contains { $0.hasPrefix("failed") },
                    "a process that pins: expected no failure, got \(lines).")
                seen += lines.count
                for line in lines { claims.note(line) }
                try check(trial, site, claims)
            }
        }
        try trial.expect(seen > 100, "what processes did until they were killed: expected more, got \(seen) lines.")
    }

    /// What a process said of the trees that must be there.
    private struct Claims {
        private var pinned: Set<Int> = []
        private var wrote: [Int: Int] = [:]
        private var writing: [Int: Int] = [:]

        /// The trees that are pinned and written, and of which rounds they may be.
        var trees: [(number: Int, rounds: [Int])] {
            pinned.sorted().compactMap { number in
                wrote[number].map { (number, [$0, writing[number] ?? $0]) }
            }
        }

        /// Takes in what a process said.
        mutating func note(_ line: String) {
            let words = line.split(separator: "\t")
            guard words.count == 3, let number = Int(words[1]), let round = Int(words[2]) else { return }
            switch words[0] {
            case "retained":
                // What was written before may have gone before.
                if pinned.insert(number).inserted { wrote[number] = nil }
            case "releasing": pinned.remove(number)
            case "writing": writing[number] = round
            default: wrote[number] = round
            }
        }
    }

    /// Checks what a killed process has left of what it claimed.
    private static func check(_ trial: Trial, _ site: any CacheSite, _ claims: Claims) throws {
        let cache = try site.open(budget: PinProcess.budget(trial.profile))
        defer { cache.close() }
        func expectTrees(_ what: String) throws {
            for (number, rounds) in claims.trees {
                let root = ModelIdentifier("Tree:\(number)")
                let tree = try trial.expectHit(try cache.read(root, as: Branch.self), "tree \(number) \(what)")
                try trial.expect(
                    rounds.contains { tree == PinProcess.tree(number, round: $0) },
                    "tree \(number) \(what): expected that of one of the rounds \(rounds), got \(tree).")
            }
            let (bytes, entries) = try EvictionRules.stored(site)
            try trial.expectEqual(try EvictionRules.account(cache).0, bytes, "the bytes that are counted \(what)")
            try trial.expectEqual(try EvictionRules.account(cache).1, entries, "the entries that are counted \(what)")
        }
        _ = try cache.write(Person(id: "Person:first"))
        try expectTrees("after a kill")
        try PinProcess.flood(cache, from: 900_000, 400)
        try expectTrees("after a kill and many other writes")
    }

    static let peers = Rule(
        "EVC-16", "What one process pins across reopening no other process evicts, nor what others write under it.",
        because: "An extension that downloads must not throw away what the application shows.",
        requires: [.multiProcess, .processes, .typedCalls, .storedBytes], timeLimit: .seconds(120)
    ) { trial in
        guard let worker = trial.backend.worker else { return }
        let site = try trial.site()
        let cache = try site.open(budget: PinProcess.budget(trial.profile))
        func run(_ job: String) throws {
            let child = try ChildProcess(worker, ["pin", site.directory ?? "", job])
            let lines = child.lines(within: .seconds(60)).lines
            try trial.expectEqual(lines.last, "done", "another process that is to \(job) (\(child.errorText))")
            _ = child.wait()
        }
        let trees = (0..<3).map { PinProcess.tree($0, round: $0) }
        _ = try cache.write(contentsOf: trees)
        try cache.retain("Tree:0", acrossReopening: true)
        try cache.retain("Tree:1", acrossReopening: true)
        try run("flood")
        try trial.expectHit(
            try cache.read("Tree:0", as: Branch.self), trees[0], "a tree after another process has evicted")
        try trial.expectMiss(
            try cache.read("Tree:2", as: Branch.self), .absent, "Tree:2", "a tree that nobody has pinned")
        try run("write")
        try PinProcess.flood(cache, from: 0, 400)
        try trial.expectHit(
            try cache.read("Tree:1", as: Branch.self), PinProcess.tree(1, round: 77), "what another process wrote")
        try trial.expectHit(
            try cache.read("Tree:0", as: Branch.self), trees[0], "a tree after both processes have evicted")
        let (bytes, entries) = try EvictionRules.stored(site)
        try trial.expectEqual(try EvictionRules.account(cache).0, bytes, "the bytes that both have counted")
        try trial.expectEqual(try EvictionRules.account(cache).1, entries, "the entries that both have counted")
        try cache.release("Tree:0", acrossReopening: true)
        try run("flood")
        try trial.expectMiss(
            try cache.read("Tree:0", as: Branch.self), .absent, "Tree:0", "a tree after its pin was taken back")
    }
}
