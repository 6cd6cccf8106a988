import GroveCache
import GrovePlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The main program of an executable that checks a backend.
///
/// ```swift
/// import GroveConformance
///
/// await ConformanceMain.run(MyHarness.self)
/// ```
///
/// `--help` lists its options. Rules are checked in child processes, so that a trap fails only its rule.
///
/// The exit status is 0 if the backend conforms by the rules that were asked for, and 1 if not. It is 2 if nothing was
/// checked or the options were wrong. It is 130 if Ctrl-C ended the run; the results until then are printed.
public enum ConformanceMain {
    /// Checks a store by every rule, and ends the process.
    public static func run<Harness: StoreHarness>(_ harness: Harness.Type, excuses: [RuleExcuse] = []) async -> Never {
        exit(await main(StoreBackend(harness.init(), worker: ownWorker), excuses: excuses))
    }

    /// Checks a delegate by the rules for delegates, and ends the process.
    public static func run<Harness: DelegateHarness>(_ harness: Harness.Type, excuses: [RuleExcuse] = []) async -> Never
    {
        exit(await main(DelegateBackend(harness.init(), worker: ownWorker), excuses: excuses))
    }

    private static var ownWorker: WorkerCommand {
        WorkerCommand(executable: WorkerCommand.ownExecutable, arguments: ["--worker"])
    }

    /// Does the work that `arguments` ask for.
    ///
    /// - Returns: the exit status of the process.
    package static func main(
        _ backend: any ConformanceBackend, excuses: [RuleExcuse] = [],
        arguments: [String] = Array(CommandLine.arguments.dropFirst())
    ) async -> Int32 {
        if arguments.first == "--worker" {
            return await ConformanceWorker.run(Array(arguments.dropFirst()), on: backend)
        }
        do {
            return try run(try ConformanceRequest(arguments), backend, excuses)
        } catch {
            complain("\(name): \(error)")
            return 2
        }
    }

    /// The command that started this process, quoted for a shell.
    private static var typed: String { Prose.shell(CommandLine.arguments.first ?? "") }

    /// The executable's name.
    private static var name: String {
        (CommandLine.arguments.first ?? "").split(separator: "/").last.map(String.init) ?? "conformance"
    }

    private static func run(
        _ request: ConformanceRequest, _ backend: any ConformanceBackend, _ excuses: [RuleExcuse]
    ) throws(CheckFailure) -> Int32 {
        if request.isHelp {
            try write(ConformanceRequest.help(name, backend.name), to: request.output)
            return 0
        }
        if let replay = request.replay { return try run(programIn: replay, backend, to: request.output) }
        let rules = try ConformanceConsole.rules(request.console.globs, of: [backend])
        if request.isList {
            try write(rules.map { "\($0)\n" }.joined(), to: request.output)
            return 0
        }
        if let minutes = request.minutes {
            let soak = Soak([backend], seed: request.console.seed)
            guard let tallies = try? soak.run(for: .seconds(minutes * 60)) else {
                throw CheckFailure("the soak could not be run")
            }
            try write(tallies.map { "\($0)\n" }.joined(), to: request.output)
            return tallies.allSatisfy(\.lies.isEmpty) ? 0 : 1
        }
        var console = request.console
        console.excuses = excuses
        console.command = { _ in typed }
        console.isColoured = request.output == nil && ConformanceConsole.hasColour
        let interruption = Interruption()
        interruption.listen()
        let report = try console.run([backend], until: interruption)
        try write(console.text(report), to: request.output)
        return ConformanceConsole.status(report, interruption)
    }

    /// Runs a saved program, and prints the answer of each step.
    private static func run(
        programIn file: String, _ backend: any ConformanceBackend, to output: String?
    ) throws(CheckFailure) -> Int32 {
        guard let bytes = FileManager.default.contents(atPath: file) else {
            throw CheckFailure("\(file) cannot be read")
        }
        let text: String
        let failure: String?
        do {
            (text, failure) = try Replay.transcript(
                of: try RandomProgram(script: String(decoding: bytes, as: UTF8.self)), on: backend)
        } catch {
            throw error as? CheckFailure ?? CheckFailure("\(error)")
        }
        try write(text, to: output)
        return failure == nil ? 0 : 1
    }

    private static func write(_ text: String, to output: String?) throws(CheckFailure) {
        if let output {
            guard FileManager.default.createFile(atPath: output, contents: Data(text.utf8)) else {
                throw CheckFailure("the report cannot be written to \(output)")
            }
        } else {
            ConformanceWorker.print(text, to: STDOUT_FILENO)
        }
    }

    private static func complain(_ text: String) { ConformanceWorker.print(text + "\n", to: STDERR_FILENO) }
}
