import GroveCache
import GroveModel

/// DUR: what is left when processes are killed and calls fail.
enum DurabilityRules {
    static let all = [
        acknowledged, whole, large, prefix, powerLoss, fullDisk, limitedFile, smallDisk, reading, failedSync, recovery,
    ]

    private static let needs: Set<Capability> = [.persistent, .survivesCrash, .processes, .systemFaults]

    static let acknowledged = Rule(
        "DUR-01", "Flushed writes survive SIGKILL at every write call.",
        because: "The system ends applications without a word.", requires: needs, kills: ["acknowledges-early"],
        timeLimit: .seconds(240)
    ) { try kill($0, steps: 8, RandomProgram.Abilities(reopens: false, wipes: false, queues: false), points: .max) }

    static let whole = Rule(
        "DUR-02", "An interrupted tree is all there or not there.",
        because: "Half a tree was never written by anybody.", requires: needs, kills: ["splits-commits"],
        timeLimit: .seconds(240)
    ) { trial in
        var generator = trial.generator()
        var steps: [Step] = []
        for round in 0..<4 {
            let plans = (0..<4).map { Plan(kind: .person, number: $0, salt: round + 1) }
            let letters = plans.map { Plan(kind: .letter, number: $0.number, salt: 0, children: [$0]) }
            steps.append(.put(Plan(kind: .shelf, number: 0, salt: 0, children: [letters[round]] + letters)))
            steps.append(.list(1, .letter, letters.reversed()))
        }
        try kill(trial, RandomProgram(steps), points: 24, using: &generator)
    }

    static let large = Rule(
        "DUR-16", "An interrupted commit of 100, 5,200 or 40,000 models is all there or not there.",
        because: "A store that commits in pieces is whole only while nobody kills it.", requires: needs,
        kills: ["splits-at-30", "splits-at-5000", "splits-at-20000"], timeLimit: .seconds(240)
    ) { trial in
        var generator = trial.generator()
        // The answers show people 0 to 3 and the list: some of them come first in the commit, and some last.
        func list(_ count: Int, salt: Int) -> Step {
            let numbers = [0, 1] + Array(4..<count) + [2, 3]
            return .list(0, .person, numbers.map { Plan(kind: .person, number: $0, salt: salt) })
        }
        let program = RandomProgram([
            list(10, salt: 1), list(100, salt: 2), list(5_200, salt: 3), list(40_000, salt: 4),
        ])
        try kill(trial, program, points: 16, using: &generator)
    }

    static let prefix = Rule(
        "DUR-03", "What survives is a prefix of each caller's writes.",
        because: "An answer without its question makes no sense.", requires: needs, kills: ["acknowledges-early"],
        timeLimit: .seconds(240)
    ) { try kill($0, steps: 30, RandomProgram.Abilities(), points: 24) }

    static let powerLoss = Rule(
        "DUR-04", "Durable writes survive loss of unsynced data; others may vanish, never corrupt.",
        because: "A kill leaves what the system holds in memory; a loss of power takes any part of it.",
        requires: needs, kills: ["skips-syncs", "trusts-frames", "keeps-torn-tail"], timeLimit: .seconds(240)
    ) { trial in
        var generator = trial.generator()
        var check = try PowerLossCheck(trial)
        let torn = try check.tearWrites()
        for _ in 0..<300 { try check.losePower(using: &generator) }
        trial.note("\(300 + torn) losses of power, \(check.lost) commits lost that were not durable")
    }

    static let fullDisk = Rule(
        "DUR-05", "A failing write is a typed error, old data stays readable, and writes recover.",
        because: "Disks fill up, and are emptied again.", requires: needs, kills: ["ignores-failed-writes"],
        timeLimit: .seconds(240)
    ) { trial in
        try fail(trial) { check, program, generator in
            let calls = spread(20, upTo: try check.calls(of: program), using: &generator)
            return try calls.enumerated().reduce(0) { faults, call in
                let code = call.offset % 2 == 0 ? FaultCheck.noSpace : FaultCheck.inputOutput
                let count = call.offset % 3 == 0 ? 5 : 1
                return faults + (try check.fail(program, .fail(at: call.element, count: count, errno: code)))
            }
        }
    }

    static let limitedFile = Rule(
        "DUR-12", "A file that may not grow is a typed error, old data stays readable, and writes recover.",
        because: "Quotas cut a write short before they refuse one.", requires: needs, kills: ["ignores-failed-writes"],
        timeLimit: .seconds(240)
    ) { trial in
        try fail(trial) { check, program, _ in
            try [0, 1, 4_096, 10_000, 20_480, 40_000, 65_536, 100_001].reduce(0) { faults, size in
                faults + (try check.fail(program, .none, fileSize: size))
            }
        }
    }

    static let smallDisk = Rule(
        "DUR-13",
        "A disk that is full at any moment is a typed error or a miss, never a death, and everything works again.",
        because: "Disks fill up every day, also those of applications that only read.",
        requires: [.persistent, .processes, .smallDisk], kills: ["ignores-failed-writes"], timeLimit: .seconds(240)
    ) { trial in
        let counts = try fillDisk(trial, "full")
        trial.note("\(counts.disks) disks, \(counts.calls) calls refused")
    }

    static let reading = Rule(
        "DUR-17", "A store that exists opens on a full disk, and everything in it can be read.",
        because: "An application that cannot write should still show what it has.",
        requires: [.persistent, .survivesCrash, .processes, .smallDisk, .opensOnFullDisk],
        kills: ["rewrites-at-opening"], timeLimit: .seconds(60)
    ) { trial in
        let counts = try fillDisk(trial, "fullRead")
        trial.note("\(counts.disks) disks, \(counts.calls) models read on each")
    }

    /// Starts a process that does `job` on a small disk, and returns how many disks it filled and the calls it counted.
    private static func fillDisk(_ trial: Trial, _ job: String) throws -> (disks: Int, calls: Int) {
        guard let worker = trial.backend.worker else { throw CheckFailure("There is no worker process.") }
        let disk = try TemporaryDirectory.make()
        defer { TemporaryDirectory.remove(disk) }
        let child = try ChildProcess(try SmallDisk.command(worker, at: disk), [job, disk])
        let lines = child.lines(within: .seconds(200)).lines
        let place = lines.last { $0.hasPrefix("point\t") }?.dropFirst(6) ?? "before anything was filled"
        let wrong = lines.first { $0.hasPrefix("wrong\t") }?.dropFirst(6)
        try trial.expect(wrong == nil, "a disk, \(place): \(wrong ?? "")")
        let ending = child.wait()
        try trial.expect(
            ending == .exited(0), "a disk, \(place): expected the process to live, got \(ending) \(child.errorText)")
        let counts = lines.last?.split(separator: "\t").compactMap { Int($0) } ?? []
        try trial.expect(
            counts.count == 2 && counts[1] > 0, "a disk that is full: expected calls to be counted, got \(counts).")
        return (counts[0], counts[1])
    }

    static let failedSync = Rule(
        "DUR-08", "A failed fsync is never success.",
        because: "After it the system may drop what it could not write, and say nothing again.", requires: needs,
        kills: ["ignores-failed-syncs"], timeLimit: .seconds(240)
    ) { trial in
        let check = try FaultCheck(trial)
        var faults = 0
        for call in 1...24 { faults += try check.failSync(at: call) }
        try trial.expect(faults > 0, "the calls that wait for the disk: expected some to fail, and none did.")
    }

    static let recovery = Rule(
        "DUR-09", "A crash during recovery recovers.",
        because: "What crashed once crashes again, often while it starts.", requires: needs,
        kills: ["rewrites-in-place"], timeLimit: .seconds(240)
    ) { trial in
        var generator = trial.generator()
        let program = writing(10, RandomProgram.Abilities(reopens: false, queues: false), using: &generator)
        try kill(trial, program, points: 8, recoveries: 1...6, using: &generator)
    }

    private static func kill(_ trial: Trial, steps: Int, _ abilities: RandomProgram.Abilities, points: Int) throws {
        var generator = trial.generator()
        let program = writing(steps, abilities, using: &generator)
        try kill(trial, program, points: points, using: &generator)
    }

    /// A random program that commits something in every fourth step or more: one that only reads is nothing to kill.
    private static func writing(
        _ steps: Int, _ abilities: RandomProgram.Abilities, using generator: inout SeededGenerator
    ) -> RandomProgram {
        while true {
            let program = RandomProgram.forProcess(steps, abilities, using: &generator)
            if program.commits * 4 >= steps { return program }
        }
    }

    /// Kills `program` at as many of its calls, one run for each.
    private static func kill(
        _ trial: Trial, _ program: RandomProgram, points: Int, recoveries: ClosedRange<Int>? = nil,
        using generator: inout SeededGenerator
    ) throws {
        let check = try KillCheck(trial)
        var kills = 0
        for call in spread(points, upTo: try check.calls(of: program), using: &generator) {
            if try check.kill(program, at: call, recoveries: recoveries) { kills += 1 }
        }
        try trial.expect(kills > 0, "the kills: expected some before the program's end, got none.")
    }

    /// Lets calls of one random program fail as `body` says, which counts them.
    private static func fail(
        _ trial: Trial, _ body: (FaultCheck, RandomProgram, inout SeededGenerator) throws -> Int
    ) throws {
        var generator = trial.generator()
        let program = FaultCheck.program(12, using: &generator)
        let faults = try body(try FaultCheck(trial), program, &generator)
        try trial.expect(faults > 0, "the faults: expected some calls to fail, and none did.")
    }
}
