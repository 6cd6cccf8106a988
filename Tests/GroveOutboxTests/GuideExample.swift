// The code of Docs/Guides/PendingChanges.md, between the rules; a test holds the two together.
import Grove
import GroveCache
import GroveMemory
import GroveOutbox

struct BlogAPI: Sendable {
    var like: @Sendable (_ post: Int, _ key: String) async throws -> Post
    var publish: @Sendable (_ text: String, _ key: String) async throws -> Post
}

// ---8<---
struct LikePost: Mutation {
    let post: Int

    func apply(to draft: inout Draft) throws {
        try draft.update(Post.self, id: post) {
            guard !$0.isLiked else { return }
            $0.isLiked = true
            $0.likes += 1
        }
    }

    func send(_ api: BlogAPI, _ attempt: Attempt) async throws -> Answer {
        Answer(try await api.like(post, attempt.key))
    }
}

struct PublishPost: Mutation {
    let local: Int
    let text: String

    func apply(to draft: inout Draft) throws {
        try draft.append(Post(id: local, text: text), toCollection: "blog")
    }

    func send(_ api: BlogAPI, _ attempt: Attempt) async throws -> Answer {
        Answer(try await api.publish(text, attempt.key), replacing: Post.modelIdentifier(for: local))
    }
}
// ---8<---

@MainActor
func openBlog(_ cache: MemoryCache, _ api: BlogAPI) throws -> (Outbox<BlogAPI>, DataModelManager) {
    // ---8<---
    let outbox = try Outbox(cache, api, for: [LikePost.self, PublishPost.self])
    let manager = DataModelManager(cache, outbox: outbox)
    outbox.onProblem = { item, problem in print("\(item.id): \(problem)") }
    // ---8<---
    return (outbox, manager)
}

@MainActor
func useBlog(_ outbox: Outbox<BlogAPI>) {
    // ---8<---
    outbox.submit(LikePost(post: 34))
    let message = outbox.submit(PublishPost(local: -1, text: "Hello"), delay: 5)
    outbox.discard(message)  // "undo", within five seconds
    // ---8<---
}

@MainActor
func openBlog(keptIn keeper: MemoryCache, _ api: BlogAPI) throws -> Outbox<BlogAPI> {
    // ---8<---
    let outbox = try Outbox(MemoryCache(), api, for: [LikePost.self, PublishPost.self], keptIn: keeper)
    // ---8<---
    return outbox
}

@MainActor
func openBlog(
    over cache: any CacheDelegate, keptIn keeper: MemoryCache, _ api: BlogAPI
) throws -> (Outbox<BlogAPI>, DataModelManager) {
    // ---8<---
    let outbox = try Outbox(api, for: [LikePost.self, PublishPost.self], keptIn: keeper)
    let manager = DataModelManager(cacheDelegate: cache, outbox: outbox)
    // ---8<---
    return (outbox, manager)
}

@MainActor
func followBlog(
    _ outbox: Outbox<BlogAPI>, _ manager: DataModelManager,
    _ nextPush: () async throws -> (post: Post, keys: Set<String>)?
) async throws {
    // ---8<---
    while true {
        let asked = manager.place()
        guard let push = try await nextPush() else { return }
        await outbox.receive(Answer(push.post, includes: push.keys), asOf: asked)
    }
    // ---8<---
}
