import GroveCache
import GroveModel

/// Programs on a backend beside the model: what they should say, and whether they do.
enum ProgramCheck {
    /// Runs `program` in a new place.
    ///
    /// - Parameter report: told of each step and of what it said.
    /// - Returns: what came instead of what was expected, or `nil` where all is well.
    static func failure(
        of program: RandomProgram, on backend: any ConformanceBackend, report: (String, String) -> Void = { _, _ in }
    ) throws -> String? {
        let site = try backend.makeSite()
        defer { site.remove() }
        let run = try ProgramRun(site)
        var model = ProgramModel(isPersistent: backend.profile.isPersistent)
        var forgets = false
        func mismatch(_ came: String, _ expected: ProgramModel.Answer, _ what: String) -> String? {
            let plain = ProgramRun.plain(came)
            if plain == expected.description || forgets && plain == "miss" { return nil }
            return "\(what): expected \(expected)\(forgets ? " or a miss" : ""), got \(came)."
        }
        for (index, step) in program.steps.enumerated() {
            let came: String
            do {
                came = try run.perform(step)
            } catch let error as CacheError {
                return "step \(index + 1), \(step): expected it to succeed, got the error \(error)."
            }
            report("\(step)", came)
            model.apply(step)
            if step.forgets { forgets = true }
            if step == .wipe { forgets = false }
            let what = "step \(index + 1), \(step)"
            switch step {
            case .get(let kind, let number):
                if let failure = mismatch(came, model.get(kind, number), what) { return failure }
            case .getList(let key, let kind):
                guard model.kind(ofList: key).map({ $0 == kind }) ?? true else { break }
                if let failure = mismatch(came, model.getList(key, kind), what) { return failure }
            case .fail where came != "\(CacheError.Code.full)":
                return "\(what): expected the error full, got \(came)."
            default: break
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

    /// What every step of `program` said, and every answer at its end.
    static func transcript(of program: RandomProgram, on site: any CacheSite) throws -> [String] {
        let run = try ProgramRun(site)
        var lines: [String] = []
        for step in program.steps {
            do {
                lines.append("\(step): \(try run.perform(step))")
            } catch let error as CacheError {
                lines.append("\(step): error \(error.code)")
            }
        }
        return lines + (try run.dump { _ in .person })
    }

    /// The sentence about a program that went wrong, with the shortest that does and the way to replay it.
    static func sentence(_ failure: String, _ program: RandomProgram, _ backend: any ConformanceBackend) -> String {
        var text = "\(failure) The shortest program: \(program.steps.map(\.description).joined(separator: "; "))."
        // A file that nobody would find again is not left behind by the tests of the tests.
        if backend.worker != nil, let path = TemporaryDirectory.save("\(program)", as: "grove-program") {
            text += " It is saved; replay: grove conformance --backend \(backend.name) --replay \(path)"
        }
        return text
    }
}

/// One program from a file, on one backend.
public enum Replay {
    /// Runs `program` on `backend`.
    ///
    /// - Parameter report: told of each step and of what it said.
    /// - Returns: what came instead of what was expected, or `nil` where all is well.
    public static func run(
        _ program: RandomProgram, on backend: any ConformanceBackend, report: (String, String) -> Void = { _, _ in }
    ) throws -> String? {
        try ProgramCheck.failure(of: program, on: backend, report: report)
    }
}
