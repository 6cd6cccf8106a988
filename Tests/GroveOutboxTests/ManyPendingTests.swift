import Grove
import GroveCache
import GroveMemory
import GroveOutbox
import TestSupport
import Testing

/// A like that counts how often it is applied.
private struct CountedLike: Mutation {
    static let applied = Lock(0)
    let post: Int
    func apply(to draft: inout Draft) throws {
        Self.applied.withLock { $0 += 1 }
        try Like(post: post).apply(to: &draft)
    }
    func send(_ api: FakeServer, _ attempt: Attempt) async throws -> Answer { Answer() }
}

@MainActor
@Suite("Many pending mutations")
struct ManyPendingTests {
    @Test("Those that are kept are applied once when a list is shown, and once when it changes, however long it is")
    func appliedOnce() async throws {
        let cache = try MemoryCache(directory: nil, options: MemoryOptions())
        var options = Scene.options(FakeClock())
        options.checksTwice = false
        func open() throws -> Outbox<FakeServer> {
            let outbox = try Outbox(cache, FakeServer(), for: [CountedLike.self], options: options)
            outbox.suspend()
            return outbox
        }
        let first = try open()
        for post in 1...50 { try await first.submit(CountedLike(post: post)) }
        CountedLike.applied.withLock { $0 = 0 }
        let outbox = try open()
        #expect(outbox.pending.map { ($0.mutation as? CountedLike)?.post } == Array(1...50))
        let manager = DataModelManager(cache, outbox: outbox)
        let feed = CollectionDataProvider<Post>(dataModelManager: manager)
        feed.setData((1...40).map { Post(id: $0) }, cacheKey: "feed")
        #expect(feed.data.allSatisfy { $0.isLiked && $0.likes == 1 })
        #expect(CountedLike.applied.withLock { $0 } == 50)
        feed.setData((1...40).map { Post(id: $0, text: "new") }, cacheKey: "feed")
        #expect(feed.data.allSatisfy { $0.isLiked && $0.likes == 1 && $0.text == "new" })
        #expect(CountedLike.applied.withLock { $0 } == 100)
        await manager.flush()
        #expect(outbox.pending.count == 50)
    }

    @Test("A manager that outlives its outbox shows what is confirmed")
    func outboxIsGone() throws {
        let cache = try MemoryCache(directory: nil, options: MemoryOptions())
        var outbox: Outbox<FakeServer>? = try Outbox(cache, FakeServer(), for: [Like.self])
        let manager = try DataModelManager(cache, outbox: #require(outbox))
        let screen = DataProvider<Post>(dataModelManager: manager)
        screen.setData(Post(id: 1))
        outbox?.suspend()
        outbox?.submit(Like(post: 1))
        #expect(screen.data?.isLiked == true)
        outbox = nil
        screen.setData(Post(id: 1, text: "new"))
        #expect(screen.data?.text == "new")
    }

    @Test("One of many that cannot be decoded leaves the others as they are")
    func oneUnreadable() async throws {
        let cache = try MemoryCache(directory: nil, options: MemoryOptions())
        let scene = try Scene(cache)
        scene.outbox.suspend()
        let keys = [
            try await scene.outbox.submit(Like(post: 1)).id, try await scene.outbox.submit(Like(post: 2)).id,
            try await scene.outbox.submit(Like(post: 3)).id,
        ]
        try await cache.write { tx in
            let name = "outbox.m." + keys[1]
            var bytes = try tx.kept(name) ?? []
            // The body ends the record: `{"post":2}`.
            bytes[bytes.count - 2] = UInt8(ascii: "x")
            try tx.keep(bytes, as: name)
        }
        let later = try Scene(cache, keys: "later")
        #expect(later.outbox.pending.map(\.id) == keys)
        #expect(later.outbox.pending.map { ($0.mutation as? Like)?.post } == [1, nil, 3])
    }
}
