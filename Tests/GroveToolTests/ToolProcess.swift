import Foundation

/// The built executable, run as a user runs it.
enum ToolProcess {
    /// What a run left behind.
    struct Outcome {
        let status: Int32
        let output: String
        let errors: String
        /// The lines of standard error.
        var errorLines: [Substring] { errors.split(separator: "\n") }
    }

    /// The package's root.
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The executable beside the test bundle, or `nil` if it is not there.
    static let executable: String? = {
        let own = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let bundle = Bundle.main.bundleURL
        let places = [
            own, bundle, bundle.deletingLastPathComponent(), root.appendingPathComponent(".build/debug"),
        ]
        return places.map { $0.appendingPathComponent("grove").path }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// Runs the executable with `arguments`, and the file at `input` for standard input, and waits for its end.
    ///
    /// - Parameter program: another program to run in its place.
    static func run(
        _ arguments: [String], of program: String? = executable, input: String = "/dev/null"
    ) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program ?? "")
        process.arguments = arguments
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("grove-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        // Files rather than pipes: neither stream can fill up while the other is read.
        let (output, errors) = (directory.appendingPathComponent("out"), directory.appendingPathComponent("err"))
        try Data().write(to: output)
        try Data().write(to: errors)
        process.standardInput = FileHandle(forReadingAtPath: input)
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        process.waitUntilExit()
        return Outcome(
            status: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8),
            errors: try String(contentsOf: errors, encoding: .utf8))
    }
}
