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
}
