import GroveCache
import GroveMemory
import GroveModel
import Synchronization
import TestSupport
import Testing

/// What a follower of a cache is given.
@Suite("Followers")
struct FollowedTests {
    private final class Witness: CacheObserver {
        let commits = Mutex<[ChangeSet]>([])

        func cacheDidCommit(_ changes: ChangeSet) { commits.withLock { $0.append(changes) } }
    }

    /// Whether `changes` has the tree that was written.
    private func hasTree(_ changes: Any) -> Bool {
        var content = ""
        dump(changes, to: &content)
        return content.contains("NodeTree")
    }

    @Test("A follower is told names, and keeps nothing of what was written")
    func names() async throws {
        let witness = Witness()
        let cache = try MemoryCache(observer: witness)
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
        // An observer does not keep it, and is told all.
        #expect(hasTree(try #require(witness.commits.withLock { $0 }.first)))
        #expect(!hasTree(changes))
        withExtendedLifetime(followed) {}
    }
}
