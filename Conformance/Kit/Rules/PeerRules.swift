import GroveCache
import GroveModel

/// LIF: openings without end, and other processes; COL-15, what two of them do to one list.
enum PeerRules {
    static let all = [cycles, second, killed, edits]

    static let cycles = Rule(
        "LIF-03", "1,000 open/close cycles leak no descriptor and no thread.",
        because: "An application that runs for weeks opens its caches often.",
        requires: [.persistent, .processes, .close, .reopen], kills: ["leaks-descriptors"], timeLimit: .seconds(240)
    ) { trial in
        guard let worker = trial.backend.worker else { return }
        let directory = try TemporaryDirectory.makeFast()
        defer { TemporaryDirectory.remove(directory) }
        let child = try ChildProcess(worker, ["cycle", directory, "1000"])
        let lines = child.lines(within: .seconds(200)).lines.filter { $0.hasPrefix("open\t") }
        try trial.expectEqual(child.wait(), .exited(0), "the process that opens and closes (\(child.errorText))")
        let counts = lines.map { $0.split(separator: "\t").compactMap { Int($0) } }
        guard counts.count == 2, counts.allSatisfy({ $0.count == 2 }) else {
            throw CheckFailure("the process that opens and closes: expected two counts, got \(lines).")
        }
        // Dispatch keeps some threads for a while.
        try trial.expect(
            counts[1][0] <= counts[0][0] + 3,
            "descriptors after 1,000 cycles: expected \(counts[0][0]), got \(counts[1][0]).")
        try trial.expect(
            counts[1][1] <= counts[0][1] + 16,
            "threads after 1,000 cycles: expected \(counts[0][1]), got \(counts[1][1]).")
    }

    static let second = Rule(
        "LIF-06", "A second process sees commits, or is told `.locked` promptly.",
        because: "Extensions run beside their application.", requires: [.persistent, .processes],
        kills: ["takes-no-lock"], timeLimit: .seconds(60)
    ) { trial in
        guard let worker = trial.backend.worker else { return }
        let site = try trial.site()
        let cache = try site.open()
        for round in 1...3 {
            guard let plan = Plan("person1=\(round)"), let person = Person(plan) else { return }
            try cache.write(person)
            let start = ContinuousClock.now
            let child = try ChildProcess(worker, ["look", site.directory ?? ""])
            let lines = child.lines(within: .seconds(30)).lines
            try trial.expectEqual(child.wait(), .exited(0), "the second process (\(child.errorText))")
            if trial.profile.isMultiProcess {
                try trial.expect(
                    lines.contains("answer\tget person 1: \(person.answer)"),
                    "what a second process reads: expected \(person.answer), got \(brief(lines)).")
            } else {
                try trial.expectEqual(lines, ["opening\tlocked"], "what a second process is told")
                try trial.expect(
                    ContinuousClock.now - start < .seconds(10), "the answer to a second process: expected it promptly.")
            }
            try trial.expectHit(
                try cache.read("person1", as: Person.self), person, "what the first process reads afterwards")
        }
        guard trial.profile.isMultiProcess else { return }
        let holder = try ChildProcess(worker, ["hold", site.directory ?? ""])
        try trial.expectEqual(holder.nextLine(within: .seconds(30)), .line("holding"), "a second process that writes")
        try trial.expectHit(
            try cache.read("peer", as: Person.self), Person(id: "peer", age: 1), "what a second process wrote")
    }

    static let edits = Rule(
        "COL-15", "Two processes that edit one list lose no element, and each one's are in its order.",
        because: "An extension adds a message while its application loads a page.",
        requires: [.persistent, .processes, .typedCalls, .multiProcess], kills: ["edits-what-it-read"],
        timeLimit: .seconds(120)
    ) { trial in
        guard let worker = trial.backend.worker else { return }
        let site = try trial.site()
        let cache = try site.open()
        let first = (0..<100).map { Person(id: "first:\($0)") }
        try cache.writeCollection(first, forKey: "all")
        let names = ["one", "two"]
        let children = try names.map { try ChildProcess(worker, ["edit", site.directory ?? "", $0, "\(rounds)"]) }
        for child in children {
            try trial.expectEqual(
                child.nextLine(within: .seconds(30)), .line("ready"), "a process that edits (\(child.errorText))")
        }
        for child in children { child.send("go") }
        for child in children {
            try trial.expectEqual(
                child.nextLine(within: .seconds(60)), .line("done"), "a process that edits (\(child.errorText))")
            try trial.expectEqual(child.wait(), .exited(0), "a process that has edited (\(child.errorText))")
        }
        guard case .hit(let read) = try cache.readCollection("all", as: Person.self) else {
            throw CheckFailure("the list that two processes edited: expected it, got a miss.")
        }
        let found = read.values.map(\.id)
        for name in names {
            // What is inserted in front comes out backwards.
            let own = found.filter { $0.hasPrefix(name) }
            let expected =
                (0..<rounds).reversed().map { "\(name):front:\($0)" }
                + (0..<rounds).flatMap { ["\(name):back:\($0)", "\(name):next:\($0)"] }
            let difference = zip(own, expected).first { $0 != $1 }
            try trial.expect(
                own == expected,
                "what process \(name) put into the list: expected its \(expected.count) elements in its order, got "
                    + "\(own.count)\(difference.map { ", and \($0) where \($1) should be" } ?? "").")
        }
        try trial.expectEqual(
            found.filter { $0.hasPrefix("first") }, first.map(\.id), "what was in the list before")
        try trial.expectEqual(found.count, 100 + 2 * 3 * rounds, "how many elements the list has")
    }

    /// Edits at each end of the list, by each process.
    private static let rounds = 60

    static let killed = Rule(
        "LIF-07", "A SIGKILLed peer leaves no lasting lock or reader slot, and no growth.",
        because: "The system ends applications without a word, and their peers go on.",
        requires: [.persistent, .processes], kills: ["locks-by-file", "never-compacts"], timeLimit: .seconds(120)
    ) { trial in
        guard let worker = trial.backend.worker else { return }
        let site = try trial.site()
        let directory = site.directory ?? ""
        func holder() throws -> ChildProcess {
            let child = try ChildProcess(worker, ["hold", directory])
            try trial.expectEqual(child.nextLine(within: .seconds(30)), .line("holding"), "a peer (\(child.errorText))")
            return child
        }
        // A store that does not survive a kill may have lost everything, and nothing else.
        func expectPeer(_ read: CacheRead<Person>, _ what: String) throws {
            guard trial.profile.survivesCrash || read.value != nil else {
                return try trial.expectMiss(read, .absent, "peer", what)
            }
            try trial.expectHit(read, Person(id: "peer", age: 1), what)
        }
        func grow(_ cache: any ConformanceCache) throws {
            for round in 0..<100 {
                try cache.write(Person(id: "large", name: String(repeating: "\(round % 10)", count: 200_000)))
            }
        }
        for _ in 0..<3 {
            let child = try holder()
            child.kill()
            child.wait()
        }
        let cache = try site.open()
        try expectPeer(try cache.read("peer", as: Person.self), "what a killed peer wrote")
        if trial.profile.isMultiProcess {
            let child = try holder()
            child.kill()
            child.wait()
        }
        try grow(cache)
        let size = try cache.size().bytesOnDisk
        try trial.expect(
            size < 16 << 20, "a store of 200 KB rewritten a hundred times: expected less than 16 MB, got \(size) bytes."
        )
        cache.close()
        let child = try holder()
        child.kill()
        child.wait()
        try expectPeer(try site.open().read("peer", as: Person.self), "a store whose peer was killed")
    }
}
