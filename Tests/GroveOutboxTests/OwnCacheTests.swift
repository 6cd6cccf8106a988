import Grove
import GroveCache
import GroveLMDB
import GroveMemory
import GroveOutbox
import TestSupport
import Testing

/// A cache of an application's own: only what the protocol asks for, and no more is known of it.
final class OwnCache: CacheDelegate {
    private struct State {
        var models: [String: any SimpleModel] = [:]
        /// The identifiers of the elements.
        var lists: [String: [String]] = [:]
        var failure: CacheError?
    }
    private let state = Lock(State())

    func fail(_ error: CacheError?) { state.withLock { $0.failure = error } }

    func model<T: SimpleModel>(_ key: String, as type: T.Type) -> T? { state.withLock { $0.models[key] as? T } }

    /// The list under `key`, each element in its newest version; one that was deleted is left out.
    func list<T: SimpleModel>(_ key: String, of type: T.Type) -> [T]? {
        state.withLock { state in state.lists[key]?.compactMap { state.models[$0] as? T } }
    }

    func modelForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable (T?, (any Error)?) -> Void
    ) {
        let failure = state.withLock { $0.failure }
        completion(failure == nil ? cacheKey.flatMap { model($0, as: T.self) } : nil, failure)
    }

    func setModel(_ model: any SimpleModel, forKey cacheKey: String, context: (any Sendable)?) {
        state.withLock { $0.models[cacheKey] = model }
    }

    func collectionForKey<T: SimpleModel>(
        _ cacheKey: String?, context: (any Sendable)?, completion: @escaping @Sendable ([T]?, (any Error)?) -> Void
    ) {
        let failure = state.withLock { $0.failure }
        completion(failure == nil ? cacheKey.flatMap { list($0, of: T.self) } : nil, failure)
    }

    func setCollection(_ collection: [any SimpleModel], forKey cacheKey: String, context: (any Sendable)?) {
        state.withLock { state in
            let elements = collection.compactMap { model in model.modelIdentifier.map { ($0.rawValue, model) } }
            for (name, model) in elements { state.models[name] = model }
            state.lists[cacheKey] = elements.map(\.0)
        }
    }

    func deleteModel(_ model: any SimpleModel, forKey cacheKey: String?, context: (any Sendable)?) {
        state.withLock { $0.models[cacheKey ?? ""] = nil }
    }

    func wipe() async throws(CacheError) { state.withLock { $0 = State() } }
}

/// A model that no cache of Grove can store.
private struct Note: KeyedModel, Model, Equatable {
    let id: Int
    var text = ""

    static func modelIdentifier(for id: Int) -> ModelIdentifier { ModelIdentifier("Note:\(id)") }
    var modelIdentifier: ModelIdentifier? { Note.modelIdentifier(for: id) }
    func map(_ transform: (any Model) -> (any Model)?) -> Note? { self }
    func forEach(_ visit: (any Model) -> Void) {}
}

private struct Jot: Mutation {
    let local: Int
    let text: String
    func apply(to draft: inout Draft) throws {
        try draft.append(Note(id: local, text: text), toCollection: "notes")
    }
    func send(_ api: FakeServer, _ attempt: Attempt) async throws -> Answer {
        try await api.answer("jot:\(local)", attempt)
    }
}

/// Takes a post out of the feed by its identifier alone.
private struct TakeOutByName: Mutation {
    let post: ModelIdentifier
    func apply(to draft: inout Draft) throws { draft.remove(post, fromCollection: "feed") }
    func send(_ api: FakeServer, _ attempt: Attempt) async throws -> Answer {
        try await api.answer("out:\(post)", attempt)
    }
}

@MainActor
@Suite("An outbox over a cache of one's own")
struct OwnCacheTests {
    private let own = OwnCache()
    private let clock = FakeClock()

    /// One launch of an application.
    @MainActor
    private struct Launch {
        let server = FakeServer()
        let outbox: Outbox<FakeServer>
        let manager: DataModelManager
        var told = Scene.Told()

        init<Keeper: NodeStore>(
            _ cache: any CacheDelegate, _ keeper: NormalizedCache<Keeper>, _ clock: FakeClock, _ keys: String = "k"
        ) throws {
            outbox = try Outbox(
                server, for: [Like.self, Edit.self, Write.self, Put.self, TakeOut.self, TakeOutByName.self, Jot.self],
                keptIn: keeper, options: Scene.options(clock, keys))
            manager = DataModelManager(cacheDelegate: cache, outbox: outbox)
            outbox.onProblem = { [told] item, problem in told.problems.append((item.id, problem)) }
        }

        func submit(_ mutation: some Mutation<FakeServer>) { outbox.submit(mutation) }

        func feed(_ posts: [Post]) async -> CollectionDataProvider<Post> {
            let feed = CollectionDataProvider<Post>(dataModelManager: manager)
            feed.setData(posts, cacheKey: "feed")
            await manager.flush()
            return feed
        }
    }

    private func launch() throws -> Launch { try Launch(own, MemoryCache(), clock) }

    private var stored: [Post]? { own.list("feed", of: Post.self) }

    @Test(
        "What is pending survives a relaunch, shows over what the cache has, and is confirmed on screen and in the cache"
    )
    func relaunches() async throws {
        let directory = try TemporaryDirectory()
        func open() throws -> LMDBCache { try LMDBCache(directory: directory.path, options: LMDBOptions()) }
        var keeper = try open()
        let keys: [String]
        do {
            let first = try Launch(own, keeper, clock, "a")
            let feed = await first.feed([Post(id: 1)])
            keys = [
                try await first.outbox.submit(Write(local: -7, text: "hello")).id,
                try await first.outbox.submit(Like(post: 1)).id,
            ]
            #expect(feed.data == [Post(id: 1, likes: 1, isLiked: true), Post(id: -7, text: "hello")])
            await first.manager.flush()
            #expect(stored == [Post(id: 1)])
            first.outbox.close()
            keeper.close()
        }
        keeper = try open()
        let later = try Launch(own, keeper, clock, "b")
        #expect(later.outbox.pending.map(\.id) == keys)
        let feed = CollectionDataProvider<Post>(dataModelManager: later.manager)
        _ = try await feed.fetchDataFromCache(withCacheKey: "feed")
        let liked = Post(id: 1, likes: 1, isLiked: true)
        #expect(feed.data == [liked, Post(id: -7, text: "hello")])
        let row = feed.rows.last?.id
        var frames: [[Int]] = []
        let looking = Task { @MainActor in
            while !Task.isCancelled {
                if frames.last != feed.data.map(\.id) { frames.append(feed.data.map(\.id)) }
                await Task.yield()
            }
        }
        clock.advance(61)
        try await later.server.reply(Answer(Post(id: 90, text: "hello"), replacing: "Post:-7"))
        try await later.server.reply(Answer(Post(id: 1, likes: 5, isLiked: true)))
        await later.outbox.flush()
        looking.cancel()
        await looking.value
        #expect(frames == [[1, -7], [1, 90]])
        #expect(feed.rows.last?.id == row)
        #expect(later.server.seen.map(\.key) == keys)
        let confirmed = [Post(id: 1, likes: 5, isLiked: true), Post(id: 90, text: "hello")]
        #expect(feed.data == confirmed && stored == confirmed)
        #expect(later.outbox.pending.isEmpty && later.told.problems.isEmpty)
        #expect(try !keeper.allKept().contains { $0.name.hasPrefix("outbox.m.") })
        later.outbox.close()
        await later.outbox.flush()
        keeper.close()
    }

    @Test("A list that no screen shows is read, changed and stored whole; its models need no coding")
    func listsOffScreen() async throws {
        own.setCollection((1...3).map { Post(id: $0) }, forKey: "feed", context: nil)
        own.setCollection([Note(id: 1)], forKey: "notes", context: nil)
        let launch = try launch()
        for mutation in [TakeOut(post: 1), Put(post: 3), Put(post: 9, isNew: true), Write(local: -7, text: "a")]
            as [any Mutation<FakeServer>]
        {
            _ = try await launch.outbox.submit(mutation)
        }
        try await launch.outbox.submit(Jot(local: -8, text: "b"))
        for answer in [Answer(), Answer(Post(id: 3)), Answer(Post(id: 9))] { try await launch.server.reply(answer) }
        try await launch.server.reply(Answer(Post(id: 90, text: "a"), replacing: "Post:-7"))
        try await launch.server.reply(Answer(Note(id: 91, text: "b"), replacing: "Note:-8"))
        await launch.outbox.flush()
        #expect(stored?.map(\.id) == [9, 3, 2, 90])
        #expect(own.list("notes", of: Note.self) == [Note(id: 1), Note(id: 91, text: "b")])
        #expect(launch.outbox.pending.isEmpty && launch.told.problems.isEmpty)
    }

    @Test("A list that the cache does not have stays so")
    func absentList() async throws {
        let launch = try launch()
        _ = try await launch.outbox.submit(Write(local: -7, text: "a"))
        try await launch.server.reply(Answer(Post(id: 90, text: "a"), replacing: "Post:-7"))
        await launch.outbox.flush()
        #expect(stored == nil && own.model("Post:90", as: Post.self) == Post(id: 90, text: "a"))
        #expect(launch.outbox.pending.isEmpty && launch.told.problems.isEmpty)
    }

    @Test("A removal that names no type changes a list on screen; one that no screen shows stays, and that is told")
    func untyped() async throws {
        let launch = try launch()
        var feed: CollectionDataProvider? = await launch.feed((1...3).map { Post(id: $0) })
        try await launch.outbox.submit(TakeOutByName(post: "Post:1"))
        #expect(feed?.data.map(\.id) == [2, 3])
        try await launch.server.reply(Answer())
        await launch.outbox.flush()
        #expect(feed?.data.map(\.id) == [2, 3] && stored?.map(\.id) == [2, 3])
        feed = nil
        let item = try await launch.outbox.submit(TakeOutByName(post: "Post:2"))
        try await launch.server.reply(Answer())
        await launch.outbox.flush()
        #expect(stored?.map(\.id) == [2, 3] && launch.outbox.pending.isEmpty)
        guard case (item.id, .unsaved(let error as CacheError))? = launch.told.problems.first else {
            return #expect(Bool(false), "\(launch.told.problems)")
        }
        #expect(error.code == .unsupported && launch.told.problems.count == 1)
    }

    @Test("What the server refuses goes from the screen without a trace in the cache, and is refused after a relaunch")
    func refused() async throws {
        let keeper = try MemoryCache()
        let first = try Launch(own, keeper, clock, "a")
        let feed = await first.feed([Post(id: 1)])
        first.submit(Write(local: -7, text: "hello"))
        try await first.server.fail(Refusal("no"))
        await first.outbox.flush()
        await first.manager.flush()
        #expect(feed.data == [Post(id: 1)] && stored == [Post(id: 1)])
        let later = try Launch(own, keeper, clock, "b")
        guard case .refused? = later.outbox.pending.first?.state else {
            return #expect(Bool(false), "\(later.outbox.pending.map(\.state))")
        }
    }

    @Test("Kept in a cache in memory, what is pending ends with the process")
    func keptNowhere() async throws {
        try await launch().outbox.submit(Like(post: 1))
        #expect(try launch().outbox.pending.isEmpty)
    }

    @Test("If the cache cannot read a list, the mutation stays shown, and is sent again after a relaunch, with its key")
    func failingCache() async throws {
        own.setCollection([Post(id: 1)], forKey: "feed", context: nil)
        let keeper = try MemoryCache()
        let first = try Launch(own, keeper, clock, "a")
        let item = try await first.outbox.submit(Write(local: -7, text: "a"))
        own.fail(CacheError(.inputOutput, "The disk is gone."))
        try await first.server.reply(Answer(Post(id: 90, text: "a"), replacing: "Post:-7"))
        await first.outbox.flush()
        guard case (item.id, .unsaved)? = first.told.problems.first else {
            return #expect(Bool(false), "\(first.told.problems)")
        }
        own.fail(nil)
        clock.advance(61)
        let later = try Launch(own, keeper, clock, "b")
        try await later.server.reply(Answer(Post(id: 90, text: "a"), replacing: "Post:-7"))
        await later.outbox.flush()
        #expect(later.server.lastKey == item.id && stored?.map(\.id) == [1, 90])
    }

    @Test("What was deleted while the mutation was sent does not come back with its confirmation")
    func deletedSince() async throws {
        let launch = try launch()
        let feed = await launch.feed([Post(id: 1)])
        let screen = DataProvider<Post>(dataModelManager: launch.manager)
        launch.submit(Write(local: -7, text: "a"))
        let request = try await launch.server.next()
        screen.setData(Post(id: 90, text: "a"))
        launch.manager.deleteModel(Post(id: 90))
        await launch.manager.flush()
        request.reply(.success(Answer(Post(id: 90, text: "a"), replacing: "Post:-7")))
        await launch.outbox.flush()
        #expect(feed.data == [Post(id: 1)] && stored == [Post(id: 1)])
    }

    @Test("An answer that cannot be compared with what was stored since counts as of now")
    func incomparable() async throws {
        let launch = try launch()
        launch.submit(Like(post: 1))
        let request = try await launch.server.next()
        // No screen shows it, and a delegate cannot say what is older.
        launch.manager.updateModel(Post(id: 1, text: "pushed"))
        await launch.manager.flush()
        request.reply(.success(Answer(Post(id: 1, likes: 1, isLiked: true))))
        await launch.outbox.flush()
        #expect(own.model("Post:1", as: Post.self)?.isLiked == true)
        #expect(launch.outbox.pending.isEmpty)
    }

    @Test("A wipe empties what keeps the mutations too, and what was under way is not stored after it")
    func wipe() async throws {
        let keeper = try MemoryCache()
        let launch = try Launch(own, keeper, clock)
        let feed = await launch.feed([Post(id: 1)])
        launch.submit(Write(local: -7, text: "a"))
        let request = try await launch.server.next()
        try await launch.manager.wipe()
        request.reply(.success(Answer(Post(id: 90, text: "a"), replacing: "Post:-7")))
        await launch.outbox.flush()
        await launch.manager.flush()
        #expect(launch.outbox.unsentAtWipe == 1 && feed.data.isEmpty)
        #expect(try stored == nil && own.model("Post:90", as: Post.self) == nil && keeper.allKept().isEmpty)
    }

    @Test("Nothing is sent without the manager, which alone can store the answer")
    func withoutManager() async throws {
        let server = FakeServer()
        let outbox = try Outbox(server, for: [Like.self], keptIn: MemoryCache(), options: Scene.options(clock))
        _ = try await outbox.submit(Like(post: 1))
        outbox.resume()
        guard case .waiting? = outbox.pending.first?.state else { return #expect(Bool(false), "It is sent.") }
        let manager = DataModelManager(cacheDelegate: own, outbox: outbox)
        try await server.reply(Answer(Post(id: 1, likes: 1, isLiked: true)))
        await outbox.flush()
        await manager.flush()
        #expect(own.model("Post:1", as: Post.self)?.isLiked == true)
    }

    @Test("A cache that tells of its commits works the same way, as its manager knows it")
    func followable() async throws {
        let cache = try MemoryCache(directory: nil, options: MemoryOptions())
        let launch = try Launch(cache, MemoryCache(), clock)
        let feed = await launch.feed([Post(id: 1), Post(id: 2)])
        for mutation in [Write(local: -7, text: "a"), Like(post: 1), TakeOut(post: 2)] as [any Mutation<FakeServer>] {
            _ = try await launch.outbox.submit(mutation)
        }
        let answers = [
            Answer(Post(id: 90, text: "a"), replacing: "Post:-7"), Answer(Post(id: 1, likes: 1, isLiked: true)),
            Answer(),
        ]
        for answer in answers { try await launch.server.reply(answer) }
        await launch.outbox.flush()
        try await cache.flush()
        let confirmed = [Post(id: 1, likes: 1, isLiked: true), Post(id: 90, text: "a")]
        #expect(feed.data == confirmed)
        #expect(try cache.collection("feed", of: Post.self) == confirmed)
        #expect(launch.outbox.pending.isEmpty && launch.told.problems.isEmpty)
    }
}
