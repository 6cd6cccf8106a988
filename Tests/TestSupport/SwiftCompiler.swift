package import Foundation

/// The compiler, asked about a source that uses the package's built modules.
package enum SwiftCompiler {
    /// Where the package's modules are, beside the tests; `nil` if they are elsewhere.
    package static let modules: URL? = {
        let own = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let places = [
            own.appendingPathComponent("Modules"), own, Bundle.main.bundleURL.appendingPathComponent("Modules"),
            root.appendingPathComponent(".build/debug/Modules"),
        ]
        return places.first {
            FileManager.default.fileExists(atPath: $0.appendingPathComponent("Grove.swiftmodule").path)
        }
    }()

    /// The program that expands the package's macros, beside the modules.
    package static let plugin: URL? = modules.flatMap { modules in
        let builds = [modules, modules.deletingLastPathComponent()]
        return builds.flatMap { build in
            ["GroveMacrosPlugin-tool", "GroveMacrosPlugin"].map(build.appendingPathComponent)
        }.first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }

    /// The package's folder.
    package static var root: URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
    }

    /// Checks the types of `source`, in a file called `App.swift`.
    ///
    /// - Returns: what the compiler said, a line each, and whether it succeeded.
    package static func check(_ source: String) throws -> (said: [Substring], succeeds: Bool) {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("grove-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (file, said) = (directory.appendingPathComponent("App.swift"), directory.appendingPathComponent("said"))
        try Data(source.utf8).write(to: file)
        try Data().write(to: said)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            ProcessInfo.processInfo.environment["SWIFTC"] ?? "swiftc", "-typecheck", "-swift-version", "6",
            "-I", modules?.path ?? "", file.path,
        ]
        if let plugin { process.arguments? += ["-load-plugin-executable", "\(plugin.path)#GroveMacrosPlugin"] }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: said)
        try process.run()
        process.waitUntilExit()
        return (
            try String(contentsOf: said, encoding: .utf8).split(separator: "\n"), process.terminationStatus == 0
        )
    }
}
