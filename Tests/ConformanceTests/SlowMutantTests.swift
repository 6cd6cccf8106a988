import GroveConformance
import GroveMutants
import Testing

/// Every mutant against the rules that list it.
///
/// `make slow` runs these, and `make test` does not.
@Suite struct SlowMutantTests {
    private static let mutants = Mutants.all { Workers.mutant($0) }

    @Test(
        "Every mutant is found out by every rule that lists it, in words", .serialized,
        arguments: mutants.map(\.name))
    func mutant(_ name: String) async throws {
        let report = try await MutantReport.run(mutants: Self.mutants.filter { $0.name == name }, seed: seed)
        for row in report.rows {
            let names = row.spared.map(\.rule.id)
            #expect(names.isEmpty, "\(name), seed \(seed): these rules list it and spare it")
            #expect(!row.survives, "\(name) survives, seed \(seed)")
            for killer in row.killers where killer.outcome == .failed {
                let message = killer.message
                #expect(message.lowercased().contains("expected"), "\(killer.rule.id) says what was expected")
                #expect(
                    message.contains("got") || message.contains("heard"), "\(killer.rule.id) says what came: \(message)"
                )
            }
            if row.isUntried { print("SKIPPED: \(name), for \(row.skipped.map(\.message))") }
        }
    }
}
