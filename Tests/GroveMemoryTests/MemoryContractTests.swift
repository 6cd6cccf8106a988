import GroveCache
import GroveModel
import StoreTesting
import Testing

@testable import GroveMemory

@Suite("What memory promises as a store")
struct MemoryContractTests {
    /// The usual hash, one that collides always, and one that collides often and in its low bits.
    private static let hashes = [
        ByteHash(), ByteHash(seed: 1, mask: 0), ByteHash(seed: 2, mask: 0x8000_0000_0000_0041),
    ]

    @Test(
        "Memory keeps the contract", arguments: StoreContract<MemoryStore>.checks + [StoreContract.exactSizes], hashes)
    func contract(_ check: StoreContract<MemoryStore>.Check, hash: ByteHash) async throws {
        try await check { _ in MemoryStore(hash: hash) }
    }

    @Test("A cache on Memory comes and goes", arguments: CacheLife<MemoryStore>.checks)
    func life(_ check: CacheLife<MemoryStore>.Check) async throws {
        try await check(MemoryOptions())
    }
}
