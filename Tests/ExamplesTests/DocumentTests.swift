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
}
