import Foundation
import GroveConformance

/// The processes that the rules start: the tool, which is built beside the tests.
enum Workers {
    private static let executable = built("grove")

    /// The executable of the example, which checks itself.
    static let example = built("FileStoreConformance").map { WorkerCommand(executable: $0, arguments: ["--worker"]) }

    /// The path of an executable that was built beside the tests.
    static func built(_ name: String) -> String? {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let bundle = Bundle.main.bundleURL
        let places = [
            URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent(), bundle,
            bundle.deletingLastPathComponent(), root.appendingPathComponent(".build/debug"),
        ]
        return places.map { $0.appendingPathComponent(name).path }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// The worker for the mutant, or the store made for the kit, of that name.
    static func mutant(_ name: String) -> WorkerCommand? {
        executable.map {
            WorkerCommand(executable: $0, arguments: ["conformance", "--worker", "--mutant", name, "--"])
        }
    }

    /// The worker for the backend that the tool calls `name`.
    static func command(_ name: String) -> WorkerCommand? {
        executable.map {
            WorkerCommand(executable: $0, arguments: ["conformance", "--worker", "--backend", name, "--"])
        }
    }
}
