import Foundation

/// A process of its own that runs one test, to do to a store what another process does.
///
/// The test is enabled where ``job`` says so, and reads there what to do.
package struct PeerProcess: Sendable {
    private let variable: String
    private let filter: String

    /// - Parameters:
    ///   - variable: the name of the environment's variable that carries the job.
    ///   - filter: the test's name, as `swift test --filter` takes it.
    package init(_ variable: String, filter: String) {
        self.variable = variable
        self.filter = filter
    }

    /// What this process is to do, if it is such a process.
    package var job: [String]? {
        ProcessInfo.processInfo.environment[variable]?.split(separator: "|").map(String.init)
    }

    /// Whether tests can start processes here.
    package static let canStart = FileManager.default.isExecutableFile(atPath: "/proc/self/exe")

    /// Runs the test in a process of its own; returns whether it passed.
    package func run(_ job: [String]) throws -> Bool {
        let process = process(job)
        // Its lines would pass for those of the run that starts it.
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        return PeerProcess.end(process)
    }

    /// Starts the test in a process of its own, which answers what it is asked: see ``PeerConversation``.
    package func start(_ job: [String], environment: [String: String] = [:]) throws -> PeerConversation {
        try PeerConversation(process(job, environment))
    }

    private func process(_ job: [String], _ environment: [String: String] = [:]) -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = ["--testing-library", "swift-testing", "--filter", filter]
        process.environment = ProcessInfo.processInfo.environment
            .merging(environment) { $1 }.merging([variable: job.joined(separator: "|")]) { $1 }
        process.standardError = FileHandle.nullDevice
        return process
    }

    static func end(_ process: Process) -> Bool {
        process.waitUntilExit()
        return process.terminationReason == .exit && process.terminationStatus == 0
    }
}
