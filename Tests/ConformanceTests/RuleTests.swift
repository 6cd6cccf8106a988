import GroveConformance
import GroveMutants
import Testing

/// The seed of this run: GROVE_SEED, or one that the failure prints.
let seed = UInt64.random(in: 1...UInt64(UInt32.max))

@Suite struct RuleTests {
    @Test("Every rule holds on every backend", arguments: Rules.all.map(\.id), Backend.allCases)
    func rule(_ id: String, _ backend: Backend) async {
        let runner = ConformanceRunner(rules: Rules.matching([id]), seed: seed)
        for result in await runner.run([backend.backend]).backends[0].results {
            #expect(
                !result.isBroken,
                "\(id) on \(backend.rawValue), seed \(seed): \(result.rule.text) \(result.outcome.rawValue): \(result.message)"
            )
        }
    }

    @Test("Every rule holds on the correct store of which the mutants are made", arguments: Rules.all.map(\.id))
    func reference(_ id: String) async {
        let runner = ConformanceRunner(rules: Rules.matching([id]), seed: seed)
        for result in await runner.run([Mutants.reference]).backends[0].results {
            #expect(
                !result.isBroken,
                "\(id), seed \(seed): \(result.rule.text) \(result.outcome.rawValue): \(result.message)")
        }
    }
}
