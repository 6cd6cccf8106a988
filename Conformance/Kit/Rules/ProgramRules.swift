import GroveCache
import GroveModel

/// MBT: random programs beside a model.
enum ProgramRules {
    static let all = [exact, faulty, same, forgetful]

    /// How many programs a rule runs; a soak runs more.
    static let count = 25

    static let exact = Rule(
        "MBT-01", "Random programs agree exactly with a dictionary of node fields, where nothing is evicted.",
        because: "Whoever wrote the rules thought of some orders of calls, and users find the others.",
        requires: [.typedCalls, .flush, .reopen, .wipe],
        kills: [
            "first-write-wins", "delete-forgotten", "remembers-answers", "swaps-writes", "inserts-behind",
            "appends-in-front", "replaces-one-less", "removes-one-less", "pages-of-what-shows",
            "counts-what-shows", "keeps-listed", "deletes-all-but-one", "lists-all-but-one", "transaction-in-pieces",
            "transaction-runs-twice",
        ], timeLimit: .seconds(120)
    ) { try check($0, RandomProgram.Abilities(fills: true)) }

    static let faulty = Rule(
        "MBT-02", "Random programs agree with the model also where writes fail in between.",
        because: "What failed must leave nothing behind that a later write brings to light.",
        requires: [.typedCalls, .flush, .reopen, .wipe, .faults], kills: ["swallows-failures", "abort-commits"],
        timeLimit: .seconds(120)
    ) { try check($0, RandomProgram.Abilities(fails: true, fills: true)) }

    static let forgetful = Rule(
        "MBT-04", "With evictions every answer is the model's value or a miss, and nothing else.",
        because: "A cache may forget; it may not make things up.",
        requires: [.typedCalls, .flush, .reopen, .wipe, .evict], kills: ["delete-forgotten"],
        timeLimit: .seconds(120)
    ) { try check($0, RandomProgram.Abilities(evicts: true, deletesKinds: false)) }

    static let same = Rule(
        "MBT-03",
        "The same program gives the same answers as on the plainest store there is, reasons and changes included.",
        because: "Whoever changes the backend should notice nothing but the speed.",
        requires: [.typedCalls, .flush, .wipe, .evict],
        kills: ["changes-nothing", "gives-no-reason", "remove-forgotten"], timeLimit: .seconds(120)
    ) { trial in
        var generator = trial.generator()
        for _ in 0..<count {
            let program = RandomProgram.random(
                40, RandomProgram.Abilities(evicts: true, fails: true, reopens: false, fills: true), using: &generator)
            func difference(_ program: RandomProgram) throws -> String? {
                let (site, plain) = (try trial.backend.makeSite(), try StoreBackend(PlainHarness()).makeSite())
                defer { for place in [site, plain] { place.remove() } }
                let came = try ProgramCheck.transcript(of: program, on: site)
                let expected = try ProgramCheck.transcript(of: program, on: plain)
                for (came, expected) in zip(came, expected) where came != expected {
                    return "a program: expected as on the plain store \(brief(expected)), got \(brief(came))."
                }
                return nil
            }
            try report(try difference(program), program, trial, difference)
        }
    }

    private static func check(_ trial: Trial, _ abilities: RandomProgram.Abilities) throws {
        var generator = trial.generator()
        for _ in 0..<count {
            let program = RandomProgram.random(60, abilities, using: &generator)
            func failure(_ program: RandomProgram) throws -> String? {
                try ProgramCheck.failure(of: program, on: trial.backend)
            }
            try report(try failure(program), program, trial, failure)
        }
    }

    /// Where a program failed, looks for the shortest that does, and says it.
    private static func report(
        _ failure: String?, _ program: RandomProgram, _ trial: Trial, _ again: (RandomProgram) throws -> String?
    ) throws {
        guard var sentence = failure else { return try trial.expect(true, "") }
        let shortest = try program.shrunk {
            guard let failure = try again($0) else { return false }
            sentence = failure
            return true
        }
        try trial.expect(false, ProgramCheck.sentence(sentence, shortest, trial.backend))
    }
}
