// Shorter examples of the guides about the cache: Cache, Eviction, Observing and Writing.
import GroveMacros
import GroveSQLite

@Cacheable
struct Price {
    let id: Int
    let cents: Int
}

struct CacheFragments {
    struct Server: Sendable {
        func messages() async throws -> [Message] { [] }
    }

    let directory: String
    let server = Server()

    func budget() throws -> SQLiteCache {
        let cache = try SQLiteCache(
            directory: directory, options: SQLiteOptions(), budget: CacheBudget(bytes: 50_000_000))
        return cache
    }

    func shortBudget() throws -> SQLiteCache {
        let cache = try SQLiteCache(directory: directory, budget: CacheBudget(bytes: 50_000_000))
        return cache
    }

    func answer(_ cache: SQLiteCache) async throws {
        let asked = cache.place()  // before the request is sent
        let messages = try await server.messages()
        try await cache.write(contentsOf: messages, asOf: asked)
    }

    func pins(_ cache: SQLiteCache) throws {
        try cache.retain("Conversation:7")  // and everything below it, now and later
        try cache.retain(collection: "inbox")
        try cache.release("Conversation:7")
    }

    func age(_ cache: SQLiteCache) throws -> Price? {
        let price = try cache.model("Price:7", as: Price.self, maxAge: 60)  // nil if it is older than a minute
        return price
    }

    func put(_ message: Message, into cache: SQLiteCache) throws {
        try cache.write { tx in
            if try tx.knownCount(ofCollection: "inbox") == nil { try tx.writeCollection([Message](), as: "inbox") }
            try tx.append([message], toCollection: "inbox")
        }
    }

    /// What an application makes of the whole cache.
    struct Kept {
        var token: ChangeToken?
        mutating func beginAnew(_ cache: SQLiteCache) throws {}
        mutating func take(_ changes: ChangeSet, _ cache: SQLiteCache) throws {}
    }

    func follow(_ former: Kept) async throws {
        var kept = former
        let cache = try SQLiteCache(directory: directory, history: 1_000)
        for await changes in cache.changes(since: kept.token) {
            if changes.changesEverything { try kept.beginAnew(cache) } else { try kept.take(changes, cache) }
            // A ChangeToken is Codable: store it with what was made of the changes.
            kept.token = changes.token ?? kept.token
        }
    }
}
