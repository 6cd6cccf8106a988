import FileStore
import GroveConformance
import GroveHarnesses
import GroveMutants
import Testing

/// The rules that take long, on every backend.
///
/// `make slow` runs these, and `make test` does not.
@Suite struct SlowRuleTests {
    @Test("Every slow rule holds in memory", .serialized, arguments: Tier.slow)
    func memory(_ rule: Rule) async throws {
        try await rule.verify(on: MemoryHarness(), worker: Workers.command("memory"))
    }

    @Test("Every slow rule holds on LMDB", .serialized, arguments: Tier.slow)
    func lmdb(_ rule: Rule) async throws {
        try await rule.verify(on: LMDBHarness(), worker: Workers.command("lmdb"))
    }

    @Test("Every slow rule holds on SQLite", .serialized, arguments: Tier.slow)
    func sqlite(_ rule: Rule) async throws {
        try await rule.verify(on: SQLiteHarness(), worker: Workers.command("sqlite"))
    }

    @Test("Every slow rule holds on LevelDB", .serialized, arguments: Tier.slow)
    func levelDB(_ rule: Rule) async throws {
        try await rule.verify(on: LevelDBHarness(), worker: Workers.command("leveldb"))
    }

    @Test("Every slow rule holds on the correct store of which the mutants are made", .serialized, arguments: Tier.slow)
    func reference(_ rule: Rule) async throws { try await rule.verify(on: Mutants.reference) }

    @Test(
        "Every slow rule for delegates holds on one that shares no code with the cache", .serialized,
        arguments: Rules.all(of: .delegate).filter { rule in Tier.slow.contains { $0.id == rule.id } })
    func delegate(_ rule: Rule) async throws {
        let result = try await rule.verify(on: Mutants.delegate)
        #expect(result.outcome == .passed || !result.isApplicable)
    }
}

/// That the rules ask for nothing but what they say: correct stores of other kinds pass them.
@Suite struct SlowOddStoreTests {
    @Test("Every rule holds on the correct persistent store", .serialized, arguments: Rules.all)
    func log(_ rule: Rule) async throws { try await rule.verify(on: Mutants.log(Workers.mutant("log"))) }

    /// The odd backends do what takes long more slowly still.
    private static let light = Rules.all.filter { $0.timeLimit <= .seconds(60) }

    @Test("Every rule holds on a slow store", .serialized, arguments: light)
    func slow(_ rule: Rule) async throws { try await rule.verify(on: Odd.slow) }

    @Test("Every rule holds where completions come out of order", .serialized, arguments: light)
    func reordering(_ rule: Rule) async throws { try await rule.verify(on: Odd.reordering) }

    @Test("No rule blames a cache that evicts everything", .serialized, arguments: light)
    func forgetful(_ rule: Rule) async throws { try await rule.verify(on: Odd.forgetful) }

    @Test("No rule blames a store whose reads fail typed now and then", .serialized, arguments: light)
    func failing(_ rule: Rule) async throws { try await rule.verify(on: Odd.failing) }
}

/// The example of Docs/Backends/ImplementingABackend.
@Suite struct SlowFileStoreTests {
    struct FileHarness: StoreHarness {
        typealias Store = FileStore
        let options = FileStore.Options()
    }

    /// A file for each of a hundred thousand nodes takes a while; the executable checks that too.
    private static let cheap = Rules.all.filter { !["CON-11", "LIF-03", "STO-14", "TXN-10"].contains($0.id) }

    @Test("Every rule holds on the example, a file for each node", .serialized, arguments: cheap)
    func files(_ rule: Rule) async throws { try await rule.verify(on: FileHarness(), worker: Workers.example) }
}
