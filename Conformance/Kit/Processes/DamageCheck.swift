import GroveCache
import GroveModel

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A small store whose files are damaged one way after the other: what a process finds that opens it.
final class DamageCheck {
    private let trial: Trial
    private let worker: WorkerCommand
    private let pristine: String
    private let states: [[String]]
    /// The files that hold content, with their sizes.
    let files: [(name: String, size: Int)]
    /// The process that looks, until it dies of what it sees.
    private var child: ChildProcess?
    private(set) var deaths = 0
    /// How many damages showed older records beside others, where the engine's own pages have no checksum.
    private(set) var mixtures = 0
    private(set) var tries = 0

    /// Makes a store by a random program of as many steps.
    init(_ trial: Trial, steps: Int = 14, using generator: inout SeededGenerator) throws {
        self.trial = trial
        guard let worker = trial.backend.worker else { throw CheckFailure("There is no worker.") }
        self.worker = worker
        let site = try trial.site()
        pristine = site.directory ?? ""
        var program = RandomProgram.forProcess(
            steps, RandomProgram.Abilities(reopens: false, wipes: false), using: &generator)
        // A tree both of whose nodes change: half of the last commit is a mixture, for certain.
        program.steps += (11...12).map { salt in
            .put(Plan(kind: .branch, number: 3, salt: salt, children: [Plan(kind: .person, number: 3, salt: salt)]))
        }
        states = program.states()
        let run = try ProgramRun(site)
        for step in program.steps { _ = try run.perform(step) }
        run.cache.close()
        let manager = FileManager.default
        var files: [(String, Int)] = []
        for name in try manager.subpathsOfDirectory(atPath: pristine).sorted() {
            let bytes = manager.contents(atPath: pristine + "/" + name)
            if let bytes, !bytes.isEmpty, !["LOCK", "LOG", "lock.mdb"].contains(name) {
                files.append((name, bytes.count))
            }
        }
        self.files = files
        try trial.expect(!files.isEmpty, "the files of a closed store: expected some with content, got none.")
    }

    /// Changes a copy of the file, and lets a process look at it that opens it as applications do, within `budget`
    /// bytes where that is not 0.
    ///
    /// - Parameter mayDie: whether opening may end the process where the backend says that damage may.
    func damage(
        _ name: String, _ what: String, budget: Int = 0, mayDie: Bool = true, _ change: (inout [UInt8]) -> Void
    ) throws {
        let copy = try TemporaryDirectory.makeFast()
        defer { TemporaryDirectory.remove(copy) }
        let manager = FileManager.default
        for file in try manager.contentsOfDirectory(atPath: pristine) {
            try manager.copyItem(atPath: "\(pristine)/\(file)", toPath: "\(copy)/\(file)")
        }
        var bytes = [UInt8](manager.contents(atPath: "\(copy)/\(name)") ?? Data())
        let size = bytes.count
        change(&bytes)
        try TemporaryDirectory.writeFile("\(copy)/\(name)", bytes)
        let place = "\(name) with \(what), seed \(trial.seed)" + (budget == 0 ? "" : ", within a budget")
        let (lines, ending) = try look(at: copy, budget, place)
        tries += 1
        try trial.expect(
            lines.contains("dump") || ending != nil && mayDie && trial.profile.hasUnverifiedPages,
            "\(place): expected the store to open or to be made anew, got "
                + (ending.map { "the end of the process (\($0))" } ?? "\(lines)") + ".")
        if let ending {
            deaths += 1
            try trial.expect(
                trial.profile.hasUnverifiedPages,
                "\(place): expected answers or typed errors, got the end of the process (\(ending)).")
            return
        }
        let answers = lines.filter { $0.hasPrefix("answer\t") }.map { String($0.dropFirst(7)) }
        try trial.expectEqual(answers.count, states.last?.count ?? 0, "\(place): the number of answers")
        let isPossible = states.contains { state in
            zip(state, answers).allSatisfy { expected, came in
                came == expected || came.hasSuffix(": miss") || came.contains(": error ") && !came.hasSuffix("untyped")
            }
        }
        if !isPossible, trial.profile.hasUnverifiedPages, bytes.count == size, isMadeOfRecords(answers) {
            mixtures += 1
            return
        }
        let wrong = zip(states.last ?? [], answers).first { expected, came in
            came != expected && !came.hasSuffix(": miss") && !came.contains(": error ")
        }
        try trial.expect(
            isPossible,
            "\(place): expected right values, misses, typed errors, or an earlier state whole; so \(wrong?.0 ?? "typed errors"), "
                + "got \(wrong?.1 ?? "\(answers)").")
    }

    /// Whether every record in the answers is one that was written there at some time: a pointer of the engine's own
    /// led to a page that was replaced.
    ///
    /// A tree's answer has its nodes' answers in it, so what is in one counts as a record where any state has it there.
    private func isMadeOfRecords(_ answers: [String]) -> Bool {
        // A child whose older record says that it was deleted reads as nil.
        func words(_ answer: String) -> Set<Substring> {
            Set(answer.split { "[],;".contains($0) }).subtracting(["nil"])
        }
        return answers.indices.allSatisfy { index in
            let answer = answers[index]
            if answer.hasSuffix(": miss") || answer.contains(": error ") { return !answer.hasSuffix("untyped") }
            return words(answer).isSubset(of: states.reduce(into: []) { $0.formUnion(words($1[index])) })
        }
    }

    /// What a process says of the store in `directory`, and how it ended where it did not live to tell.
    private func look(
        at directory: String, _ budget: Int, _ place: String
    ) throws -> (lines: [String], ending: ChildProcess.Ending?) {
        let child = try self.child ?? ChildProcess(worker, ["looks"])
        self.child = child
        child.send("\(budget)\t\(directory)")
        var lines: [String] = []
        while true {
            switch child.nextLine(within: .seconds(20)) {
            case .line("end"): return (lines, nil)
            case .line(let line): lines.append(line)
            case .ended:
                self.child = nil
                return (lines, child.wait())
            case .timedOut:
                self.child = nil
                child.kill()
                throw CheckFailure("\(place): expected the look to end, and it did not.")
            }
        }
    }
}
