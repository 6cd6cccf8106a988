// The code of Docs/Guides/SigningOut.md, between rules; a test holds the two together.
// -----
import Grove
import GroveSQLite

/// What belongs to the user who is signed in.
@MainActor
final class Session {
    let cache: SQLiteCache
    let manager: DataModelManager

    init(directory: String) throws {
        cache = try SQLiteCache(directory: directory, budget: CacheBudget(bytes: 50_000_000))
        manager = DataModelManager(cacheDelegate: cache)
    }
    /// Empties the screens, the memory and the store, with which the next user may go on.
    func signOut() async throws {
        try await manager.wipe()
    }
}
// -----
/// A task of your own, whose write throws `cancelled` if the user signs out while it waits for the network.
func refreshInbox(_ cache: any Cache, _ fetch: @Sendable () async throws -> [Message]) async throws {
    let asked = cache.place()
    let messages = try await fetch()
    try await cache.writeCollection(messages, as: "inbox", asOf: asked)
}
// -----
