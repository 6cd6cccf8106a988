import GroveShared
import GroveSharedRules
import Testing

@Suite("Rules for a cache of many machines")
struct SharedRulesTests {
    typealias OurWorld = MemoryWorld

    // As Docs/Guides/ManyMachines.md shows it.
    @Test("The database keeps every rule", arguments: SharedRule.all)
    func keeps(rule: SharedRule) async throws { try await rule.check(over: OurWorld()) }

    @Test("Every mutant is found by the rules that list it", arguments: TierMutant.Mutation.allCases)
    func finds(mutation: TierMutant.Mutation) async throws {
        let rules = SharedRule.all.filter { $0.kills.contains(mutation) }
        try #require(!rules.isEmpty)
        for rule in rules {
            await #expect(throws: (any Error).self, "\(rule.name) does not find \(mutation.rawValue)") {
                try await rule.check(SharedTrial(MemoryWorld(mutation)))
            }
        }
    }

    @Test("A cache that never looks at its clock is found by the rule of patience")
    func patience() async throws {
        let rule = try #require(SharedRule.all.first { $0.name == "SHR-07" })
        await #expect(throws: SharedBroken.self) {
            try await rule.check(SharedTrial(MemoryWorld(), isClockStopped: true))
        }
    }

    @Test("A name is used once")
    func names() {
        #expect(Set(SharedRule.all.map(\.name)).count == SharedRule.all.count)
    }
}
