import GroveCache
import GroveModel
import GrovePlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A program that runs in a process of its own, which says after each step that it is done, and may be killed, or made
/// to fail, in between.
struct ProgramProcess {
    /// What came of a run.
    struct Outcome {
        /// What became of each step that ended, in order: `nil` if it was done, or the error's code.
        var steps: [String?] = []
        /// Errors of opening, before it worked.
        var openings: [String] = []
        /// Every answer at the end, in the process; `nil` if it did not come to that.
        var dump: [String]?
        var ending = ChildProcess.Ending.exited(0)
        var calls = 0
        var failed = 0
        var complaint = ""
    }

    let backend: any ConformanceBackend
    let library: FaultLibrary

    /// Runs `program` in `directory` under `fault`.
    ///
    /// - Parameter fileSize: the most bytes that a file may have until the first step has failed; -1 for no limit.
    func run(
        _ program: RandomProgram, in directory: String, _ fault: FaultLibrary.Fault, fileSize: Int = -1
    ) throws -> Outcome {
        guard let worker = backend.worker else { throw CheckFailure("\(backend.name) has no worker.") }
        let log = try library.makeLog()
        defer { TemporaryDirectory.remove(log) }
        let script = log + ".script"
        try TemporaryDirectory.writeFile(script, Array("\(program)".utf8))
        defer { TemporaryDirectory.remove(script) }
        let child = try ChildProcess(
            worker, ["program", directory, script, "\(fileSize)"], environment: library.environment(fault, log: log))
        var outcome = Outcome()
        for line in child.lines(within: .seconds(60)).lines {
            let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            switch parts.first {
            case "done": outcome.steps.append(nil)
            case "failed" where parts.count == 2: outcome.steps.append(parts[1])
            case "opening" where parts.count == 2: outcome.openings.append(parts[1])
            case "dump": outcome.dump = []
            case "answer" where parts.count == 2: outcome.dump?.append(parts[1])
            default: break
            }
        }
        outcome.ending = child.wait()
        outcome.complaint = String(child.errorText.prefix(300))
        (outcome.calls, outcome.failed) = FaultLibrary.counts(log)
        return outcome
    }

    /// Runs the program of the file `script` in this process, as the other side of ``run(_:in:_:fileSize:)``.
    static func work(
        _ directory: String, _ script: String, fileSize: Int, _ backend: any ConformanceBackend
    ) -> Int32 {
        if fileSize >= 0 { limitFiles(to: fileSize) }
        guard let bytes = FileManager.default.contents(atPath: script),
            let program = try? RandomProgram(script: String(decoding: bytes, as: UTF8.self)),
            let run = opened(backend.site(at: directory))
        else { return 3 }
        for step in program.steps {
            do {
                _ = try run.perform(step)
                ConformanceWorker.say("done\t\(step)")
            } catch let error as CacheError {
                ConformanceWorker.say("failed\t\(error.code)")
                if fileSize >= 0 { limitFiles(to: nil) }
            } catch {
                return 4
            }
        }
        guard let answers = try? run.dump(kinds: program.kind(ofList:)) else { return 5 }
        ConformanceWorker.say("dump")
        for answer in answers { ConformanceWorker.say("answer\t\(answer)") }
        run.cache.close()
        return 0
    }

    /// Lets no file of this process grow beyond `size`, or as far as the system allows.
    private static func limitFiles(to size: Int?) {
        _ = signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit()
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #else
            let resource = RLIMIT_FSIZE
        #endif
        guard unsafe getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = size.map { rlim_t($0) } ?? limit.rlim_max
        unsafe setrlimit(resource, &limit)
    }

    /// A run in `site`; where opening fails typed, it is tried again.
    private static func opened(_ site: any CacheSite) -> ProgramRun? {
        for _ in 0..<40 {
            do {
                return try ProgramRun(site)
            } catch let error as CacheError {
                ConformanceWorker.say("opening\t\(error.code)")
                limitFiles(to: nil)
            } catch {
                return nil
            }
        }
        return nil
    }
}

extension RandomProgram {
    /// A program for another process: its collections keep the kinds of their elements.
    static func forProcess(
        _ count: Int, _ abilities: Abilities, using generator: inout SeededGenerator
    ) -> RandomProgram {
        var abilities = abilities
        abilities.listKinds = (0..<2).map(kind(ofList:))
        var steps: [Step] = []
        while steps.count < count {
            let program = random(count, abilities, using: &generator)
            steps += program.steps.filter { !$0.isRead && $0.brings(RandomProgram.kind(ofList:)) }
        }
        return RandomProgram(Array(steps.prefix(count)))
    }

    private static func kind(ofList key: Int) -> Plan.Kind { key == 0 ? .person : .letter }

    /// The kind of a collection's elements, the same in all programs for other processes.
    func kind(ofList key: Int) -> Plan.Kind? { RandomProgram.kind(ofList: key) }

    /// What the model answers after each number of steps.
    ///
    /// - Parameter skipping: the steps that had no effect.
    func states(skipping: Set<Int> = []) -> [[String]] {
        var model = ProgramModel(isPersistent: true)
        var states = [model.dump(kinds: kind(ofList:))]
        for (index, step) in steps.enumerated() {
            if !skipping.contains(index) { model.apply(step) }
            states.append(model.dump(kinds: kind(ofList:)))
        }
        return states
    }

    /// How many steps commit something by themselves: each waits for its commit and leaves another state than the last.
    var commits: Int {
        let states = states()
        var (count, last) = (0, states[0])
        for (index, step) in steps.enumerated() where step.isAcknowledged {
            if states[index + 1] != last { count += 1 }
            last = states[index + 1]
        }
        return count
    }

    /// How many steps are certainly committed when the first `done` are done.
    func acknowledged(_ done: Int) -> Int {
        (steps.prefix(done).lastIndex(where: \.isAcknowledged) ?? -1) + 1
    }
}
