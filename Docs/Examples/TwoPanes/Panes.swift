// Two panes, a feed and the people in it, over any backend: what changes in one shows in the other.
import Grove
import GroveOutbox
import GroveSQLite  // for the cache: any backend's module has it

// MARK: Models, without the macro, so that every build of the package has the example.

struct Person: CodableModel, Model, KeyedModel, Equatable {
    let id: Int
    var name: String

    var modelIdentifier: ModelIdentifier? { Self.modelIdentifier(for: id) }
    static func modelIdentifier(for id: Int) -> ModelIdentifier { "Person:\(id)" }
    func forEach(_ visit: (any Model) -> Void) {}
    func map(_ transform: (any Model) -> (any Model)?) -> Person? { self }
}

struct Post: CodableModel, Model, KeyedModel, Equatable {
    let id: Int
    var author: Person
    let text: String
    var likes: Int
    var isLiked: Bool

    var modelIdentifier: ModelIdentifier? { Self.modelIdentifier(for: id) }
    static func modelIdentifier(for id: Int) -> ModelIdentifier { "Post:\(id)" }
    func forEach(_ visit: (any Model) -> Void) { visit(author) }
    func map(_ transform: (any Model) -> (any Model)?) -> Post? {
        (transform(author) as? Person).map { Post(id: id, author: $0, text: text, likes: likes, isLiked: isLiked) }
    }
}

struct LikePost: Mutation {
    let post: Int
    func apply(to draft: inout Draft) throws {
        try draft.update(Post.self, id: post) {
            guard !$0.isLiked else { return }
            $0.isLiked = true
            $0.likes += 1
        }
    }
    func send(_ server: Server, _ attempt: Attempt) async throws -> Answer { Answer(try await server.like(post)) }
}

@MainActor
final class Panes {
    private let feed: CollectionDataProvider<Post>
    private let people: CollectionDataProvider<Person>
    private let manager: DataModelManager
    private let outbox: Outbox<Server>
    private let server: Server
    private let cache: any Cache

    init<Store: NodeStore>(_ cache: NormalizedCache<Store>, _ server: Server) throws {
        (self.cache, self.server) = (cache, server)
        outbox = try Outbox(cache, server, for: [LikePost.self])
        manager = DataModelManager(cache, outbox: outbox)
        feed = CollectionDataProvider(dataModelManager: manager)
        people = CollectionDataProvider(dataModelManager: manager)
    }

    /// Shows what is stored, then what the server says; what is stored stays if it says nothing.
    func load() async {
        _ = try? await feed.load(withCacheKey: "feed") { [server] in try await server.feed() }
        _ = try? await people.load(withCacheKey: "people") { [server] in try await server.people() }
    }

    /// Does one line that the user has typed; false if it is the last one.
    func type(_ line: String) async throws -> Bool {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        switch (words.first, words.dropFirst().first.flatMap { Int($0) }) {
        case ("like", let id?): try await outbox.submit(LikePost(post: id))
        case ("name", let id?):
            try await manager.update(Person.self, id: id, ifMissing: .ignore) { $0.name = words.last ?? $0.name }
        default: break
        }
        return line != "quit"
    }

    /// Returns when everything is stored, shown, and sent or found to be out of reach.
    func settle() async throws {
        for _ in 0..<3 {
            await manager.flush()
            await outbox.flush()
            try await cache.flush()
        }
    }

    func close() async {
        outbox.close()
        await outbox.flush()
        cache.close()
    }
    var frame: String {
        let waiting = Set(outbox.pending.compactMap { ($0.mutation as? LikePost)?.post })
        let left = feed.rows.map { row in
            let post = row.model
            let likes = "\(post.isLiked ? "♥" : "♡") \(post.likes)\(waiting.contains(post.id) ? " …" : "")"
            return fit("\(post.id) \(post.author.name): \(post.text)", 39) + fit(likes, 6)
        }
        let right = people.rows.map { "\($0.model.id) \($0.model.name)" }
        var lines = ["┌─ Feed " + line(40) + "┬─ People " + line(12) + "┐"]
        for index in 0..<max(left.count, right.count) {
            let (post, person) = (index < left.count ? left[index] : "", index < right.count ? right[index] : "")
            lines.append("│ " + fit(post, 45) + " │ " + fit(person, 19) + " │")
        }
        let state =
            if case .failed = feed.state { "no network: this is what is stored" } else { "as the server has it" }
        let unsent = waiting.isEmpty ? "" : "; \(waiting.count) to send"
        return (lines + ["└" + line(47) + "┴" + line(21) + "┘", "  " + state + unsent]).joined(separator: "\n")
    }

    private func line(_ width: Int) -> String { String(repeating: "─", count: width) }
    private func fit(_ text: String, _ width: Int) -> String {
        let cut = text.count > width ? text.prefix(width - 1) + "…" : text[...]
        return cut + String(repeating: " ", count: width - cut.count)
    }
}
