import Dispatch
import GroveModel

/// A long run of random programs, kills, faults and damages.
package struct Soak: Sendable {
    /// The numbers of a soak's trials on one backend, and its findings.
    package struct Tally: Sendable, CustomStringConvertible {
        /// The backend's name.
        package let backend: String
        /// Programs whose answers were compared with the model's.
        package var programs = 0
        /// Processes that were killed at a system call that changes a file.
        package var kills = 0
        /// System calls that were made to fail.
        package var faults = 0
        /// Stores that were opened after one of their bytes was changed, or a file was cut off.
        package var damages = 0
        /// Small stores whose files were cut off at every length and changed in every byte.
        package var sweeps = 0
        /// Processes that ended when they opened or read a damaged store, which the profile must allow.
        package var deaths = 0
        /// Damaged stores that showed older records beside newer ones, which the profile must allow.
        package var mixtures = 0
        /// Wrong answers, each with its seed and its program.
        package var lies: [String] = []

        /// The numbers, and each lie on a line of its own.
        package var description: String {
            let figures =
                "\(programs) programs, \(kills) kills, \(faults) faults, \(damages) damaged stores, \(sweeps) sweeps, "
                + "\(deaths) deaths, \(mixtures) mixtures, \(lies.count) lies"
            return (["\(backend): \(figures)"] + lies).joined(separator: "\n")
        }
    }

    private let backends: [any ConformanceBackend]
    private let seed: UInt64

    /// Makes a soak of `backends`; equal seeds give equal trials in the same order.
    package init(_ backends: [any ConformanceBackend], seed: UInt64) {
        self.backends = backends
        self.seed = seed
    }

    /// Soaks all backends in turn until `duration` is over.
    ///
    /// - Parameter progress: called with the tallies after each round.
    package func run(for duration: Duration, progress: ([Tally]) -> Void = { _ in }) throws -> [Tally] {
        let end = ContinuousClock.now + duration
        var tallies = backends.map { Tally(backend: $0.name) }
        var sweeps: [DamageSweep?] = backends.map { _ in nil }
        var round: UInt64 = 0
        while ContinuousClock.now < end {
            for (index, backend) in backends.enumerated() {
                let seed = seed &+ round
                let trial = Trial("SOAK", on: backend, seed: seed)
                defer { trial.finish() }
                do {
                    try self.round(round &+ UInt64(index), trial, end, &tallies[index], &sweeps[index])
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
        _ round: UInt64, _ trial: Trial, _ end: ContinuousClock.Instant, _ tally: inout Tally,
        _ sweep: inout DamageSweep?
    ) throws {
        var generator = trial.generator()
        for _ in 0..<20 {
            let (fails, evicts) = (Bool.random(using: &generator), Bool.random(using: &generator))
            let abilities = RandomProgram.Abilities(
                evicts: evicts, fails: fails, fills: Bool.random(using: &generator), deletesKinds: !evicts)
            let program = RandomProgram.random(Int.random(in: 5...80, using: &generator), abilities, using: &generator)
            tally.programs += 1
            guard let failure = try ProgramCheck.failure(of: program, on: trial.backend) else { continue }
            let shortest = try program.shrunk { try ProgramCheck.failure(of: $0, on: trial.backend) != nil }
            throw CheckFailure(ProgramCheck.sentence(failure, shortest, trial.backend))
        }
        if round % 3 == 2, trial.backend.capabilities.isSuperset(of: [.persistent, .processes]) {
            try damage(100, trial, using: &generator, until: end, &tally)
            return try go(on: &sweep, trial.backend, by: 300, until: end, &tally)
        }
        guard trial.backend.capabilities.isSuperset(of: [.survivesCrash, .processes, .systemFaults]) else { return }
        if round % 3 == 0 {
            let kills = try KillCheck(trial)
            let program = RandomProgram.forProcess(
                Int.random(in: 4...16, using: &generator), RandomProgram.Abilities(), using: &generator)
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
                        count: Int.random(in: 1...3, using: &generator), errno: code))
            }
        }
    }

    /// Opens `count` stores of each persistent backend, each with one random byte changed.
    ///
    /// - Parameter progress: called with the tallies after about every thousand stores.
    package func flip(_ count: Int, progress: ([Tally]) -> Void = { _ in }) throws -> [Tally] {
        var tallies: [Tally] = []
        for backend in backends where backend.capabilities.isSuperset(of: [.persistent, .processes]) {
            var tally = Tally(backend: backend.name)
            var round: UInt64 = 0
            while tally.damages < count {
                let trial = Trial("FLIP", on: backend, seed: seed &+ round)
                defer { trial.finish() }
                var generator = trial.generator()
                do {
                    let left = min(1_000, count - tally.damages)
                    try damage(left, trial, using: &generator, flipsAlone: true, &tally)
                } catch let failure as CheckFailure {
                    tally.lies.append("\(backend.name), seed \(trial.seed): \(failure)")
                    // If each try failed at once, the loop would never end.
                    if tally.lies.count > 20 { break }
                }
                round += 1
                progress(tallies + [tally])
            }
            tallies.append(tally)
        }
        return tallies
    }

    /// So many parts of a sweep run beside each other: a store that looks unfinished is looked at for a while.
    private static let parts = 8
    /// A sweep ends before its time once it has told of so many lies.
    private static let mostLies = 12

    /// Damages one small store of each persistent backend at every length and in every byte.
    ///
    /// - Parameter progress: called with the tallies every few seconds.
    package func sweep(progress: ([Tally]) -> Void = { _ in }) throws -> [Tally] {
        var tallies: [Tally] = []
        for backend in backends where backend.capabilities.isSuperset(of: [.persistent, .processes]) {
            let tally = Lock(Tally(backend: backend.name))
            let failure = Lock<(any Error)?>(nil)
            let queue = DispatchQueue(label: "grove.sweep", attributes: .concurrent)
            let group = DispatchGroup()
            for part in 0..<Self.parts {
                queue.async(group: group) {
                    do {
                        try sweep(part, of: backend, tally)
                    } catch {
                        failure.withLock { $0 = error }
                    }
                }
            }
            while group.wait(timeout: .now() + .seconds(2)) == .timedOut { progress(tallies + [tally.withLock { $0 }]) }
            if let failure = failure.withLock({ $0 }) { throw failure }
            tally.withLock { $0.sweeps = $0.lies.count < Self.mostLies ? 1 : 0 }
            tallies.append(tally.withLock { $0 })
        }
        return tallies
    }

    /// Tries one part of the damages, until all parts have told of ``mostLies``.
    private func sweep(_ part: Int, of backend: any ConformanceBackend, _ tally: Lock<Tally>) throws {
        let sweep = try DamageSweep(on: backend, seed: seed, part: part, of: Self.parts)
        while sweep.done < sweep.count, tally.withLock({ $0.lies.count < Self.mostLies }) {
            let (deaths, mixtures) = (sweep.deaths, sweep.mixtures)
            do {
                try sweep.next()
            } catch let lie as CheckFailure {
                tally.withLock { $0.lies.append("\(backend.name), seed \(seed): \(lie)") }
            }
            tally.withLock { tally in
                tally.damages += 1
                tally.deaths += sweep.deaths - deaths
                tally.mixtures += sweep.mixtures - mixtures
            }
        }
    }

    /// Tries the next `count` damages of `sweep`; makes a new sweep if there is none, and removes it at its end.
    private func go(
        on sweep: inout DamageSweep?, _ backend: any ConformanceBackend, by count: Int,
        until end: ContinuousClock.Instant, _ tally: inout Tally
    ) throws {
        let current = try sweep ?? DamageSweep(on: backend, seed: seed &+ UInt64(tally.sweeps))
        sweep = current
        let (deaths, mixtures) = (current.deaths, current.mixtures)
        defer {
            tally.deaths += current.deaths - deaths
            tally.mixtures += current.mixtures - mixtures
        }
        for _ in 0..<count where current.done < current.count {
            if ContinuousClock.now > end { return }
            tally.damages += 1
            try current.next()
        }
        guard current.done == current.count else { return }
        tally.sweeps += 1
        sweep = nil
    }

    /// Damages copies of one small store in `count` ways, and lets a process look at each.
    private func damage(
        _ count: Int, _ trial: Trial, using generator: inout SeededGenerator, flipsAlone: Bool = false,
        until end: ContinuousClock.Instant? = nil, _ tally: inout Tally
    ) throws {
        let check = try DamageCheck(trial, using: &generator)
        defer {
            tally.damages += check.tries
            tally.deaths += check.deaths
            tally.mixtures += check.mixtures
        }
        for _ in 0..<count {
            if let end, ContinuousClock.now > end { return }
            guard let file = check.files.randomElement(using: &generator) else { return }
            let place = Int.random(in: 0..<file.size, using: &generator)
            if flipsAlone || Bool.random(using: &generator) {
                let mask = UInt8.random(in: 1...255, using: &generator)
                try check.damage(file.name, "byte \(place) changed by \(mask)") { $0[place] ^= mask }
            } else {
                try check.damage(file.name, "\(place) of \(file.size) bytes left") { $0 = Array($0.prefix(place)) }
            }
        }
    }
}
