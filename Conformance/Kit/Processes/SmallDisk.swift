#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A file system of a few megabytes in memory, which one process sees and which goes with it.
enum SmallDisk {
    /// Its size: room for what the stores of the rules take, and soon filled.
    private static let size = "24m"

    /// The program that gives a process mounts of its own, and how: as root, or else as a user that is root for itself.
    ///
    /// `nil` if the system has no such program, or lets nothing be mounted.
    private static let launcher: WorkerCommand? = {
        #if os(Linux)
            let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
            let program = path.split(separator: ":").map { "\($0)/unshare" }
                .first { FileManager.default.isExecutableFile(atPath: $0) }
            guard let program, let directory = try? TemporaryDirectory.make() else { return nil }
            defer { TemporaryDirectory.remove(directory) }
            return ["-m", "-Urm"].map { WorkerCommand(executable: program, arguments: [$0]) }.first { launcher in
                let command = SmallDisk.command(
                    WorkerCommand(executable: "true", arguments: []), at: directory, through: launcher)
                guard let child = try? ChildProcess(command, []) else { return false }
                _ = child.lines(within: .seconds(20))
                return child.wait() == .exited(0)
            }
        #else
            return nil
        #endif
    }()

    /// Whether one can be made here.
    static var isPossible: Bool { launcher != nil }

    /// `worker`, started where such a file system is mounted at `directory`.
    static func command(_ worker: WorkerCommand, at directory: String) throws(CheckFailure) -> WorkerCommand {
        guard let launcher else { throw CheckFailure("The system lets no file system be mounted.") }
        return command(worker, at: directory, through: launcher)
    }

    private static func command(
        _ worker: WorkerCommand, at directory: String, through launcher: WorkerCommand
    ) -> WorkerCommand {
        let script = "mount -t tmpfs -o size=\(size) grove \"$0\" && exec \"$@\""
        return WorkerCommand(
            executable: launcher.executable,
            arguments: launcher.arguments + ["sh", "-c", script, directory, worker.executable] + worker.arguments)
    }
}
