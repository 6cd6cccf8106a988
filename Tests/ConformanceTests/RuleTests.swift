import FileStore
import GroveConformance
import GroveHarnesses
import GroveMutants
import Testing

/// The seed of this run, which every failure prints.
let seed = Rule.environmentSeed

/// The whole kit on every backend: side by side, each backend's rules one after the other.
@Suite struct RuleTests {
    @Test("Every rule holds in memory", .serialized, arguments: Rules.all)
    func memory(_ rule: Rule) async throws {
        try await rule.verify(on: MemoryHarness(), worker: Workers.command("memory"))
    }

    @Test("Every rule holds on LMDB", .serialized, arguments: Rules.all)
    func lmdb(_ rule: Rule) async throws {
        try await rule.verify(on: LMDBHarness(), worker: Workers.command("lmdb"))
    }

    @Test("Every rule holds on SQLite", .serialized, arguments: Rules.all)
    func sqlite(_ rule: Rule) async throws {
        try await rule.verify(on: SQLiteHarness(), worker: Workers.command("sqlite"))
    }

    @Test("Every rule holds on LevelDB", .serialized, arguments: Rules.all)
    func levelDB(_ rule: Rule) async throws {
        try await rule.verify(on: LevelDBHarness(), worker: Workers.command("leveldb"))
    }
}

/// That the rules ask for nothing but what they say: correct stores of other kinds pass them.
@Suite struct ReferenceTests {
    @Test("Every rule holds on the correct store of which the mutants are made", .serialized, arguments: Rules.all)
    func reference(_ rule: Rule) async throws { try await rule.verify(on: Mutants.reference) }

    @Test("Every rule holds on the correct persistent store", .serialized, arguments: Rules.all)
    func log(_ rule: Rule) async throws { try await rule.verify(on: Mutants.log(Workers.mutant("log"))) }

    @Test(
        "Every rule for delegates holds on one that shares no code with the cache", .serialized,
        arguments: Rules.all(of: .delegate))
    func delegate(_ rule: Rule) async throws {
        let result = try await rule.verify(on: Mutants.delegate)
        #expect(result.outcome == .passed || !result.isApplicable)
    }

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

/// The example of Docs/ImplementingABackend.
@Suite struct FileStoreTests {
    struct FileHarness: StoreHarness {
        typealias Store = FileStore
        let options = FileStore.Options()
    }

    /// A file for each of a hundred thousand nodes takes a while; the executable checks that too.
    private static let cheap = Rules.all.filter { $0.id != "CON-11" && $0.id != "LIF-03" }

    @Test("Every rule holds on the example, a file for each node", .serialized, arguments: cheap)
    func files(_ rule: Rule) async throws { try await rule.verify(on: FileHarness(), worker: Workers.example) }
}
