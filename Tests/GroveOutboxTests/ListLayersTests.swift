import Grove
import GroveCache
import GroveMemory
import GroveOutbox
import TestSupport
import Testing

@Suite("What is pending, in lists, filters, streams and after a wipe")
@MainActor
struct ListLayersTests {
    typealias Feed = CollectionDataProvider<Post>

    private let posts = (1...4).map { Post(id: $0) }

    private func settle(_ scene: Scene) async throws {
        await scene.outbox.flush()
        for _ in 0..<3 {
            try await scene.cache.flush()
            await scene.manager.flush()
        }
    }

    @Test("A filter takes an element out in the turn in which a change is submitted, and keeps it out")
    func filter() async throws {
        let scene = try Scene()
        let feed = await scene.feed(posts)
        let open = feed.filtered { !$0.isLiked }.sorted(by: \.likes)
        func shown() -> [Int] { open.rows.map(\.model.id) }
        #expect(shown() == [1, 2, 3, 4])
        _ = scene.submit(Like(post: 2))
        #expect(shown() == [1, 3, 4])
        _ = scene.submit(Edit(post: "Post:2", text: "a"))
        #expect(shown() == [1, 3, 4])
        try await scene.server.reply(Answer(Post(id: 2, likes: 1, isLiked: true)))
        try await scene.server.reply(Answer(Post(id: 2, text: "a", likes: 1, isLiked: true)))
        try await settle(scene)
        #expect(shown() == [1, 3, 4])
        try await scene.cache.write(Post(id: 2, text: "b"))
        try await settle(scene)
        #expect(shown() == [1, 2, 3, 4] && open.rows[1].model.text == "b")
        // A refusal brings it back.
        _ = scene.submit(Like(post: 3))
        #expect(shown() == [1, 2, 4])
        try await scene.server.fail(Refusal("no"))
        try await settle(scene)
        for item in scene.outbox.pending { #expect(scene.outbox.discard(item)) }
        #expect(shown() == [1, 2, 3, 4])
    }

    @Test("A stream of a model gives what is shown: with what is pending")
    func stream() async throws {
        let scene = try Scene()
        let screen = scene.screen(Post(id: 1))
        try await settle(scene)
        let told = Told()
        let stream = screen.changes()
        let listening = Task { for await change in stream { told.posts.append(change.data) } }
        _ = scene.submit(Like(post: 1))
        try await scene.cache.write(Post(id: 1, text: "by another"))
        for _ in 0..<3 { await scene.manager.flush() }
        try await wait { told.posts.last??.text == "by another" }
        #expect(screen.data == Post(id: 1, text: "by another", likes: 1, isLiked: true))
        #expect(told.posts.last == screen.data)
        listening.cancel()
    }

    @MainActor
    private final class Told {
        var posts: [Post?] = []
    }

    @Test("A draft shows in a list that is missing, and at its place when the list comes")
    func missingList() async throws {
        let scene = try Scene()
        let feed = Feed(dataModelManager: scene.manager)
        #expect(try await feed.fetchDataFromCache(withCacheKey: "feed") == nil)
        _ = scene.submit(Write(local: -7, text: "hello"))
        #expect(feed.data.map(\.id) == [-7])
        try await scene.cache.writeCollection(posts, as: "feed")
        for _ in 0..<3 { await scene.manager.flush() }
        #expect(feed.data.map(\.id) == [1, 2, 3, 4, -7])
    }

    @Test("A draft over a list that is missing shows as soon as the cache has said so")
    func missingBehindDraft() async throws {
        let scene = try Scene()
        _ = scene.submit(Write(local: -7, text: "hello"))
        let feed = Feed(dataModelManager: scene.manager)
        #expect(try await feed.fetchDataFromCache(withCacheKey: "feed") == nil)
        #expect(feed.data.map(\.id) == [-7])
        feed.setData([], cacheKey: "other")
        #expect(feed.data.isEmpty)
        // One that has a list of its own goes on to show that.
        let own = Feed(dataModelManager: scene.manager)
        own.setData(posts, cacheKey: nil)
        #expect(try await own.fetchDataFromCache(withCacheKey: "feed") == nil)
        _ = scene.submit(Like(post: 2))
        #expect(own.data.map(\.id) == [1, 2, 3, 4])
    }

    @Test("A draft in an empty list shows to a provider that comes later")
    func emptyList() async throws {
        let scene = try Scene()
        let first = await scene.feed([])
        _ = scene.submit(Write(local: -7, text: "hello"))
        #expect(first.data.map(\.id) == [-7])
        let second = Feed(dataModelManager: scene.manager)
        _ = try await second.fetchDataFromCache(withCacheKey: "feed")
        #expect(second.data.map(\.id) == [-7])
    }

    @Test("A wipe empties a paused list over which something was pending")
    func wipePaused() async throws {
        let scene = try Scene()
        let feed = await scene.feed(posts)
        _ = scene.submit(Like(post: 2))
        feed.isPaused = true
        try await scene.manager.wipe()
        #expect(feed.data.isEmpty)
        feed.setData([Post(id: 9)], cacheKey: "feed")
        #expect(feed.data.map(\.id) == [9])
    }

    @Test("A wipe is told to a batch of models, once")
    func wipeBatch() async throws {
        let scene = try Scene()
        let screens = [scene.screen(Post(id: 1)), scene.screen(Post(id: 2))]
        let batch = BatchDataProviderListener(dataProviders: screens, dataModelManager: scene.manager)
        let listener = BatchListener()
        batch.delegate = listener
        try await settle(scene)
        listener.counts = []
        try await scene.manager.wipe()
        #expect(listener.counts == [2])
    }

    @MainActor
    private final class BatchListener: BatchDataProviderListenerDelegate {
        var counts: [Int] = []
        func batchDataProviderListener(
            _ batchListener: BatchDataProviderListener, hasUpdatedDataProviders dataProviders: [any BatchListenable],
            context: (any Sendable)?
        ) { counts.append(dataProviders.count) }
    }
}
