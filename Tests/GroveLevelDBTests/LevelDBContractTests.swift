import GroveCache
import GroveLevelDB
import GroveModel
import StoreTesting
import TestSupport
import Testing

@Suite("What LevelDB promises as a store")
struct LevelDBContractTests {
    /// As it comes, and with commits that go from memory to tables all the time.
    private static let options = [LevelDBOptions(), LevelDBOptions(writeBufferBytes: 64 << 10, syncsEachCommit: false)]

    @Test(
        "LevelDB keeps the contract", arguments: StoreContract<LevelDBStore>.checks + [StoreContract.exactSizes],
        options)
    func contract(_ check: StoreContract<LevelDBStore>.Check, options: LevelDBOptions) async throws {
        try await check { path in try LevelDBStore(directory: path, options: options) }
    }

    @Test("A cache on LevelDB comes and goes", arguments: CacheLife<LevelDBStore>.checks)
    func life(_ check: CacheLife<LevelDBStore>.Check) async throws {
        try await check(LevelDBOptions())
    }
}

extension TemporaryDirectory {
    func open(_ options: LevelDBOptions = LevelDBOptions()) throws(CacheError) -> LevelDBStore {
        try LevelDBStore(directory: path, options: options)
    }
}
