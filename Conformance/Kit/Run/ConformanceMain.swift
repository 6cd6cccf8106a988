import GroveCache

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// The whole of an executable that checks a backend.
///
/// ```swift
/// import GroveConformance
///
/// await ConformanceMain.run(MyHarness.self)
/// ```
///
/// It takes `--rule GLOB`, `--seed NUMBER`, `--format pretty|tap|tap13|junit|json`, `--output FILE`, `--list` and
/// `--minutes NUMBER`, which soaks. Each rule is checked in a process of its own, so that a trap is a verdict. It ends with
/// 0 where the backend conforms, 1 where it does not, and 2 where nothing was checked or the call was wrong.
public enum ConformanceMain {
    /// Checks a store by every rule, and ends the process.
    public static func run<Harness: StoreHarness>(_ harness: Harness.Type, excuses: [RuleExcuse] = []) async -> Never {
        exit(await main(StoreBackend(harness.init(), worker: ownWorker), excuses: excuses))
    }

    /// Checks any other delegate by the rules for delegates, and ends the process.
    public static func run<Harness: DelegateHarness>(_ harness: Harness.Type, excuses: [RuleExcuse] = []) async -> Never
    {
        exit(await main(DelegateBackend(harness.init(), worker: ownWorker), excuses: excuses))
    }

    private static var ownWorker: WorkerCommand {
        WorkerCommand(executable: WorkerCommand.ownExecutable, arguments: ["--worker"])
    }

    /// Does what `arguments` say.
    ///
    /// - Returns: the status with which the process is to end.
    public static func main(
        _ backend: any ConformanceBackend, excuses: [RuleExcuse] = [],
        arguments: [String] = Array(CommandLine.arguments.dropFirst())
    ) async -> Int32 {
        if arguments.first == "--worker" {
            return await ConformanceWorker.run(Array(arguments.dropFirst()), on: backend)
        }
        let request: Request
        do {
            request = try Request(arguments)
            return try run(request, backend, excuses)
        } catch {
            complain("\(error)")
            return 2
        }
    }

    private static func run(
        _ request: Request, _ backend: any ConformanceBackend, _ excuses: [RuleExcuse]
    ) throws(CheckFailure) -> Int32 {
        let rules = Rules.matching(request.rules).filter { $0.suites.contains(backend.suite) }
        guard !rules.isEmpty else { throw CheckFailure("No rule of this suite matches; --list shows them.") }
        if request.isList {
            try write(rules.map { "\($0)\n" }.joined(), to: request.output)
            return 0
        }
        if let minutes = request.minutes {
            let soak = Soak([backend], seed: request.seed)
            guard let tallies = try? soak.run(for: .seconds(minutes * 60)) else {
                throw CheckFailure("The soak could not be run.")
            }
            try write(tallies.map { "\($0)\n" }.joined(), to: request.output)
            return tallies.allSatisfy(\.lies.isEmpty) ? 0 : 1
        }
        var report = try IsolatedRunner(rules: rules, seed: request.seed, excuses: excuses).run([backend])
        report.command = CommandLine.arguments.first
        try write(report.text(request.format), to: request.output)
        guard report.hasRun else { throw CheckFailure("Nothing was checked: every rule was skipped.") }
        return report.isConformant ? 0 : 1
    }

    private static func write(_ text: String, to output: String?) throws(CheckFailure) {
        if let output {
            guard FileManager.default.createFile(atPath: output, contents: Data(text.utf8)) else {
                throw CheckFailure("The report cannot be written to \(output).")
            }
        } else {
            ConformanceWorker.print(text, to: STDOUT_FILENO)
        }
    }

    private static func complain(_ text: String) { ConformanceWorker.print(text + "\n", to: STDERR_FILENO) }

    /// What the command line asks for.
    private struct Request {
        var rules: [String] = []
        var seed = UInt64.random(in: 1...UInt64(UInt32.max))
        var format = ReportFormat.pretty
        var output: String?
        var isList = false
        var minutes: Double?

        init(_ arguments: [String]) throws(CheckFailure) {
            var rest = arguments[...]
            while let name = rest.popFirst() {
                if name == "--list" {
                    isList = true
                    continue
                }
                guard let value = rest.popFirst() else { throw CheckFailure("\(name) needs a value.") }
                switch name {
                case "--rule": rules.append(value)
                case "--seed": seed = try Request.parsed(UInt64(value), name, value)
                case "--format": format = try Request.parsed(ReportFormat(rawValue: value), name, value)
                case "--output": output = value
                case "--minutes": minutes = try Request.parsed(Double(value), name, value)
                default: throw CheckFailure("There is no option \(name).")
                }
            }
        }

        private static func parsed<Value>(
            _ parsed: Value?, _ name: String, _ value: String
        ) throws(CheckFailure) -> Value {
            guard let parsed else { throw CheckFailure("\(name) does not take \(value).") }
            return parsed
        }
    }
}
