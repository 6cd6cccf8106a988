// The example of README.md, between the two rules; a test holds the two together.
// -----
import Grove
import GroveMacros  // @Cacheable needs the trait: .package(path: "../grove", traits: ["Macros"])
import GroveSQLite

@Cacheable
struct Person {
    let id: String
    let name: String
    let isOnline: Bool
}

@Cacheable
struct Message {
    let id: String
    let text: String
    let sender: Person  // stored once, as a record of its own, for all messages of this person
}

@MainActor
func example(directory: String) async throws -> Message? {
    let cache = try SQLiteCache(directory: directory, budget: CacheBudget(bytes: 50_000_000))
    let manager = DataModelManager(cacheDelegate: cache)
    // Show what the cache has. If it is older than a minute, ask the network, show and store its answer.
    let screen = DataProvider<Message>(dataModelManager: manager)
    try await screen.load(withCacheKey: "Message:34", maxAge: 60) {
        Message(id: "34", text: "Hello", sender: Person(id: "1", name: "Ann", isOnline: false))
    }
    // Another screen learns that Ann is online. Views of SwiftUI that read `screen.data` are drawn again.
    manager.updateModel(Person(id: "1", name: "Ann", isOnline: true))
    await manager.flush()
    assert(screen.data?.sender.isOnline == true)
    return try cache.model("Message:34")  // the same after the next start, without the network
}
// -----
