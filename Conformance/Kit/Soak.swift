import GroveModel

/// Random programs, kills and faults for as long as one likes.
public struct Soak: Sendable {
    /// What a soak tried on one backend, and what it found.
    public struct Tally: Sendable {
        /// The backend's name.
        public let backend: String
        /// Programs that ran beside the model.
        public var programs = 0
        /// Processes that were killed at a call that changes a file.
        public var kills = 0
        /// System calls that were made to fail.
        public var faults = 0
        /// What was not as it must be, each with its seed and its program.
        public var lies: [String] = []
    }

    private let backends: [any ConformanceBackend]
    private let seed: UInt64

    /// Makes a soak of `backends`; the same seed tries the same in the same order.
    public init(_ backends: [any ConformanceBackend], seed: UInt64) {
        self.backends = backends
        self.seed = seed
    }

    /// Soaks all backends in turn until `duration` is over.
    ///
    /// - Parameter progress: told of the tallies after each round.
    public func run(for duration: Duration, progress: ([Tally]) -> Void = { _ in }) throws -> [Tally] {
        let end = ContinuousClock.now + duration
        var tallies = backends.map { Tally(backend: $0.name) }
        var round: UInt64 = 0
        while ContinuousClock.now < end {
            for (index, backend) in backends.enumerated() {
                let seed = seed &+ round
                let trial = Trial("SOAK", on: backend, seed: seed)
                defer { trial.finish() }
                do {
                    try self.round(round &+ UInt64(index), trial, end, &tallies[index])
                } catch let failure as CheckFailure {
                    tallies[index].lies.append("\(backend.name), seed \(seed): \(failure)")
                } catch let error as CacheError {
                    tallies[index].lies.append("\(backend.name), seed \(seed): an error, \(error)")
                }
            }
            round += 1
            progress(tallies)
        }
        return tallies
    }

    private func round(
        _ round: UInt64, _ trial: Trial, _ end: ContinuousClock.Instant, _ tally: inout Tally
    ) throws {
        var generator = trial.generator()
        for _ in 0..<20 {
            var abilities = Program.Abilities(fails: Bool.random(using: &generator))
            abilities.evicts = Bool.random(using: &generator)
            let program = Program.random(Int.random(in: 5...80, using: &generator), abilities, using: &generator)
            tally.programs += 1
            guard let failure = try ProgramCheck.failure(of: program, on: trial.backend) else { continue }
            let shortest = try program.shrunk { try ProgramCheck.failure(of: $0, on: trial.backend) != nil }
            throw CheckFailure(ProgramCheck.sentence(failure, shortest, trial.backend))
        }
        guard trial.backend.capabilities.isSuperset(of: [.survivesCrash, .processes, .systemFaults]) else { return }
        if round % 2 == 0 {
            let kills = try KillCheck(trial)
            let program = Program.forProcess(
                Int.random(in: 4...16, using: &generator), Program.Abilities(), using: &generator)
            var call = 1
            while ContinuousClock.now < end {
                let recoveries = Int.random(in: 0..<4, using: &generator) == 0 ? 1...4 : nil
                guard try kills.kill(program, at: call, recoveries: recoveries) else { break }
                tally.kills += 1
                call += 1
            }
        } else {
            let faults = try FaultCheck(trial)
            let program = FaultCheck.program(Int.random(in: 4...12, using: &generator), using: &generator)
            let last = try faults.calls(of: program)
            for _ in 0..<40 where ContinuousClock.now < end {
                let code = Bool.random(using: &generator) ? FaultCheck.noSpace : FaultCheck.inputOutput
                tally.faults += try faults.fail(
                    program,
                    .fail(
                        at: Int.random(in: 1...max(last, 1), using: &generator),
                        count: Int.random(in: 1...6, using: &generator), errno: code))
            }
        }
    }
}
