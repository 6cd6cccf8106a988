import Foundation
import Testing

/// Code as it was written for RocketData and ConsistencyManager, given to the compiler.
@Suite("Members that Grove does not call")
struct RenamedMembersTests {
    /// Where the package's modules are, beside the tests; `nil` where they are elsewhere.
    static let modules: URL? = {
        let own = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let places = [
            own.appendingPathComponent("Modules"), own, Bundle.main.bundleURL.appendingPathComponent("Modules"),
            root.appendingPathComponent(".build/debug/Modules"),
        ]
        return places.first {
            FileManager.default.fileExists(atPath: $0.appendingPathComponent("Grove.swiftmodule").path)
        }
    }()

    /// What the compiler says to `source`, a line each.
    static func compile(_ source: String) throws -> [Substring] {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("grove-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (file, said) = (directory.appendingPathComponent("App.swift"), directory.appendingPathComponent("said"))
        try Data(("import Grove\n" + source).utf8).write(to: file)
        try Data().write(to: said)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            ProcessInfo.processInfo.environment["SWIFTC"] ?? "swiftc", "-typecheck", "-swift-version", "6",
            "-I", modules?.path ?? "", file.path,
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: said)
        try process.run()
        process.waitUntilExit()
        let lines = try String(contentsOf: said, encoding: .utf8).split(separator: "\n")
        #expect((process.terminationStatus == 0) == !lines.contains { $0.contains("error:") })
        return lines
    }

    static let model = """
        var modelIdentifier: ModelIdentifier? { "a" }
        func map(_ transform: (any Model) -> (any Model)?) -> Self? { self }
        func forEach(_ visit: (any Model) -> Void) {}

        """
    static let failed = """
        func consistencyManager(_ manager: ConsistencyManager, failedWithCriticalError error: any Error) {}

        """
    static let willReplace = """
        func consistencyManager(
            _ manager: ConsistencyManager, willReplaceModel oldModel: any ConsistencyManagerModel,
            withModel newModel: (any ConsistencyManagerModel)?, context: (any Sendable)?
        ) {}

        """

    @Test(
        "A type that still has an old member does not compile, and the compiler says what to write",
        .enabled(if: modules != nil, "needs the built modules beside the tests"),
        arguments: [
            (
                "struct A: Model, Equatable {", model,
                "func mergeModel(_ model: any ConsistencyManagerModel) -> any ConsistencyManagerModel { model }",
                "write merge(_:)"
            ),
            (
                "struct A: Model, Equatable {", model,
                "func isEqualToModel(_ other: any ConsistencyManagerModel) -> Bool { true }",
                "write isEqual(to: any SimpleModel)"
            ),
            (
                "struct A: Model, Equatable {", model, "func isEqual(to model: any Model) -> Bool { true }",
                "write isEqual(to: any SimpleModel)"
            ),
            (
                "public struct A: Equatable { let value = 1 }\nextension A: SimpleModel {",
                "public var modelIdentifier: ModelIdentifier? { nil }\n",
                "public func isEqualToModel(_ other: any Model) -> Bool { true }", "write isEqual(to: any SimpleModel)"
            ),
            (
                "final class A: ConsistencyManagerDelegate {", willReplace,
                "func consistencyManager(_ manager: ConsistencyManager, failedWithCriticalError error: String) {}",
                "does not conform to protocol 'ConsistencyManagerDelegate'"
            ),
            (
                "final class A: ConsistencyManagerDelegate {", failed,
                """
                func consistencyManager(
                    _ manager: ConsistencyManager, willReplaceModel oldModel: any ConsistencyManagerModel,
                    withModel newModel: any ConsistencyManagerModel, context: (any Sendable)?
                ) {}
                """, "does not conform to protocol 'ConsistencyManagerDelegate'"
            ),
        ])
    func refused(head: String, rest: String, old: String, message: String) throws {
        let said = try Self.compile(head + "\n" + rest + old + "\n}")
        #expect(said.contains { $0.contains("error:") && $0.contains(message) }, "\(said.joined(separator: "\n"))")
        let without = try Self.compile(
            head + "\n" + rest + (rest == Self.failed ? Self.willReplace : "")
                + (rest == Self.willReplace ? Self.failed : "") + "}")
        #expect(without.isEmpty, "\(without.joined(separator: "\n"))")
    }
}
