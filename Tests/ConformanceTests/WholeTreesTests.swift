import GroveConformance
import GroveMutants
import Testing

/// A delegate that stores trees whole, as RocketData allowed.
@Suite struct WholeTreesTests {
    @Test("Every rule that does not need normalization holds on it", .serialized, arguments: Rules.all(of: .delegate))
    func holds(_ rule: Rule) async throws {
        let result = try await rule.verify(on: Odd.wholeTrees)
        let isMissing = rule.requires.contains(.normalizes) || !result.isApplicable
        #expect(result.outcome == .passed || isMissing, "\(result.message)")
    }

    @Test("What needs normalization does not apply to it, and the report folds that into one line")
    func folded() async {
        let report = await ConformanceRunner(rules: Rules.all(of: .delegate), seed: 1).run([Odd.wholeTrees])
        let backend = report.backends[0]
        let left = backend.results.filter { $0.rule.requires.contains(.normalizes) }
        #expect(left.count > 10)
        #expect(left.allSatisfy { $0.outcome == .skipped && !$0.isApplicable })
        #expect(backend.broken == 0)
        #expect(!backend.hasTooManySkips)
        let lines = PrettyReport(report, columns: 400).text.split(separator: "\n")
        #expect(lines.count { $0.contains("rules need normalizes:") } == 1)
    }
}
