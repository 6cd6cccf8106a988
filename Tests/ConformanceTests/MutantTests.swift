import GroveConformance
import GroveMutants
import Testing

/// The test of the tests.
///
/// All mutants are the business of `SlowMutantTests`, and of `make mutants`.
@Suite struct MutantTests {
    private static let mutants = Mutants.all { Workers.mutant($0) }

    /// One rule of each family, with the first mutant that it lists: enough to see that mutants are found out.
    private static let sample: [(rule: Rule, mutant: Mutant)] = {
        var families: Set<String> = []
        return Tier.quick.compactMap { rule in
            guard let mutant = mutants.first(where: { $0.name == rule.kills.first }),
                families.insert(rule.family).inserted
            else { return nil }
            return (rule, mutant)
        }
    }()

    @Test("Each family of rules finds a mutant out", .serialized, arguments: sample.indices)
    func one(_ index: Int) async throws {
        let (rule, mutant) = Self.sample[index]
        let report = try await MutantReport.run(rules: [rule], mutants: [mutant], seed: seed)
        #expect(report.isSound, "\(rule.id) and \(mutant.name), seed \(seed): \(report.pretty)")
    }

    @Test("There are at least 45 mutants, each with a name of its own")
    func count() {
        #expect(Self.mutants.count >= 45)
        #expect(Set(Self.mutants.map(\.name)).count == Self.mutants.count)
    }

    @Test("No rule lists a mutant that does not exist, and every mutant is listed")
    func unknown() async throws {
        let report = try await MutantReport.run(mutants: [], seed: seed)
        let unknown = report.unknown.map { "\($0.rule) lists \($0.mutant)" }
        #expect(unknown.isEmpty)
        let listed = Set(Rules.all.flatMap(\.kills))
        let unlisted = Self.mutants.map(\.name).filter { !listed.contains($0) }
        #expect(unlisted.isEmpty)
    }

    @Test("Every rule lists a mutant")
    func listing() {
        let unproven = Rules.all.filter(\.kills.isEmpty).map(\.id)
        #expect(unproven.isEmpty)
    }

    @Test("A mutant that breaks most rules is refused, and so is one that survives")
    func unsound() async throws {
        let broken = Rule("TST-01", "It holds.", because: "…", kills: ["stays-open"]) { _ in throw CheckFailure("no") }
        let others = (2...6).map { Rule("TST-0\($0)", "It holds.", because: "…") { _ in throw CheckFailure("no") } }
        let mutants = Self.mutants.filter { $0.name == "stays-open" }
        let report = try await MutantReport.run(rules: [broken] + others, mutants: mutants, seed: seed, isWhole: true)
        #expect(report.rows.map(\.isTooBroken) == [true])
        #expect(report.rows.map(\.survives) == [false])
        #expect(!report.isSound)
        let spare = Rule("TST-01", "It holds.", because: "…", kills: ["stays-open"]) { try $0.expect(true, "") }
        let spared = try await MutantReport.run(rules: [spare], mutants: mutants, seed: seed)
        #expect(spared.rows.map(\.survives) == [true])
        #expect(!spared.isSound)
    }

    @Test("A rule may need another seed to find a mutant out, and the report says which")
    func otherSeed() async throws {
        let late = Rule("TST-01", "It holds.", because: "…", kills: ["stays-open"]) { trial in
            try trial.expect(trial.seed == seed, "the seed: expected another, got \(trial.seed).")
        }
        let mutants = Self.mutants.filter { $0.name == "stays-open" }
        let report = try await MutantReport.run(rules: [late], mutants: mutants, seed: seed)
        #expect(report.isSound)
        #expect(report.rows.map { $0.late.map(\.rule) } == [["TST-01"]])
        #expect(report.pretty.contains("TST-01 needed seed"))
        let once = try await MutantReport.run(rules: [late], mutants: mutants, seed: seed, tries: 1)
        #expect(once.rows.map(\.survives) == [true])
    }
}
