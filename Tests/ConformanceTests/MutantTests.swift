import GroveConformance
import GroveMutants
import Testing

/// The test of the tests.
@Suite struct MutantTests {
    @Test(
        "Every mutant is found out by every rule that lists it, in words", .serialized,
        arguments: Mutants.all.map(\.name))
    func mutant(_ name: String) async {
        let report = await MutantReport.run(mutants: Mutants.all.filter { $0.name == name }, seed: seed)
        for row in report.rows {
            let names = row.spared.map(\.rule.id)
            #expect(names.isEmpty, "\(name), seed \(seed): these rules list it and spare it")
            #expect(!row.survives, "\(name) survives, seed \(seed)")
            for killer in row.killers where killer.outcome == .failed {
                let message = killer.message
                #expect(message.lowercased().contains("expected"), "\(killer.rule.id) says what was expected")
            }
        }
    }

    @Test("No rule lists a mutant that does not exist")
    func unknown() async {
        let report = await MutantReport.run(mutants: [], seed: seed)
        let unknown = report.unknown.map { "\($0.rule) lists \($0.mutant)" }
        #expect(unknown.isEmpty)
    }
}
