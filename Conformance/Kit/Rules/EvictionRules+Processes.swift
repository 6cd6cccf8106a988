import GroveCache
import GroveModel

/// What processes do to a budget: one that is killed, and two that write to one store.
extension EvictionRules {
    static let killedWithin = Rule(
        "EVC-22",
        "A kill at any write call of a process that evicts leaves whole trees, a true account, and what was committed.",
        because: "An eviction and the write that needs it are one commit, or one of them is lost.",
        requires: needs.union([.persistent, .survivesCrash, .processes, .systemFaults]), kills: ["counts-from-opening"],
        timeLimit: .seconds(240)
    ) { trial in
        let full = try trial.site()
        try fill(full)
        let library = try FaultLibrary()
        var generator = trial.generator()
        let calls = try run(trial, full, library, .none).calls
        var kills = 0
        for call in spread(48, upTo: calls, using: &generator) {
            let ending = try run(trial, full, library, .kill(at: call)).ending
            if ending == .signalled(9) { kills += 1 }
        }
        try trial.expect(kills > 0, "the kills: expected some before the process's end, got none.")
        trial.note("\(kills) kills, \(calls) write calls")
    }

    /// Fills a store until records go.
    private static func fill(_ site: any CacheSite) throws {
        let cache = try site.open(budget: CacheBudget(bytes: budget))
        for batch in 0..<70 {
            _ = try cache.write(contentsOf: people(batch * 100..<(batch + 1) * 100, nameCount: 900))
        }
        guard try cache.usage().evictions > 0 else { throw CheckFailure("A full store: expected evictions, got none.") }
        cache.close()
    }

    /// Runs a process on a copy of `full` under `fault`, and checks what it leaves.
    private static func run(
        _ trial: Trial, _ full: any CacheSite, _ library: FaultLibrary, _ fault: FaultLibrary.Fault
    ) throws -> (ending: ChildProcess.Ending, calls: Int) {
        let site = try trial.site()
        defer { site.remove() }
        guard let worker = trial.backend.worker, let from = full.directory, let directory = site.directory else {
            throw CheckFailure("The store has no directory.")
        }
        try TemporaryDirectory.copy(from, directory)
        let log = try library.makeLog()
        defer { TemporaryDirectory.remove(log) }
        let rounds = 4
        let child = try ChildProcess(
            worker, ["budget", directory, "one", "\(rounds)"], environment: library.environment(fault, log: log))
        for _ in 0..<rounds { child.send("go") }
        let lines = child.lines(within: .seconds(60)).lines
        let ending = child.wait()
        var what = "after a process's end"
        if case .kill(let call) = fault { what = "after a kill at call \(call)" }
        try trial.expect(
            ending == .signalled(9) || ending == .exited(0) && lines.last == "done",
            "\(what): expected the kill or the end, got \(ending), \(brief(lines)) (\(child.errorText)).")
        let cache = try site.open(budget: CacheBudget(bytes: budget))
        defer { cache.close() }
        try expectCounted(cache, site, trial, what)
        let last = lines.compactMap { Int($0) }.last ?? -1
        try expectTrees(of: "one", cache, trial, committed: last, last: last + 1, what)
        for batch in 0..<3 {
            _ = try cache.write(contentsOf: people(20_000 + batch * 40..<20_040 + batch * 40, nameCount: 900))
        }
        try trial.expectHit(try cache.read("Person:20119", as: Person.self), "a node that was written \(what)")
        try expectWithin(cache, site, trial, what)
        return (ending, FaultLibrary.counts(log).calls)
    }

    private static func expectCounted(
        _ cache: any ConformanceCache, _ site: any CacheSite, _ trial: Trial, _ what: String
    ) throws {
        let (counted, found) = (try account(cache), try stored(site))
        try trial.expectEqual(counted.0, found.bytes, "the bytes that are counted \(what)")
        try trial.expectEqual(counted.1, found.entries, "the entries that are counted \(what)")
    }

    private static func expectWithin(
        _ cache: any ConformanceCache, _ site: any CacheSite, _ trial: Trial, _ what: String
    ) throws {
        let size = try bytes(of: cache, site)
        try trial.expect(size <= budget, "the bytes on disk \(what): expected at most \(budget), got \(size).")
    }

    /// Checks that each tree of process `name` is whole and not older than it may be, or has gone, but for the newest.
    ///
    /// - Parameters:
    ///   - committed: the last round that is committed for certain; -1 for none.
    ///   - last: the last that may be.
    private static func expectTrees(
        of name: String, _ cache: any ConformanceCache, _ trial: Trial, committed: Int, last: Int, _ what: String
    ) throws {
        for place in 0..<BudgetProcess.places {
            let newest = BudgetProcess.tree(name, place)
            let read = try cache.read(ModelIdentifier(newest.id), as: Branch.self)
            guard let tree = read.value else {
                try trial.expect(
                    committed < 0 || place != committed % BudgetProcess.places,
                    "the tree of round \(committed) \(what): expected it, got \(brief(read)).")
                continue
            }
            let least = (0...max(committed, 0)).last { $0 <= committed && $0 % BudgetProcess.places == place } ?? 0
            try trial.expect(
                tree.label >= least && tree.label <= last && tree == BudgetProcess.tree(name, tree.label),
                "tree \(place) \(what): expected that of a round from \(least) to \(last), whole, got \(brief(tree)).")
        }
    }

    static let shared = Rule(
        "EVC-23",
        "Two processes that evict from one store keep within the budget, count all of it, and keep what each wrote last.",
        because: "An extension and its application have one disk.",
        requires: needs.union([.persistent, .processes, .multiProcess]), kills: ["counts-its-own"],
        timeLimit: .seconds(240)
    ) { trial in
        guard let worker = trial.backend.worker else { return }
        let site = try trial.site()
        try fill(site)
        let cache = try site.open(budget: CacheBudget(bytes: budget))
        let names = ["one", "two"]
        let rounds = 60
        let children = try names.map { try ChildProcess(worker, ["budget", site.directory ?? "", $0, "\(rounds)"]) }
        func expectLine(_ line: String, of child: ChildProcess) throws {
            try trial.expectEqual(
                child.nextLine(within: .seconds(60)), .line(line), "a process that evicts (\(child.errorText))")
        }
        for child in children { try expectLine("ready", of: child) }
        for round in 0..<rounds {
            for child in children { child.send("go") }
            for (name, child) in zip(names, children) {
                try expectLine("\(round)", of: child)
                try expectTrees(
                    of: name, cache, trial, committed: round, last: round, "beside another process that evicts")
            }
            try expectWithin(cache, site, trial, "beside round \(round) of two processes")
        }
        for child in children {
            try expectLine("done", of: child)
            try trial.expectEqual(child.wait(), .exited(0), "a process that has evicted (\(child.errorText))")
        }
        try expectCounted(cache, site, trial, "after two processes evicted")
        let (left, least) = (try stored(site).bytes, Int(Double(budget) * trial.profile.livePayloadShare / 2))
        try trial.expect(left >= least, "what two processes leave: expected at least \(least) bytes, got \(left).")
        // This one goes on within the same budget.
        for batch in 0..<20 {
            _ = try cache.write(contentsOf: people(20_000 + batch * 40..<20_040 + batch * 40, nameCount: 900))
            try expectWithin(cache, site, trial, "after batch \(batch) of a third process")
        }
        try expectCounted(cache, site, trial, "after a third process evicted")
    }
}
