import GroveCache
import GroveModel
import GroveSQLite
import StoreTesting
import Testing
import TestSupport

@Suite("What SQLite promises as a store")
struct SQLiteContractTests {
    @Test("SQLite keeps the contract", arguments: StoreContract<SQLiteStore>.checks + [StoreContract.badKeys])
    func contract(_ check: StoreContract<SQLiteStore>.Check) async throws {
        try await check { path in try SQLiteStore(directory: path, options: SQLiteOptions()) }
    }

    @Test("A cache on SQLite comes and goes", arguments: CacheLife<SQLiteStore>.checks)
    func life(_ check: CacheLife<SQLiteStore>.Check) async throws {
        try await check(SQLiteOptions())
    }
}

extension TemporaryDirectory {
    func open(_ options: SQLiteOptions = SQLiteOptions(), hashMask: UInt64 = .max) throws(CacheError) -> SQLiteStore {
        try SQLiteStore(directory: path, options: options, hashMask: hashMask)
    }
}
