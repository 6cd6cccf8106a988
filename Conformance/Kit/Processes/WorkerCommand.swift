#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How a process is started that does one of the kit's jobs on a backend: a rule checked in isolation, a program whose
/// writes are killed, a peer.
///
/// The process must call ``ConformanceWorker/run(_:on:)`` with what is appended to ``arguments``.
public struct WorkerCommand: Sendable, Equatable {
    /// The path of the executable.
    public let executable: String
    /// What it takes before the words of the job.
    public let arguments: [String]

    /// Makes a command.
    public init(executable: String, arguments: [String]) {
        self.executable = executable
        self.arguments = arguments
    }

    /// The path of this process's own executable.
    public static var ownExecutable: String {
        let link = "/proc/self/exe"
        if let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link) { return path }
        return CommandLine.arguments.first ?? ""
    }
}
