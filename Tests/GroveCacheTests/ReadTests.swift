import GroveCache
import GroveMemory
import GroveModel
import Testing

@Suite("Reads and the ends of caches", .serialized)
struct ReadTests {
    @Test("A node that holds a smaller projection of itself is no cycle")
    func ownProjection() throws {
        let cache = try MemoryCache()
        let link = ForkLink(id: "a", left: ForkStub(id: "a"), right: ForkStub(id: "b"))
        try cache.write(link)
        #expect(try cache.model("Fork:a", as: ForkLink.self) == link)
    }
}
