import Foundation
import Testing

@Suite("README")
struct ReadmeTests {
    @Test("Its example runs and does what it says")
    func exampleRuns() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let message = try example(directory: directory)
        #expect(message?.text == "Hello")
        #expect(message?.sender.isOnline == true)
    }

    @Test("Its example is the one that is tested")
    func exampleIsCurrent() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let source = try String(contentsOf: folder.appendingPathComponent("ReadmeExample.swift"), encoding: .utf8)
        let readme = try String(contentsOf: folder.appendingPathComponent("../../README.md"), encoding: .utf8)
        let example = try #require(source.components(separatedBy: "// -----\n").dropFirst().first)
        let isCurrent = readme.contains("```swift\n" + example + "```")
        #expect(isCurrent, "README.md's first example differs from ReadmeExample.swift")
    }
}
