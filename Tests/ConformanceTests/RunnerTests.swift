import GroveConformance
import GroveMutants
import Testing

/// What the runner makes of rules that do not simply hold.
@Suite struct RunnerTests {
    private func outcome(_ rule: Rule) async -> RuleResult {
        await ConformanceRunner(rules: [rule], seed: 1).check(rule, on: Mutants.reference)
    }

    @Test("A rule that makes no check fails")
    func noChecks() async {
        let result = await outcome(Rule("TST-01", "Nothing is checked.", because: "It proves nothing.") { _ in })
        #expect(result.outcome == .failed)
        #expect(result.checks == 0)
        #expect(result.message.contains("no check"))
    }

    @Test("A rule that needs what is missing is skipped, and the skip names it")
    func missingCapability() async {
        let rule = Rule("TST-02", "It persists.", because: "…", requires: [.persistent, Capability("magic")]) { _ in }
        let result = await outcome(rule)
        #expect(result.outcome == .skipped)
        #expect(result.message == "needs magic, persistent")
    }

    @Test("A rule that hangs has timed out, and the run goes on")
    func hanging() async {
        let gate = CommitGate()
        gate.close()
        let rule = Rule("TST-03", "It ends.", because: "…", timeLimit: .seconds(1)) { _ in gate.pass() }
        let result = await outcome(rule)
        #expect(result.outcome == .timedOut)
        gate.open()
    }

    @Test("A rule that throws something unforeseen fails with it")
    func throwing() async {
        struct Surprise: Error {}
        let result = await outcome(Rule("TST-04", "It throws.", because: "…") { _ in throw Surprise() })
        #expect(result.outcome == .failed)
        #expect(result.message.contains("Surprise"))
    }

    @Test("A seed replays its random numbers")
    func seeds() {
        var one = SeededGenerator(seed: 7, for: "NRM-01")
        var two = SeededGenerator(seed: 7, for: "NRM-01")
        var other = SeededGenerator(seed: 7, for: "NRM-02")
        let first = one.next()
        #expect(first == two.next())
        #expect(first != other.next())
    }

    @Test("Globs pick rules by identifier")
    func globs() {
        #expect(Rules.matching(["DEL-*"]).map(\.family).allSatisfy { $0 == "DEL" })
        #expect(Rules.matching(["nrm-01"]).map(\.id) == ["NRM-01"])
        #expect(Rules.matching(["NRM-0?"]).count > 5)
        #expect(Rules.matching(["XYZ-*"]).isEmpty)
    }

    @Test("Identifiers are unique, and there are at least sixty rules")
    func identifiers() {
        let ids = Rules.all.map(\.id)
        #expect(Set(ids).count == ids.count)
        #expect(ids.count >= 60)
    }
}
