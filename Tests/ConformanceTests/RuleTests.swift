import GroveConformance
import GroveMutants
import Testing

/// The seed of this run, which every failure prints.
let seed = UInt64.random(in: 1...UInt64(UInt32.max))

/// The whole kit on every backend: side by side, each backend's rules one after the other.
@Suite struct RuleTests {
    @Test("Every rule holds in memory", .serialized, arguments: Rules.all.map(\.id))
    func memory(_ id: String) async { await check(id, StoreBackend(MemoryHarness())) }

    @Test("Every rule holds on LMDB", .serialized, arguments: Rules.all.map(\.id))
    func lmdb(_ id: String) async { await check(id, StoreBackend(LMDBHarness())) }

    @Test("Every rule holds on SQLite", .serialized, arguments: Rules.all.map(\.id))
    func sqlite(_ id: String) async { await check(id, StoreBackend(SQLiteHarness())) }

    @Test("Every rule holds on LevelDB", .serialized, arguments: Rules.all.map(\.id))
    func levelDB(_ id: String) async { await check(id, StoreBackend(LevelDBHarness())) }

    @Test(
        "Every rule holds on the correct store of which the mutants are made", .serialized,
        arguments: Rules.all.map(\.id))
    func reference(_ id: String) async { await check(id, Mutants.reference) }

    private func check(_ id: String, _ backend: any ConformanceBackend) async {
        let report = await ConformanceRunner(rules: Rules.matching([id]), seed: seed).run([backend])
        for result in report.backends.flatMap(\.results) {
            let isBroken = result.isBroken
            #expect(
                !isBroken,
                "\(id) on \(backend.name), seed \(seed): \(result.rule.text) \(result.outcome.rawValue): \(result.message)"
            )
        }
    }
}
