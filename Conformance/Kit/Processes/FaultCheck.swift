import GroveCache
import GroveModel
import GrovePlatform

/// Programs some of whose system calls fail: what they are told, and what is there afterwards.
struct FaultCheck {
    static let noSpace = ENOSPC
    static let inputOutput = EIO

    let process: ProgramProcess
    let trial: Trial

    init(_ trial: Trial) throws {
        self.trial = trial
        process = ProgramProcess(backend: trial.backend, library: try FaultLibrary())
    }

    /// A random program of calls that wait, and at its end some that must succeed again.
    ///
    /// Those at the end write what no random call does, so that each of them changes files.
    static func program(_ count: Int, using generator: inout SeededGenerator) -> RandomProgram {
        var program = RandomProgram.forProcess(
            count, RandomProgram.Abilities(reopens: false, wipes: false, queues: false), using: &generator)
        program.steps += (0..<8).map { .put(Plan(kind: .person, number: $0 % 4, salt: Plan.mostSalt + 1 + $0)) }
        return program
    }

    /// How many calls change files while `program` runs.
    func calls(of program: RandomProgram) throws -> Int {
        let site = try trial.site()
        defer { site.remove() }
        return try process.run(program, in: site.directory ?? "", .none).calls * 2 / 3
    }

    /// Runs `program` under `fault`, and checks what it was told and what is there.
    ///
    /// - Returns: how many calls failed, or how many steps where a file's size was limited.
    func fail(_ program: RandomProgram, _ fault: FaultLibrary.Fault, fileSize: Int = -1) throws -> Int {
        let site = try trial.site()
        defer { site.remove() }
        let outcome = try process.run(program, in: site.directory ?? "", fault, fileSize: fileSize)
        let what = "\(fault), seed \(trial.seed)" + (fileSize < 0 ? "" : ", files of at most \(fileSize) bytes")
        let failures = outcome.steps.enumerated().filter { $0.element != nil }
        let story =
            " Steps that failed: \(failures.map { "\($0.offset + 1) \($0.element ?? "")" }), openings "
            + "\(outcome.openings). The program: \(program.steps.map(\.description).joined(separator: "; "))."
        try trial.expect(
            outcome.ending == .exited(0),
            "\(what): expected the process to end by itself, got \(outcome.ending) \(outcome.complaint).\(story)")
        let allowed = ["full", "inputOutput", "corrupted", "locked"]
        for code in outcome.openings + outcome.steps.compactMap(\.self) {
            try trial.expect(
                allowed.contains(code), "\(what): expected one of the errors \(allowed), got \(code).\(story)")
        }
        // A limit on files stays: the write that is the first to meet it has none behind it when it is the last.
        let isLimitMetLast = fileSize >= 0 && failures.map(\.offset) == [program.steps.count - 1]
        try trial.expect(
            outcome.steps.count == program.steps.count && (outcome.steps.last == .some(nil) || isLimitMetLast),
            "\(what): expected the last write to succeed again, got \((outcome.steps.last ?? nil) ?? "nothing").\(story)"
        )
        let skipped = Set(failures.map(\.offset))
        let expected = program.states(skipping: skipped).last ?? []
        try expectEqual(outcome.dump ?? [], expected, "\(what), in the process", story)
        let run = try ProgramRun(site)
        let came = try run.dump(kinds: program.kind(ofList:))
        run.cache.close()
        try expectEqual(came, expected, "\(what), after reopening", story)
        return fileSize < 0 ? outcome.failed : failures.count + outcome.openings.count
    }

    private func expectEqual(_ came: [String], _ expected: [String], _ what: String, _ story: String) throws {
        let difference = zip(expected, came).first { $0 != $1 }
        try trial.expect(
            came == expected,
            "\(what): expected what succeeded and nothing else, so \(difference?.0 ?? "answers"), "
                + "got \(difference?.1 ?? "none").\(story)")
    }

    /// Lets the call of that number that waits for the disk fail, and the next, on the bare store.
    ///
    /// - Returns: how many failed while the store wrote and synchronized.
    func failSync(at call: Int) throws -> Int {
        guard let worker = trial.backend.worker else { throw CheckFailure("There is no worker.") }
        let site = try trial.site()
        defer { site.remove() }
        let log = try process.library.makeLog()
        let fault = FaultLibrary.Fault.failSync(at: call, count: 1 + call % 2, errno: EIO)
        let child = try ChildProcess(
            worker, ["sync", site.directory ?? "", log], environment: process.library.environment(fault, log: log))
        let (lines, _) = child.lines(within: .seconds(60))
        try trial.expect(
            child.wait() == .exited(0), "\(fault): expected the process to end by itself, got \(child.errorText)")
        var faults = 0
        for line in lines {
            let parts = line.split(separator: "\t").map(String.init)
            guard parts.count == 4, let failed = Int(parts[3]), failed > 0 else { continue }
            faults += failed
            try trial.expect(
                parts[1] != "-" || parts[2] != "-",
                "a write and synchronize() while fsync failed (\(fault)): expected an error of one, got success of both."
            )
        }
        return faults
    }
}
