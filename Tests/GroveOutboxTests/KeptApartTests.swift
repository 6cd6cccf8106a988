import Grove
import GroveCache
import GroveLMDB
import GroveMemory
import GroveOutbox
import GroveSQLite
import TestSupport
import Testing

/// An outbox over a cache in memory, which keeps what is pending in a store of its own.
@MainActor
@Suite("What is kept apart from the cache")
struct KeptApartTests {
    private let directory: TemporaryDirectory
    private let clock = FakeClock()

    init() throws { directory = try TemporaryDirectory() }

    /// One launch of an application.
    @MainActor
    private struct Launch {
        let server = FakeServer()
        let cache: MemoryCache
        let outbox: Outbox<FakeServer>
        let manager: DataModelManager

        init<Keeper: NodeStore>(_ keeper: NormalizedCache<Keeper>, _ clock: FakeClock, _ keys: String) throws {
            cache = try MemoryCache(directory: nil, options: MemoryOptions())
            outbox = try Outbox(
                cache, server, for: [Like.self, Edit.self, Write.self], keptIn: keeper,
                options: Scene.options(clock, keys))
            manager = DataModelManager(cache, outbox: outbox)
        }

        func feed(_ posts: [Post]) async -> CollectionDataProvider<Post> {
            let feed = CollectionDataProvider<Post>(dataModelManager: manager)
            feed.setData(posts, cacheKey: "feed")
            await manager.flush()
            return feed
        }
    }

    @Test(
        "Over a cache in memory what is pending survives a relaunch, shows, is sent and confirmed; in a store of SQLite"
    )
    func sqlite() async throws {
        try await relaunches { try SQLiteCache(directory: directory.path + "/kept", options: SQLiteOptions()) }
    }

    @Test("The same in a store of LMDB")
    func lmdb() async throws {
        try await relaunches { try LMDBCache(directory: directory.path + "/kept", options: LMDBOptions()) }
    }

    @Test("What is confirmed while the store is suspended shows once, and is sent again with its key")
    func suspended() async throws {
        let keeper = try LMDBCache(directory: directory.path + "/kept", options: LMDBOptions())
        let launch = try Launch(keeper, clock, "a")
        let feed = await launch.feed([Post(id: 1)])
        var problems = 0
        launch.outbox.onProblem = { _, _ in problems += 1 }
        let key = try await launch.outbox.submit(Write(local: -7, text: "a")).id
        let row = try #require(feed.rows.last?.id)
        let answer = Answer(Post(id: 90, text: "a"), replacing: "Post:-7")
        let request = try await launch.server.next()
        try await keeper.suspend()
        request.reply(.success(answer))
        try await wait { problems == 1 }
        try await keeper.resume()
        launch.outbox.resume()
        let again = try await launch.server.next()
        await launch.manager.flush()
        #expect(again.attempt.key == key && feed.rows.last?.id == row)
        #expect(feed.data == [Post(id: 1), Post(id: 90, text: "a")])
        again.reply(.success(answer))
        await launch.outbox.flush()
        await launch.manager.flush()
        #expect(feed.data == [Post(id: 1), Post(id: 90, text: "a")] && feed.rows.last?.id == row)
        #expect(try launch.cache.collection("feed", of: Post.self)?.map(\.id) == [1, 90])
        #expect(launch.outbox.pending.isEmpty)
        launch.outbox.close()
        await launch.outbox.flush()
        keeper.close()
    }

    private func relaunches<Keeper: NodeStore>(_ open: () throws -> NormalizedCache<Keeper>) async throws {
        var keeper = try open()
        let keys: [String]
        do {
            let first = try Launch(keeper, clock, "a")
            let feed = await first.feed([Post(id: 1)])
            keys = [
                try await first.outbox.submit(Write(local: -7, text: "hello")).id,
                try await first.outbox.submit(Like(post: 1)).id,
            ]
            #expect(feed.data == [Post(id: 1, likes: 1, isLiked: true), Post(id: -7, text: "hello")])
            #expect(try first.cache.allKept().isEmpty)
            first.outbox.close()
            keeper.close()
        }
        keeper = try open()
        let later = try Launch(keeper, clock, "b")
        #expect(later.outbox.pending.map(\.id) == keys)
        // What is confirmed was in memory; what is pending shows over what the server says.
        let feed = await later.feed([Post(id: 1)])
        #expect(feed.data == [Post(id: 1, likes: 1, isLiked: true), Post(id: -7, text: "hello")])
        clock.advance(61)
        try await later.server.reply(Answer(Post(id: 90, text: "hello"), replacing: "Post:-7"))
        try await later.server.reply(Answer(Post(id: 1, likes: 5, isLiked: true)))
        await later.outbox.flush()
        #expect(later.server.seen.map(\.key) == keys)
        #expect(feed.data == [Post(id: 1, likes: 5, isLiked: true), Post(id: 90, text: "hello")])
        #expect(try later.cache.model(Post.self, id: 1)?.likes == 5)
        #expect(try later.cache.collection("feed", of: Post.self)?.map(\.id) == [1, 90])
        #expect(try !keeper.allKept().contains { $0.name.hasPrefix("outbox.m.") })
        keeper.close()
        keeper = try open()
        #expect(try Launch(keeper, clock, "c").outbox.pending.isEmpty)
        keeper.close()
    }

    @Test("A wipe of the manager has emptied that store when it returns, and a refusal is there after a relaunch")
    func wipe() async throws {
        let keeper = try SQLiteCache(directory: directory.path, options: SQLiteOptions())
        let first = try Launch(keeper, clock, "a")
        let screen = DataProvider<Post>(dataModelManager: first.manager)
        screen.setData(Post(id: 1))
        try await first.outbox.submit(Like(post: 1))
        try await first.server.fail(Refusal("no"))
        await first.outbox.flush()
        #expect(screen.data?.isLiked == false)
        let later = try Launch(keeper, clock, "b")
        guard case .refused? = later.outbox.pending.first?.state else {
            return #expect(Bool(false), "\(later.outbox.pending.map(\.state))")
        }
        try await later.manager.wipe()
        #expect(later.outbox.unsentAtWipe == 1 && later.outbox.pending.isEmpty)
        #expect(try keeper.allKept().isEmpty)
        #expect(try Launch(keeper, clock, "c").outbox.pending.isEmpty)
        keeper.close()
    }
}
