import GroveCache
import GroveCoding
import GroveCompare
public import GroveConformance
import GrovePlatform

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The main program of an executable that compares a backend of your own with Grove's.
///
/// ```swift
/// import GroveCompareMain
/// import GroveConformance
///
/// await CompareMain.run(MyHarness.self)
/// ```
///
/// The rules of the conformance kit are checked first, in child processes. A backend that breaks a rule that must hold
/// is measured all the same, and shown as wrong beside its speed; it is never recommended. `--help` lists the options.
///
/// The exit status is 0 if everything was measured and the backend conforms. It is 1 if it does not, or could not be
/// measured, and 2 if the options were wrong. It is 130 if Ctrl-C ended the run; what was measured until then is
/// printed.
public enum CompareMain {
    /// Compares a store, and ends the process.
    ///
    /// - Parameters:
    ///   - harness: the harness with which the conformance kit checks the store.
    ///   - engine: the same engine without Grove, in an empty directory: the report says how many times as fast it is.
    ///     `nil` if there is none to measure.
    public static func run<Harness: StoreHarness>(
        _ harness: Harness.Type, engine: (@Sendable (_ directory: String) throws -> any CompareEngine)? = nil
    ) async -> Never {
        let worker = WorkerCommand(executable: WorkerCommand.ownExecutable, arguments: ["--worker"])
        let backend = StoreBackend(harness.init(), worker: worker)
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.first == "--worker" {
            exit(await ConformanceWorker.run(Array(arguments.dropFirst()), on: backend))
        }
        let name = (CommandLine.arguments.first ?? "").split(separator: "/").last.map(String.init) ?? "compare"
        do {
            let request = try CompareRequest(arguments)
            guard !request.isHelp else {
                print(CompareRequest.help(name, backend.name))
                exit(0)
            }
            Cleanup.handleSignals()
            let store = ComparedStore<Harness.Store>(options: harness.init().options) { directory in
                try engine.map { try BareEngine($0(directory)) }
            }
            exit(try run(request, backend, .other(store), name))
        } catch let failure as CompareRequest.Failure {
            Terminal.note("\(name): \(failure.text)")
            exit(2)
        } catch {
            Terminal.note("\(name): \(error)")
            exit(1)
        }
    }

    private static func run(
        _ request: CompareRequest, _ backend: any ConformanceBackend, _ own: BackendName, _ name: String
    ) throws -> Int32 {
        let interruption = Interruption()
        Cleanup.intercept { interruption.request($0) }
        defer { Cleanup.intercept(nil) }
        let verdict = request.checksRules ? try verdict(on: backend, until: interruption) : nil
        var report = try LargeStack.run(unavailable: LargeStack.noThread) { () throws in
            try Measurement(
                request.workloads, request.beside + [own], codings: [.specialised], isFull: request.isFull,
                seed: request.seed, budget: nil, in: try TemporaryDirectory(in: request.directory)
            ).run(.feed(nodes: request.nodes), until: { interruption.signal != nil })
        }
        report.uses = request.uses
        report.hasDetails = request.hasDetails
        report.command = ([name] + CommandLine.arguments.dropFirst()).joined(separator: " ")
        if let verdict {
            report.exclusions.append(verdict.sentence)
            if verdict.isWrong { report.wrong = [own] }
        } else {
            report.exclusions.append("\(backend.name): the rules of the conformance kit were not checked.")
        }
        try OutputFile.write(Array(request.text(report).utf8), to: request.output)
        if let signal = interruption.signal { return 128 + signal }
        return verdict?.isWrong == true ? 1 : 0
    }

    /// Checks all rules; what that says of the figures, in a sentence.
    private static func verdict(
        on backend: any ConformanceBackend, until interruption: Interruption
    ) throws -> (sentence: String, isWrong: Bool) {
        var console = ConformanceConsole()
        console.tell = { _ in }
        let report = try console.run([backend], until: interruption)
        guard let result = report.backends.first else { return ("\(backend.name): no rule was checked.", false) }
        let broken = result.results.filter { $0.isBroken && $0.rule.level == .must }.map(\.rule.id)
        guard broken.isEmpty else {
            return (
                "\(backend.name) is WRONG, however fast: it breaks \(broken.count) rules that must hold, "
                    + "\(broken.prefix(3).joined(separator: ", "))\(broken.count > 3 ? " and others" : "").", true
            )
        }
        return (
            "\(backend.name): \(result.verdict.rawValue) by the conformance kit, "
                + "\(result.results.count { $0.outcome == .passed }) rules hold.", false
        )
    }
}
