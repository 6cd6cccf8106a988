#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The command that starts a process for one of the kit's jobs on a backend.
///
/// A job is to check a rule in isolation, to run a program until it is killed, or to be a peer. The kit appends the
/// words of the job to the arguments; the executable must hand them to ``ConformanceMain``, as its `run` does.
public struct WorkerCommand: Sendable, Equatable {
    /// The path of the executable.
    package let executable: String
    /// The arguments before the words of the job.
    package let arguments: [String]

    /// Makes a command.
    public init(executable: String, arguments: [String]) {
        self.executable = executable
        self.arguments = arguments
    }

    /// The path of this process's own executable.
    package static var ownExecutable: String {
        let link = "/proc/self/exe"
        if let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link) { return path }
        return CommandLine.arguments.first ?? ""
    }
}
