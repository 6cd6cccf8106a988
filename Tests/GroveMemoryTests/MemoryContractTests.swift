import GroveCache
import GroveMemory
import GroveModel
import StoreTesting
import Testing

@Suite("What memory promises as a store")
struct MemoryContractTests {
    @Test("Memory keeps the contract", arguments: StoreContract<MemoryStore>.checks + [StoreContract.exactSizes])
    func contract(_ check: StoreContract<MemoryStore>.Check) async throws {
        try await check { _ in try MemoryStore() }
    }

    @Test("A cache on Memory comes and goes", arguments: CacheLife<MemoryStore>.checks)
    func life(_ check: CacheLife<MemoryStore>.Check) async throws {
        try await check(MemoryOptions())
    }
}
