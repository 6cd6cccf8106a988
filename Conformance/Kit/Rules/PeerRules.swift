import GroveCache
import GroveModel

/// LIF: openings without end, and other processes.
enum PeerRules {
    static let all = [cycles, second, killed]

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
                    lines.contains("answer\tperson1: \(person.answer)"),
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
