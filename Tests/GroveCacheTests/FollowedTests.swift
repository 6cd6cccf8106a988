import GroveCache
import GroveMemory
import GroveModel
import Synchronization
import TestSupport
import Testing

/// What a follower of a cache is given.
@Suite("Followers")
struct FollowedTests {
    @Test("A follower is told names, and keeps nothing of what was written")
    func names() async throws {
        let cache = try MemoryCache()
        let told = Mutex<[any CommittedChanges]>([])
        let followed = cache.followed(by: { changes in told.withLock { $0.append(changes) } })
        let text = String(repeating: "x", count: 10_000)
        try await cache.write(Message(id: "34", text: text, sender: Person(id: "1", name: "Ann", age: 30)))
        try await cache.flush()
        let all = told.withLock { $0 }
        let changes = try #require(all.first)
        let names: Set<ModelIdentifier> = ["Message:34", "Person:1", "Person:2"]
        let changed = changes.changed(among: names) { names.contains($0) }
        #expect(Set(changed) == ["Message:34", "Person:1"])
        #expect(changes.count == 2)
        var content = ""
        dump(changes, to: &content)
        #expect(!content.contains("NodeTree"), "\(content)")
        withExtendedLifetime(followed) {}
    }
}
