import GroveCache
import GroveMemory
import GroveModel
import Testing

@Suite("The last reference to a cache")
struct LastReferenceTests {
    @Test("It may be dropped by the queue that ran the cache's last write")
    func droppedByTheWriter() async throws {
        // Whether the caller or the queue is done with the cache first is a race.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    for _ in 0..<200 {
                        let cache = try MemoryCache()
                        try await cache.write { [cache] tx in
                            _ = cache
                            _ = try tx.delete("Note:1")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}
