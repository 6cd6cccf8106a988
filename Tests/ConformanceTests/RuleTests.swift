import GroveConformance
import GroveHarnesses
import GroveMutants
import Testing

/// The seed of this run, which every failure prints.
let seed = Rule.environmentSeed

/// Which rules `make test` checks on every backend; `make slow` checks the others, and all of them on odd stores.
enum Tier {
    static let quick = Rules.all.filter { !slowNames.contains($0.id) }
    static let slow = Rules.all.filter { slowNames.contains($0.id) }

    /// Rules that write 50,000 nodes and more: two thirds of the kit's time.
    private static let slowNames: Set = [
        "CON-11", "LIF-03", "EVC-05", "EVC-06", "EVC-07", "EVC-10", "EVC-11", "EVC-15", "STO-14", "TXN-10", "DUR-16",
    ]
}

/// The kit on every backend: side by side, each backend's rules one after the other.
@Suite struct RuleTests {
    @Test("Every quick rule holds in memory", .serialized, arguments: Tier.quick)
    func memory(_ rule: Rule) async throws {
        try await rule.verify(on: MemoryHarness(), worker: Workers.command("memory"))
    }

    /// Pins over one backend at least.
    @Test("Every quick rule holds on LMDB", .serialized, arguments: Tier.quick + Rules.matching(["EVC-11"]))
    func lmdb(_ rule: Rule) async throws {
        try await rule.verify(on: LMDBHarness(), worker: Workers.command("lmdb"))
    }

    @Test("Every quick rule holds on SQLite", .serialized, arguments: Tier.quick)
    func sqlite(_ rule: Rule) async throws {
        try await rule.verify(on: SQLiteHarness(), worker: Workers.command("sqlite"))
    }

    @Test("Every quick rule holds on LevelDB", .serialized, arguments: Tier.quick)
    func levelDB(_ rule: Rule) async throws {
        try await rule.verify(on: LevelDBHarness(), worker: Workers.command("leveldb"))
    }

    @Test(
        "Every quick rule holds on the correct store of which the mutants are made", .serialized, arguments: Tier.quick)
    func reference(_ rule: Rule) async throws { try await rule.verify(on: Mutants.reference) }

    @Test(
        "Every rule for delegates holds on one that shares no code with the cache", .serialized,
        arguments: Rules.all(of: .delegate).filter { rule in Tier.quick.contains { $0.id == rule.id } })
    func delegate(_ rule: Rule) async throws {
        let result = try await rule.verify(on: Mutants.delegate)
        #expect(result.outcome == .passed || !result.isApplicable)
    }

    /// A file for each of thousands of puts takes long.
    private static let small = Rules.matching(["STO-*"]).filter { $0.id != "STO-13" && $0.id != "STO-14" }

    @Test("Every rule for stores holds on the example of the guide", .serialized, arguments: small)
    func example(_ rule: Rule) async throws {
        try await rule.verify(on: SlowFileStoreTests.FileHarness(), worker: Workers.example)
    }
}
