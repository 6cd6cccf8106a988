import GroveCache
import GroveModel

/// Pins and processes that end without a word, and those that share a store.
extension PinRules {
    static let killed = Rule(
        "EVC-15", "A kill at any moment loses no node that a persistent pin holds, and accounts equal a recount.",
        because: "What an application needs to start must be there when it starts.",
        requires: [.persistent, .survivesCrash, .processes, .typedCalls, .storedBytes],
        kills: ["acknowledges-early", "forgets-pins"], timeLimit: .seconds(240)
    ) { trial in
        guard let worker = trial.backend.worker else { return }
        var generator = trial.generator()
        var (kills, seen) = (0, 0)
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
                kills += 1
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
        trial.note("\(kills) kills, \(seen) lines of what was done before them")
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
        requires: [.multiProcess, .processes, .typedCalls, .storedBytes], kills: ["pins-for-itself"],
        timeLimit: .seconds(120)
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
