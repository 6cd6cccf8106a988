import GroveCache
import GroveModel

/// LIF: a process that holds a lock and does not go on, and one that forks.
enum StoppedPeerRules {
    static let all = [stopped, forked]

    /// Far above twice what the harness has its impatient cache wait, and what a slow machine needs.
    private static let limit = Duration.seconds(20)

    static let stopped = Rule(
        "LIF-11",
        "While a process that writes is stopped, every call of another one ends: writes with `locked`, however many wait, and reads as ever.",
        because:
            "A debugger, a system that lets an application sleep and a disk that hangs stop a process where it stands.",
        requires: [.persistent, .processes, .multiProcess, .suspend, .flush], kills: ["tries-locks-on"],
        timeLimit: .seconds(120)
    ) { trial in
        guard let worker = trial.backend.worker else { return }
        let site = try trial.site()
        let cache = try site.openImpatient()
        for identifier in ["Person:1", "Person:2"] { try cache.write(Person(id: identifier, age: 1)) }
        let peer = try ChildProcess(worker, ["stall", site.directory ?? ""])
        try trial.expectEqual(
            peer.nextLine(within: .seconds(30)), .line("writing"), "a process that writes (\(peer.errorText))")
        peer.stop()

        try expectEnd(trial, "a write") {
            try trial.expectError(.locked, from: "a write") { try cache.write(Person(id: "Person:1", age: 2)) }
        }
        try expectEnd(trial, "a transaction") {
            try trial.expectError(.locked, from: "a transaction") {
                try cache.transact { transaction in try transaction.write(contentsOf: [Person(id: "Person:1", age: 3)])
                }
            }
        }
        try trial.expectHit(
            try cache.read("Person:1", as: Person.self), Person(id: "Person:1", age: 1), "what could not be replaced")
        try expectEnd(trial, "a flush of thirty calls") {
            set(cache)
            try trial.expectError(.locked, from: "a flush") { try cache.flush() }
        }
        try trial.expectMiss(
            try cache.read("Person:2", as: Person.self), nil, nil, "what was set anew and could not be stored")
        try expectEnd(trial, "a suspension") {
            set(cache)
            try cache.suspend()
        }
        try expectEnd(trial, "a resumption") { try cache.resume() }
        try expectEnd(trial, "a closing") {
            set(cache)
            cache.close()
        }

        peer.goOn()
        peer.send("end")
        try trial.expectEqual(peer.wait(), .exited(0), "the process that goes on (\(peer.errorText))")
        let later = try site.open()
        try later.write(Person(id: "Person:1", age: 4))
        try trial.expectHit(
            try later.read("Person:1", as: Person.self), Person(id: "Person:1", age: 4), "what is written afterwards")
    }

    static let forked = Rule(
        "LIF-12", "In a child made by `fork` every call is told `unsupported` and does nothing; its parent goes on.",
        because:
            "Engines' locks and threads do not come along, and a child that uses them damages the store or stands still.",
        requires: [.persistent, .processes], kills: ["answers-in-children"], timeLimit: .seconds(60)
    ) { trial in
        guard let worker = trial.backend.worker else { return }
        let site = try trial.site()
        let process = try ChildProcess(worker, ["fork", site.directory ?? ""])
        let lines = process.lines(within: .seconds(40)).lines
        try trial.expectEqual(process.wait(), .exited(0), "the process that forks (\(process.errorText))")
        try trial.expectEqual(
            lines,
            [
                "read\tunsupported", "write\tunsupported", "opening\tunsupported", "close\tdone", "child\t0",
                "parent\t3",
            ],
            "what a child made by fork is told, and its parent")
    }

    /// Thirty calls whose caller is not told how they end.
    private static func set(_ cache: any ConformanceCache) {
        for number in 1...30 {
            let identifier = "Person:\(number + 1)"
            cache.setModel(Person(id: identifier, age: -1), forKey: identifier, context: nil)
        }
    }

    private static func expectEnd(_ trial: Trial, _ what: String, _ body: () throws -> Void) throws {
        let start = ContinuousClock.now
        try body()
        let duration = ContinuousClock.now - start
        try trial.expect(
            duration < limit,
            "\(what) beside a process that is stopped: expected an end soon, got one after \(duration).")
    }
}
