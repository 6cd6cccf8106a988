import Foundation
import Testing

@Suite("The documents")
struct DocumentTests {
    private let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    @Test("Each link between the documents leads to a file, and each page is reached from README")
    func links() throws {
        var found: Set<String> = []
        var left = [root.appending(path: "README.md")]
        while let page = left.popLast() {
            guard found.insert(page.path).inserted else { continue }
            for match in try String(contentsOf: page, encoding: .utf8).matches(of: /\]\(([^)\s#]+)[^)]*\)/) {
                let link = String(match.1)
                guard !link.contains("://") else { continue }
                let target = page.deletingLastPathComponent().appending(path: link).standardized
                #expect(FileManager.default.fileExists(atPath: target.path), "\(page.path) links to \(link)")
                if link.hasSuffix(".md") { left.append(target) }
            }
        }
        let folders = ["Guides", "Backends", "Internals"].map { root.appending(path: "Docs/\($0)") }
        for folder in folders {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".md") {
                #expect(found.contains(folder.appending(path: name).path), "no page links to \(name)")
            }
        }
    }

    @Test("Each error code has a row on the page of what to do")
    func codes() throws {
        let source = root.appending(path: "Sources/GroveModel/CacheError.swift")
        let page = root.appending(path: "Docs/Guides/WhenThingsBreak.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| ") }
        // The first cell of a row names one or several.
        let named = rows.compactMap { $0.split(separator: "|").first }.joined()
        let codes = try String(contentsOf: source, encoding: .utf8).matches(of: /static let \w+ = Code\("(\w+)"\)/)
        #expect(codes.count > 20)
        for code in codes { #expect(named.contains("`\(code.1)`"), "\(code.1)") }
    }

    /// The lines of `text` without their indentation, blank lines and imports.
    private func lines(_ text: some StringProtocol) -> String {
        let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
        return "\n" + lines.filter { !$0.isEmpty && !$0.hasPrefix("import ") }.joined(separator: "\n") + "\n"
    }

    /// The Swift files of tests and examples.
    private func compiled() throws -> [String] {
        try ["Tests", "Docs/Examples", "Conformance"].flatMap { folder in
            let names = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
            return try (names?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".swift") }.map {
                try lines(String(contentsOf: root.appending(path: "\(folder)/\($0)"), encoding: .utf8))
            }
        }
    }

    /// Why an example is in no file of this package: what it begins with, and the reason.
    private static let notCompiled = [
        ("// swift-tools-version", "a manifest, which `make scratch` and `make tutorial` build"),
        (".package(", "a line of a manifest"), ("dependencies: [", "a line of a manifest"),
        (".target", "a line of a manifest"),
        ("struct ChatView: View", "SwiftUI"), ("#Preview", "SwiftUI"), ("func sceneDidEnterBackground", "UIKit"),
        ("try FileManager.default.createDirectory(\nat: directory", "file protection, on Apple's systems"),
        ("public final class MyStore: NodeStore", "an outline"),
        ("@Test(.serialized, arguments: Rules.checkable(", "it would run all rules once more"),
        ("struct Author: Codable, FetchableRecord", "GRDB"), ("@Model final class Author", "SwiftData"),
        ("let watcher = client.watch", "Apollo"),
    ]

    @Test("Each example of a page is compiled: it is in a file of a test or of an example")
    func examples() throws {
        let files = try compiled()
        var pages = [root.appending(path: "README.md")]
        for folder in ["Guides", "Backends"] {
            let place = root.appending(path: "Docs/\(folder)")
            pages += try FileManager.default.contentsOfDirectory(at: place, includingPropertiesForKeys: nil)
        }
        var count = 0
        // `make tutorial` compiles each step of the one, and nothing on Linux compiles the other.
        for page in pages where !["GettingStarted.md", "SwiftUI.md"].contains(page.lastPathComponent) {
            let text = try String(contentsOf: page, encoding: .utf8)
            for example in text.components(separatedBy: "```swift\n").dropFirst() {
                let code = lines(example.components(separatedBy: "```")[0])
                count += 1
                if DocumentTests.notCompiled.contains(where: { code.hasPrefix("\n" + $0.0) }) { continue }
                #expect(
                    files.contains { $0.contains(code) }, "\(page.lastPathComponent) shows code of no file: \(code)")
            }
        }
        #expect(count > 60)
    }
}
