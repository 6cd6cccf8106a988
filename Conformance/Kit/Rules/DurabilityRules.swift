import GroveCache
import GroveModel

/// DUR: what is left when processes are killed and calls fail.
enum DurabilityRules {
    static let all = [acknowledged, whole, prefix, recovery]

    private static let needs: Set<Capability> = [.persistent, .survivesCrash, .processes, .systemFaults]

    static let acknowledged = Rule(
        "DUR-01", "Flushed writes survive SIGKILL at every write call.",
        because: "The system ends applications without a word.", requires: needs, timeLimit: .seconds(240)
    ) { try kill($0, steps: 16, Program.Abilities(reopens: false, wipes: false, queues: false), points: 40) }

    static let whole = Rule(
        "DUR-02", "An interrupted tree is all there or not there.",
        because: "Half a tree was never written by anybody.", requires: needs, timeLimit: .seconds(240)
    ) { trial in
        var generator = trial.generator()
        var steps: [Step] = []
        for round in 0..<4 {
            let plans = (0..<4).map { Plan(kind: .person, number: $0, salt: round + 1) }
            let letters = plans.map { Plan(kind: .letter, number: $0.number, salt: 0, children: [$0]) }
            steps.append(.put(Plan(kind: .shelf, number: 0, salt: 0, children: [letters[round]] + letters)))
            steps.append(.list(1, .letter, letters.reversed()))
        }
        let program = Program(steps)
        let check = try KillCheck(trial)
        var kills = 0
        for call in spread(40, upTo: try check.calls(of: program), using: &generator) {
            if try check.kill(program, at: call) { kills += 1 }
        }
        try trial.expect(kills > 0, "the kills: expected some before the program's end, got none.")
    }

    static let prefix = Rule(
        "DUR-03", "What survives is a prefix of each caller's writes.",
        because: "An answer without its question makes no sense.", requires: needs, timeLimit: .seconds(240)
    ) { try kill($0, steps: 30, Program.Abilities(), points: 40) }

    static let recovery = Rule(
        "DUR-09", "A crash during recovery recovers.",
        because: "What crashed once crashes again, often while it starts.", requires: needs, timeLimit: .seconds(240)
    ) { trial in
        var generator = trial.generator()
        let program = Program.forProcess(10, Program.Abilities(reopens: false, queues: false), using: &generator)
        let check = try KillCheck(trial)
        var kills = 0
        for call in spread(8, upTo: try check.calls(of: program), using: &generator) {
            if try check.kill(program, at: call, recoveries: 1...6) { kills += 1 }
        }
        try trial.expect(kills > 0, "the kills: expected some before the program's end, got none.")
    }

    private static func kill(_ trial: Trial, steps: Int, _ abilities: Program.Abilities, points: Int) throws {
        var generator = trial.generator()
        let program = Program.forProcess(steps, abilities, using: &generator)
        let check = try KillCheck(trial)
        var kills = 0
        for call in spread(points, upTo: try check.calls(of: program), using: &generator) {
            if try check.kill(program, at: call) { kills += 1 }
        }
        try trial.expect(kills > 0, "the kills: expected some before the program's end, got none.")
    }
}
