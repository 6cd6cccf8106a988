import Foundation
import GroveConformance
import GroveMutants
import Testing

/// What a third party's executable does, and excuses.
@Suite struct MainTests {
    private func outcomes(of rule: Rule, _ excuses: [RuleExcuse]) async -> BackendReport? {
        await ConformanceRunner(rules: [rule], seed: 1, excuses: excuses).run([Mutants.reference]).backends.first
    }

    @Test("A broken rule that is excused says why, and no longer fails the backend")
    func excused() async throws {
        let rule = Rule("TST-01", "It holds.", because: "…") { _ in throw CheckFailure("expected 1, got 2.") }
        let report = try #require(await outcomes(of: rule, [RuleExcuse("TST-01", because: "The engine cannot.")]))
        #expect(report.results.map(\.outcome) == [.excused])
        #expect(report.results[0].message == "The engine cannot. expected 1, got 2.")
        #expect(report.verdict == .partial)
    }

    @Test("An excuse expires when its rule holds")
    func expired() async throws {
        let rule = Rule("TST-01", "It holds.", because: "…") { try $0.expect(true, "") }
        let report = try #require(await outcomes(of: rule, [RuleExcuse("TST-01", because: "The engine cannot.")]))
        #expect(report.results.map(\.outcome) == [.failed])
        #expect(report.results[0].message.contains("remove the excuse"))
        #expect(report.verdict == .failed)
    }

    @Test("The executable of the example lists its rules, and refuses what it does not know")
    func listing() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).txt")
        defer { try? FileManager.default.removeItem(at: file) }
        let backend = Mutants.delegate
        let status = await ConformanceMain.main(backend, arguments: ["--list", "--output", file.path])
        #expect(status == 0)
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == Rules.all(of: .delegate).count)
        #expect(lines.contains { $0.hasPrefix("CON-01 MUST A get after a put") })
        #expect(await ConformanceMain.main(backend, arguments: ["--frobnicate", "1"]) == 2)
        #expect(await ConformanceMain.main(backend, arguments: ["--rule", "XYZ-*"]) == 2)
        #expect(await ConformanceMain.main(backend, arguments: ["--seed"]) == 2)
        // Without a worker there is no isolated run, and nothing is said to conform.
        #expect(await ConformanceMain.main(backend, arguments: ["--rule", "CON-01"]) == 2)
    }

    @Test("The executable of the example checks a rule in a process of its own")
    func checking() throws {
        let example = try #require(Workers.example)
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: example.executable)
        process.arguments = ["--rule", "DEL-0?", "--format", "json", "--seed", "7"]
        process.standardOutput = output
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let object = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        let backends = try #require(object["backends"] as? [[String: Any]])
        #expect(backends.map { $0["backend"] as? String } == ["files"])
        #expect(backends[0]["passed"] as? Int == 9)
        #expect(backends[0]["hardened"] as? Bool == false)
    }

    @Test("A delegate is asked only what a delegate can be asked")
    func suites() {
        let delegate = Rules.all(of: .delegate)
        #expect(delegate.count > 50)
        let needs = delegate.reduce(into: Set<Capability>()) { $0.formUnion($1.requires) }
        #expect(needs.isDisjoint(with: [.storedBytes, .typedCalls, .observer, .faults, .processes]))
        #expect(Rules.all(of: .store).count == Rules.all.count)
    }
}
