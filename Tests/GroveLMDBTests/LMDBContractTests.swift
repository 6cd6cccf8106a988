import GroveCache
import GroveLMDB
import GroveModel
import StoreTesting
import Testing
import TestSupport

@Suite("What LMDB promises as a store")
struct LMDBContractTests {
    @Test("LMDB keeps the contract", arguments: StoreContract<LMDBStore>.checks + [StoreContract.badKeys])
    func contract(_ check: StoreContract<LMDBStore>.Check) async throws {
        try await check { path in try LMDBStore(directory: path, options: LMDBOptions()) }
    }

    @Test("A cache on LMDB comes and goes", arguments: CacheLife<LMDBStore>.checks)
    func life(_ check: CacheLife<LMDBStore>.Check) async throws {
        try await check(LMDBOptions())
    }
}

extension TemporaryDirectory {
    func open(_ options: LMDBOptions = LMDBOptions(), hashMask: UInt64 = .max) throws(CacheError) -> LMDBStore {
        try LMDBStore(directory: path, options: options, hashMask: hashMask)
    }
}
