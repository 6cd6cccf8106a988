import GroveCache
import GroveMemory
import GroveModel
import Testing

@Suite("The last reference to a cache")
struct LastReferenceTests {
    @Test("It may be dropped by the queue that ran the cache's last write")
    func droppedByTheWriter() async throws {
        // Whether the caller or the queue is done with the cache first is a race.
        for _ in 0..<2_000 {
            let cache = try MemoryCache()
            try await cache.write { tx in _ = try tx.delete("Note:1") }
        }
    }
}
