import GroveCache
import GroveModel

/// Checks of programs: their answers on a backend are compared with the model's.
enum ProgramCheck {
    /// Runs `program` in a new place.
    ///
    /// - Parameter report: called with each step and its answer.
    /// - Returns: a sentence about the first answer that differs from the model's; `nil` if all agree.
    static func failure(
        of program: RandomProgram, on backend: any ConformanceBackend, report: (String, String) -> Void = { _, _ in }
    ) throws -> String? {
        let site = try backend.makeSite()
        defer { site.remove() }
        let run = try ProgramRun(site)
        var model = ProgramModel(isPersistent: backend.profile.isPersistent)
        var forgets = false
        for (index, step) in program.steps.enumerated() {
            let came: [String]
            do {
                came = try run.perform(step)
            } catch let error as CacheError {
                return "step \(index + 1), \(step): expected it to succeed, got the error \(error)."
            }
            report("\(step)", came.joined(separator: " | "))
            let expected = model.apply(step)
            if step.forgets { forgets = true }
            if step == .wipe { forgets = false }
            let plain = came.map(ProgramRun.plain)
            let isRight =
                came.count == expected.count
                && zip(plain, expected).allSatisfy { $1?.agrees($0, forgets: forgets) ?? true }
            guard isRight else {
                let wanted = expected.map { $0.map { "\($0)" } ?? "anything" }.joined(separator: " | ")
                return "step \(index + 1), \(step): expected \(wanted)\(forgets ? " or misses" : ""), "
                    + "got \(came.joined(separator: " | "))."
            }
        }
        let expected = model.dump { model.kind(ofList: $0) }
        let came: [String]
        do {
            came = try run.dump { model.kind(ofList: $0) }
        } catch let error as CacheError {
            return "at the end: expected every read to be answered, got the error \(error)."
        }
        for (expected, came) in zip(expected, came) where expected != came {
            if forgets, came.hasSuffix(": miss") { continue }
            return "at the end: expected \(expected)\(forgets ? " or a miss" : ""), got \(came)."
        }
        return nil
    }

    /// The answers of every step of `program`, and all content at its end.
    static func transcript(of program: RandomProgram, on site: any CacheSite) throws -> [String] {
        let run = try ProgramRun(site)
        var lines: [String] = []
        for step in program.steps {
            do {
                lines.append("\(step): \(try run.perform(step).joined(separator: " | "))")
            } catch let error as CacheError {
                lines.append("\(step): error \(error.code)")
            }
        }
        return lines + (try run.dump { _ in .person })
    }

    /// The sentence about a program that failed, with the shortest such program and the command that replays it.
    static func sentence(_ failure: String, _ program: RandomProgram, _ backend: any ConformanceBackend) -> String {
        var text = "\(failure) The shortest program: \(program.steps.map(\.description).joined(separator: "; "))."
        // The tests of the kit itself leave no file behind: no report would name it.
        if backend.worker != nil, let path = TemporaryDirectory.save("\(program)", as: "grove-program") {
            text += "\n\(RuleResult.saved)\(path)"
        }
        return text
    }
}

/// A run of one saved program on one backend.
package enum Replay {
    /// Runs `program` on `backend`.
    ///
    /// - Parameter report: called with each step and its answer.
    /// - Returns: a sentence about the first answer that differs from the model's; `nil` if all agree.
    package static func run(
        _ program: RandomProgram, on backend: any ConformanceBackend, report: (String, String) -> Void = { _, _ in }
    ) throws -> String? {
        try ProgramCheck.failure(of: program, on: backend, report: report)
    }

    /// Runs `program` on `backend`.
    ///
    /// - Returns: the steps with their answers, one per line, and a sentence about the first answer that differs from
    ///   the model's; `nil` if all agree.
    package static func transcript(
        of program: RandomProgram, on backend: any ConformanceBackend
    ) throws -> (text: String, failure: String?) {
        var lines = [backend.name]
        let failure = try run(program, on: backend) { step, said in
            lines.append("  \(step)\(said.isEmpty ? "" : "  ->  \(said)")")
        }
        lines.append(failure.map { "  broken: \($0)" } ?? "  agrees with the model")
        return (lines.joined(separator: "\n") + "\n", failure)
    }
}
