import GroveCache
import GroveModel

/// Programs that are killed at one call that writes: what is found afterwards, and whether it may be.
struct KillCheck {
    let process: ProgramProcess
    let trial: Trial

    init(_ trial: Trial) throws {
        self.trial = trial
        process = ProgramProcess(backend: trial.backend, library: try FaultLibrary())
    }

    /// How many calls `program` makes that change files.
    func calls(of program: RandomProgram) throws -> Int {
        let site = try trial.site()
        defer { site.remove() }
        let outcome = try process.run(program, in: try directory(of: site), .none)
        try trial.expectEqual(outcome.ending, .exited(0), "a program that nobody kills\(complaint(outcome))")
        try trial.expectEqual(outcome.dump ?? [], program.states().last ?? [], "its answers")
        try trial.expect(
            outcome.calls > program.commits / 2,
            "the calls that change files, counted from outside: expected some for each of \(program.commits) commits, "
                + "got \(outcome.calls).")
        return outcome.calls
    }

    /// Kills `program` at the call of that number, and checks what is left.
    ///
    /// - Parameter recoveries: at which call of the recovery it is killed as well, one after the other.
    /// - Returns: whether it was killed before its end.
    @discardableResult
    func kill(_ program: RandomProgram, at call: Int, recoveries: ClosedRange<Int>? = nil) throws -> Bool {
        let site = try trial.site()
        defer { site.remove() }
        let directory = try directory(of: site)
        let outcome = try process.run(program, in: directory, .kill(at: call))
        let wasKilled = outcome.ending == .signalled(9)
        try trial.expect(
            wasKilled || outcome.ending == .exited(0),
            "killed at call \(call): expected the kill or the end, got \(outcome.ending)\(complaint(outcome)).")
        for step in outcome.steps {
            try trial.expect(step == nil, "a step before the kill: expected it to succeed, got \(step ?? "").")
        }
        if let recoveries {
            for recovery in recoveries {
                let outcome = try process.run(RandomProgram([]), in: directory, .kill(at: recovery))
                if outcome.ending == .exited(0) { break }
                try trial.expectEqual(
                    outcome.ending, .signalled(9), "a recovery killed at call \(recovery)\(complaint(outcome))")
            }
        }
        try check(site, program, done: outcome.steps.count, "killed at call \(call) of seed \(trial.seed)")
        return wasKilled
    }

    /// Checks that what is left is what the model held after what was acknowledged, or after one of the steps since.
    private func check(_ site: any CacheSite, _ program: RandomProgram, done: Int, _ what: String) throws {
        let states = program.states()
        let run = try ProgramRun(site)
        let came = try run.dump(kinds: program.kind(ofList:))
        run.cache.close()
        let (first, last) = (program.acknowledged(done), min(done + 1, program.steps.count))
        let possible = states[first...last]
        guard !possible.contains(came) else { return try trial.expect(true, "") }
        let place = "\(what), \(done) of \(program.steps.count) steps done, \(first) acknowledged"
        if let earlier = states[..<first].lastIndex(of: came) {
            try trial.expect(
                false,
                "\(place): expected all \(first) to be there, got the state after step \(earlier).\(script(program))")
        }
        let nearest = possible.min { distance($0, came) < distance($1, came) } ?? []
        let difference = zip(nearest, came).first { $0 != $1 }
        let (wanted, found) = briefly(difference?.0 ?? "", difference?.1 ?? "")
        try trial.expect(
            false,
            "\(place): expected the state after one of the steps \(first) to \(last), whole, got a mixture: "
                + "\(found) where \(wanted) should be.\(script(program))")
    }

    private func script(_ program: RandomProgram) -> String {
        " The program: \(brief(program.steps.map(\.description).joined(separator: "; ")))."
    }

    private func distance(_ one: [String], _ other: [String]) -> Int { zip(one, other).count { $0 != $1 } }

    private func complaint(_ outcome: ProgramProcess.Outcome) -> String {
        outcome.complaint.isEmpty ? "" : " (\(outcome.complaint))"
    }

    func directory(of site: any CacheSite) throws -> String {
        guard let directory = site.directory else { throw CheckFailure("The store has no directory.") }
        return directory
    }
}

/// `count` numbers from 1 to `last`, spread evenly from a random start, or all where they are fewer.
func spread(_ count: Int, upTo last: Int, using generator: inout SeededGenerator) -> [Int] {
    guard last > count else { return Array(1...max(last, 1)) }
    let start = Int.random(in: 0..<last, using: &generator)
    return Set((0..<count).map { (start + $0 * last / count) % last + 1 }).sorted()
}
