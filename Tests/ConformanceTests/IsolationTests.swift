import GroveConformance
import GroveHarnesses
import GroveMutants
import Testing

/// Rules in processes of their own.
@Suite struct IsolationTests {
    @Test("A trap and a hang are verdicts on their rules, and the run goes on")
    func bad() throws {
        let backend = StoreBackend(MemoryHarness(), worker: Workers.command("memory"))
        let report = try IsolatedRunner(rules: Rules.bad + Rules.matching(["DEL-01"]), seed: 1).run([backend])
        let results = report.backends.flatMap(\.results)
        #expect(results.map(\.outcome) == [.crashed, .passed, .timedOut, .failed, .passed])
        #expect(results[0].message.contains("on purpose"))
        #expect(results[3].message == "a\\ b\n\\c")
        #expect(results[4].checks > 0)
    }

    @Test("The executables are beside the tests, so that no rule that starts a process is skipped")
    func executables() {
        #expect(Workers.command("memory") != nil)
        #expect(Workers.example != nil)
    }

    @Test("Without a worker there is no isolated run")
    func noWorker() {
        #expect(throws: CheckFailure.self) { try IsolatedRunner(rules: Rules.bad, seed: 1).run([Mutants.reference]) }
    }
}
