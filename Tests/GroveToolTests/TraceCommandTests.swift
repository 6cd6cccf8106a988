import Foundation
import GroveTool
import Testing

@Suite("grove trace", .enabled(if: ToolProcess.executable != nil, "needs the built executable"))
struct TraceCommandTests {
    /// Runs `grove trace` over a file of `text`.
    private func trace(_ text: String, _ arguments: String...) throws -> ToolProcess.Outcome {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("grove-trace-\(UUID().uuidString)")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try ToolProcess.run(["trace", file.path] + arguments)
    }

    @Test("Ends in the hit ratio, after requests, keys and hits")
    func one() throws {
        let outcome = try trace("a\nb\na\r\nc\nb\n\u{e9}t\u{e9}", "--capacity", "2", "--policy", "lru")
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        let lines = outcome.output.split(separator: "\n").map { $0.split(separator: " ") }
        #expect(lines.first == ["requests", "6"] && lines.contains(["distinct", "keys", "4"]))
        #expect(lines.contains(["hits", "1"]) && lines.last == ["hit", "ratio", "16.67%"])
    }

    @Test("Several capacities and policies come in a table of equal lines")
    func several() throws {
        let text = String(repeating: "a\nb\nc\n", count: 50)
        let outcome = try trace(text, "--capacity", "2", "--capacity", "3", "--policy", "all", "--policy", "lru")
        let table = outcome.output.split(separator: "\n").filter { $0.contains("%") }
        #expect(table.count == 12 && Set(table.map(\.count)).count == 1)
        #expect(table.last?.hasSuffix(" 98.00%") == true && table.first?.hasSuffix(" 0.00%") == true)
    }

    @Test("Weights count bytes")
    func weights() throws {
        let outcome = try trace(
            "a 10\nbig 200\na\t10\nb 90\na 10\n", "--capacity", "100", "--weights", "--policy", "lru")
        #expect(outcome.status == 0 && outcome.output.split(separator: "\n").last?.hasSuffix("40.00%") == true)
        #expect(outcome.output.contains("6.25%"))
    }

    @Test(
        "Bad input is one line and status 2",
        arguments: [
            ("", ["--capacity", "1"], "is empty"), ("a\n\nb", ["--capacity", "1"], ":2: there is no key"),
            ("a", [], "--capacity"), ("a", ["--capacity", "0"], "above 0"), ("a", ["--capacity", "x"], "'x'"),
            ("a", ["--capacity", "1", "--policy", "mru"], "there are lru, sieve"),
            ("a 1\nb 0", ["--capacity", "1", "--weights"], ":2: no weight"),
            ("a", ["--capacity", "1", "--weights"], ":1: no weight"),
        ])
    func bad(text: String, arguments: [String], reason: String) throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("grove-trace-\(UUID().uuidString)")
        try Data(text.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let outcome = try ToolProcess.run(["trace", file.path] + arguments)
        #expect(outcome.status == 2 && outcome.output.isEmpty)
        #expect(outcome.errorLines.count == 1 && outcome.errors.contains(reason), "\(outcome.errors)")
    }

    @Test("A file that is not there is one line and status 2")
    func missing() throws {
        let outcome = try ToolProcess.run(["trace", "/nowhere/at/all", "--capacity", "1"])
        #expect(outcome.status == 2 && outcome.errorLines.count == 1 && outcome.output.isEmpty)
    }
}
