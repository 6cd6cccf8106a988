import Grove
import GroveCache
import GroveMemory
import GroveOutbox
import TestSupport
import Testing

@Suite("An outbox")
@MainActor
struct OutboxTests {
    @Test("A like shows on every screen in the turn in which it is submitted, and the cache does not have it")
    func showsAtOnce() async throws {
        let scene = try Scene()
        let screen = scene.screen(Post(id: 34, text: "a", likes: 5))
        let page = DataProvider<Page>(dataModelManager: scene.manager)
        page.setData(Page(id: 1, post: Post(id: 34, text: "a", likes: 5)))
        let feed = await scene.feed([Post(id: 1), Post(id: 34, text: "a", likes: 5)])
        scene.outbox.suspend()
        _ = scene.submit(Like(post: 34))
        #expect(screen.data?.likes == 6)
        #expect(page.data?.post.likes == 6)
        #expect(feed.data.map(\.likes) == [0, 6])
        await scene.manager.flush()
        await scene.outbox.flush()
        #expect(try scene.cache.model(Post.self, id: 34)?.likes == 5)
    }

    @Test("A confirmation is stored and shown below all layers, and told once")
    func confirms() async throws {
        let scene = try Scene()
        let screen = scene.screen(Post(id: 34, likes: 5))
        await scene.manager.flush()
        _ = scene.submit(Like(post: 34))
        var told: [Int] = []
        let watcher = Watcher { told.append($0) }
        screen.delegate = watcher
        try await scene.server.reply(Answer(Post(id: 34, likes: 9, isLiked: true)))
        await scene.outbox.flush()
        #expect(screen.data == Post(id: 34, likes: 9, isLiked: true))
        #expect(told == [9])
        #expect(scene.outbox.pending.isEmpty)
        #expect(try scene.cache.model(Post.self, id: 34)?.likes == 9)
        #expect(try scene.cache.allKept().filter { $0.name.hasPrefix("outbox.m.") }.isEmpty)
    }

    @Test("A refusal takes the layer away, and what others pushed meanwhile stays")
    func refuses() async throws {
        let scene = try Scene()
        let screen = scene.screen(Post(id: 34, text: "a", likes: 5))
        await scene.manager.flush()
        let item = scene.submit(Like(post: 34))
        let edit = scene.submit(Edit(post: "Post:34", text: "mine"))
        scene.manager.updateModel(Post(id: 34, text: "pushed", likes: 20))
        await scene.manager.flush()
        #expect(screen.data == Post(id: 34, text: "mine", likes: 21, isLiked: true))
        try await scene.server.fail(Refusal("no"))
        #expect(try await scene.server.next().name == "edit:Post:34:mine")
        #expect(screen.data == Post(id: 34, text: "mine", likes: 20))
        guard case .refused = item.state else { return #expect(Bool(false), "It is not refused.") }
        #expect(scene.told.problems.map(\.0) == [item.id])
        #expect(!scene.outbox.discard(edit), "It is under way.")
        #expect(scene.outbox.discard(item))
        #expect(scene.outbox.pending.map(\.id) == [edit.id])
    }

    @Test("What is pushed with the like in it shows it once")
    func idempotent() async throws {
        let scene = try Scene()
        let screen = scene.screen(Post(id: 34, likes: 5))
        await scene.manager.flush()
        _ = scene.submit(Like(post: 34))
        scene.manager.updateModel(Post(id: 34, likes: 6, isLiked: true))
        await scene.manager.flush()
        #expect(screen.data?.likes == 6)
        try await scene.server.reply(Answer())
        await scene.outbox.flush()
        #expect(screen.data?.likes == 6)
    }

    @Test("A message gets the server's identifier and stays the same row; an edit that waits names it by that")
    func replacesIdentifiers() async throws {
        let scene = try Scene()
        let feed = await scene.feed([Post(id: 1), Post(id: 2)])
        _ = scene.submit(Write(local: -7, text: "hello"))
        let edit = scene.submit(Edit(post: "Post:-7", text: "hello!"))
        #expect(feed.data.map(\.id) == [1, 2, -7])
        #expect(feed.data.last?.text == "hello!")
        let row = try #require(feed.rows.last?.id)
        try await scene.server.reply(Answer(Post(id: 90, text: "hello"), replacing: "Post:-7"))
        #expect(try await scene.server.reply(Answer(Post(id: 90, text: "hello!"))) == "edit:Post:90:hello!")
        await scene.outbox.flush()
        #expect(feed.data == [Post(id: 1), Post(id: 2), Post(id: 90, text: "hello!")])
        #expect(feed.rows.last?.id == row)
        #expect(scene.outbox.pending.isEmpty && (edit.mutation as? Edit)?.post == "Post:90")
        #expect(try scene.cache.collection("feed", of: Post.self)?.map(\.id) == [1, 2, 90])
    }

    @Test("A failure of the network is tried again with the same key, after a pause that doubles")
    func retries() async throws {
        let scene = try Scene()
        let screen = scene.screen(Post(id: 34))
        let item = scene.submit(Like(post: 34))
        try await scene.server.fail(NoNetwork())
        await scene.outbox.flush()
        guard case .waitingForNetwork = item.state else { return #expect(Bool(false), "It does not wait.") }
        #expect(screen.data?.isLiked == true)
        scene.clock.advance(1)
        try await scene.server.fail(NoNetwork())
        await scene.outbox.flush()
        scene.clock.advance(1)
        await scene.outbox.flush()
        #expect(scene.server.seen.count == 2, "The second pause is twice as long.")
        scene.outbox.resume()
        try await scene.server.reply(Answer(Post(id: 34, likes: 1, isLiked: true)))
        await scene.outbox.flush()
        #expect(Set(scene.server.seen.map(\.key)) == [item.id])
        #expect(scene.server.seen.map(\.number) == [0, 1, 2])
        #expect(scene.outbox.pending.isEmpty)
    }

    @Test("A mutation with a delay can be taken back, and is sent when the delay is over")
    func undoes() async throws {
        let scene = try Scene()
        let feed = await scene.feed([])
        let item = scene.submit(Write(local: -1, text: "oops"), delay: 5)
        #expect(feed.data.count == 1)
        await scene.outbox.flush()
        #expect(scene.outbox.discard(item))
        #expect(feed.data.isEmpty)
        _ = scene.submit(Write(local: -2, text: "fine"), delay: 5)
        await scene.outbox.flush()
        #expect(scene.server.seen.isEmpty)
        scene.clock.advance(5)
        #expect(try await scene.server.next().name == "write:-2")
    }

    @Test("What is pending survives a relaunch, in order, and is shown before a provider shows anything without it")
    func relaunches() async throws {
        let cache = try MemoryCache(directory: nil, options: MemoryOptions())
        var keys: [String] = []
        do {
            let scene = try Scene(cache)
            scene.outbox.suspend()
            _ = await scene.feed([Post(id: 1)])
            keys.append(try await scene.outbox.submit(Write(local: -1, text: "a")).id)
            keys.append(try await scene.outbox.submit(Edit(post: "Post:-1", text: "b")).id)
            keys.append(try await scene.outbox.submit(Like(post: 1)).id)
        }
        let scene = try Scene(cache, keys: "later")
        #expect(scene.outbox.pending.map(\.id) == keys)
        let feed = CollectionDataProvider<Post>(dataModelManager: scene.manager)
        _ = try await feed.fetchDataFromCache(withCacheKey: "feed")
        #expect(feed.data == [Post(id: 1, likes: 1, isLiked: true), Post(id: -1, text: "b")])
        #expect(try await scene.server.next().attempt.key == keys[0])
    }

    @Test("What is kept of an unknown type stays, and is told")
    func keepsUnknown() async throws {
        let cache = try MemoryCache(directory: nil, options: MemoryOptions())
        let scene = try Scene(cache)
        scene.outbox.suspend()
        let key = try await scene.outbox.submit(Like(post: 1)).id
        let later = try Outbox(cache, FakeServer(), for: [Edit.self], options: Scene.options(scene.clock))
        #expect(later.pending.map(\.id) == [key])
        guard case .unreadable = later.pending[0].state else { return #expect(Bool(false), "It is not told.") }
        #expect(try cache.allKept().contains { $0.name.hasSuffix(key) })
    }

    @Test("A budget evicts models and not what is pending")
    func isKept() async throws {
        let cache = try MemoryCache(
            directory: nil, options: MemoryOptions(), budget: CacheBudget(nodes: 100))
        let scene = try Scene(cache)
        scene.outbox.suspend()
        let key = try await scene.outbox.submit(Like(post: 1)).id
        for id in 0..<1_000 { try await cache.write(Post(id: id)) }
        #expect(try cache.model(Post.self, id: 0) == nil)
        #expect(try cache.allKept().contains { $0.name.hasSuffix(key) })
    }

    @Test("A wipe takes what is pending, and says how much was not sent")
    func wipes() async throws {
        let scene = try Scene()
        let screen = scene.screen(Post(id: 1))
        scene.outbox.suspend()
        _ = scene.submit(Like(post: 1))
        await scene.outbox.flush()
        try await scene.manager.wipe()
        #expect(scene.outbox.unsentAtWipe == 1)
        #expect(scene.outbox.pending.isEmpty)
        #expect(screen.data == nil)
        #expect(try scene.cache.allKept().isEmpty)
    }

    @Test("What was submitted right before a wipe is not stored behind it")
    func wipesWhatIsUnderWay() async throws {
        let scene = try Scene()
        for id in 0..<20 { _ = scene.submit(Like(post: id)) }
        try await scene.manager.wipe()
        await scene.outbox.stored()
        #expect(scene.outbox.unsentAtWipe == 20)
        #expect(try scene.cache.allKept().isEmpty)
        #expect(try Scene(scene.cache).outbox.pending.isEmpty)
    }

    @Test("Of two outboxes over one store one sends; the other goes on when the lease is over")
    func leases() async throws {
        let cache = try MemoryCache(directory: nil, options: MemoryOptions())
        let clock = FakeClock()
        let first = try Scene(cache, clock: clock, keys: "a")
        let second = try Scene(cache, clock: clock, keys: "b")
        _ = first.submit(Like(post: 1))
        let request = try await first.server.next()
        let item = second.submit(Like(post: 2))
        await second.outbox.flush()
        #expect(second.server.seen.isEmpty)
        #expect(second.outbox.pending.map(\.id) == [request.attempt.key, item.id])
        clock.advance(61)
        #expect(try await second.server.reply(Answer()) == "like:1")
        #expect(try await second.server.reply(Answer()) == "like:2")
        await second.outbox.flush()
        #expect(second.outbox.pending.isEmpty)
    }

    @Test("Lanes are sent beside each other, and each in the order of submission")
    func lanes() async throws {
        let scene = try Scene()
        let feed = await scene.feed([])
        for (id, lane) in [(-1, "x"), (-2, "x"), (-3, "y")] {
            _ = scene.submit(Write(local: id, text: "", inLane: lane))
        }
        let requests = [try await scene.server.next(), try await scene.server.next()].sorted { $0.name < $1.name }
        #expect(requests.map(\.name) == ["write:-1", "write:-3"])
        requests[1].reply(.success(Answer(Post(id: 3), replacing: "Post:-3")))
        await waitUntil { scene.outbox.pending.count == 2 }
        #expect(scene.server.requests.isEmpty)
        requests[0].reply(.success(Answer(Post(id: 1), replacing: "Post:-1")))
        #expect(try await scene.server.reply(Answer(Post(id: 2), replacing: "Post:-2")) == "write:-2")
        await scene.outbox.flush()
        #expect(Set(feed.data.map(\.id)) == [1, 2, 3])
        #expect(scene.outbox.pending.isEmpty)
    }

    @Test("An answer that names other mutations ends them too: they are not sent, and show nothing twice")
    func includes() async throws {
        let scene = try Scene()
        let screen = scene.screen(Post(id: 1))
        let feed = await scene.feed([Post(id: 1), Post(id: 2)])
        _ = scene.submit(Like(post: 1))
        let edit = scene.submit(Edit(post: "Post:2", text: "guess"))
        try await scene.server.reply(
            Answer(Post(id: 1, likes: 8, isLiked: true), Post(id: 2, text: "truth"), includes: [edit.id]))
        await scene.outbox.flush()
        #expect(scene.server.seen.count == 1)
        #expect(scene.outbox.pending.isEmpty)
        #expect(screen.data?.likes == 8)
        #expect(feed.data == [Post(id: 1, likes: 8, isLiked: true), Post(id: 2, text: "truth")])
        #expect(try scene.cache.allKept().filter { $0.name.hasPrefix("outbox.m.") }.isEmpty)
    }

    @Test("What an answer includes is done to the lists too")
    func includesLists() async throws {
        let scene = try Scene()
        let feed = await scene.feed((1...3).map { Post(id: $0) })
        _ = scene.submit(Like(post: 1))
        let out = scene.submit(TakeOut(post: 2))
        let move = scene.submit(Put(post: 3))
        #expect(feed.data.map(\.id) == [3, 1])
        try await scene.server.reply(Answer(Post(id: 1, likes: 1, isLiked: true), includes: [out.id, move.id]))
        await scene.outbox.flush()
        #expect(scene.outbox.pending.isEmpty && scene.server.seen.count == 1)
        #expect(feed.data.map(\.id) == [3, 1])
        #expect(try scene.cache.collection("feed", of: Post.self)?.map(\.id) == [3, 1])
    }

    @Test("A push that names the key of a message is its confirmation: the row stays, and it is not sent again")
    func receives() async throws {
        let scene = try Scene()
        let feed = await scene.feed([Post(id: 1)])
        let message = scene.submit(Write(local: -7, text: "hello"))
        let edit = scene.submit(Edit(post: "Post:-7", text: "hello!"))
        let request = try await scene.server.next()
        let row = try #require(feed.rows.last?.id)
        await scene.outbox.receive(Answer(Post(id: 90, text: "hello"), replacing: "Post:-7", includes: [message.id]))
        #expect(scene.outbox.pending.map(\.id) == [edit.id])
        #expect(feed.data == [Post(id: 1), Post(id: 90, text: "hello!")])
        #expect(feed.rows.last?.id == row)
        // The answer is late, or never comes.
        request.reply(.failure(NoNetwork()))
        #expect(try await scene.server.reply(Answer(Post(id: 90, text: "hello!"))) == "edit:Post:90:hello!")
        await scene.outbox.flush()
        #expect(scene.outbox.pending.isEmpty && scene.server.seen.count == 2)
        #expect(feed.data == [Post(id: 1), Post(id: 90, text: "hello!")])
        #expect(try scene.cache.collection("feed", of: Post.self) == [Post(id: 1), Post(id: 90, text: "hello!")])
    }

    @Test("A push that names no pending mutation is stored and shown, below what is pending")
    func receivesNews() async throws {
        let scene = try Scene()
        let screen = scene.screen(Post(id: 1))
        await scene.manager.flush()
        scene.outbox.suspend()
        let like = scene.submit(Like(post: 1))
        await scene.outbox.receive(Answer(Post(id: 1, text: "new", likes: 4), includes: ["another's"]))
        #expect(screen.data == Post(id: 1, text: "new", likes: 5, isLiked: true))
        #expect(try scene.cache.model(Post.self, id: 1) == Post(id: 1, text: "new", likes: 4))
        await scene.outbox.receive(Answer(Post(id: 1, text: "new", likes: 5, isLiked: true), includes: [like.id]))
        #expect(screen.data == Post(id: 1, text: "new", likes: 5, isLiked: true))
        #expect(scene.outbox.pending.isEmpty)
    }

    @Test("What is as of a place before a wipe is neither stored nor shown")
    func receivesAfterWipe() async throws {
        let scene = try Scene()
        let screen = scene.screen(Post(id: 1))
        let connected = scene.manager.place()
        try await scene.manager.wipe()
        await scene.outbox.receive(Answer(Post(id: 1, text: "the other user's")), asOf: connected)
        await scene.manager.flush()
        #expect(screen.data == nil)
        #expect(try scene.cache.model(Post.self, id: 1) == nil)
        await scene.outbox.receive(Answer(Post(id: 1, text: "new")), asOf: scene.manager.place())
        #expect(try scene.cache.model(Post.self, id: 1)?.text == "new")
    }

    @Test("A mutation that is not the same when it is applied twice is reported")
    func reportsTwice() async throws {
        struct Count: Mutation {
            func apply(to draft: inout Draft) throws { try draft.update(Post.self, id: 1) { $0.likes += 1 } }
            func send(_ api: FakeServer, _ attempt: Attempt) async throws -> Answer { Answer() }
        }
        let scene = try Scene()
        scene.outbox.suspend()
        let screen = scene.screen(Post(id: 1))
        _ = scene.submit(Count())
        #expect(scene.told.problems.contains { if case .notIdempotent = $0.1 { true } else { false } })
        #expect(screen.data?.likes == 1)
    }

    @Test("What is deleted is gone from lists and screens at once, and a mutation over it shows nothing and is told")
    func deletes() async throws {
        let scene = try Scene()
        scene.outbox.suspend()
        let feed = await scene.feed([Post(id: 1), Post(id: 2)])
        let removal = scene.submit(Remove(post: 1))
        #expect(feed.data.map(\.id) == [2])
        let like = scene.submit(Like(post: 1))
        #expect(like.applyError != nil)
        #expect(scene.outbox.discard(removal))
        #expect(like.applyError == nil)
        #expect(feed.data == [Post(id: 1, likes: 1, isLiked: true), Post(id: 2)])
    }

    @Test(
        "An edit by identifier is of the element that has it, whatever is pending",
        arguments: [
            (Remove(post: 1), [2, 3, 4]), (Put(post: 4), [4, 1, 2, 3]), (Put(post: 9, isNew: true), [9, 1, 2, 3, 4]),
        ]
            as [(any Mutation<FakeServer>, [Int])])
    func editsByIdentifier(mutation: any Mutation<FakeServer>, shown: [Int]) async throws {
        let scene = try Scene()
        scene.outbox.suspend()
        let feed = await scene.feed((1...4).map { Post(id: $0) })
        let pending = scene.submit(mutation)
        var shown = shown
        func expectShown(_ text: String = "", _ location: SourceLocation = #_sourceLocation) {
            #expect(feed.data.map(\.id) == shown, sourceLocation: location)
            for post in feed.data { #expect(post.text == (post.id == 2 ? text : ""), sourceLocation: location) }
        }
        expectShown()
        for id in 0..<10 {
            #expect(feed.index(of: Post.modelIdentifier(for: id)) == shown.firstIndex(of: id))
            #expect(feed.contains(Post.modelIdentifier(for: id)) == shown.contains(id))
        }
        #expect(feed.update(Post(id: 2, text: "x")))
        expectShown("x")
        feed.upsert([Post(id: 2, text: "y"), Post(id: 5)])
        shown.append(5)
        expectShown("y")
        feed.insert([Post(id: 6)], at: .before("Post:2"))
        shown.insert(6, at: try #require(shown.firstIndex(of: 2)))
        expectShown("y")
        #expect(feed.move("Post:2", to: .last))
        shown = shown.filter { $0 != 2 } + [2]
        expectShown("y")
        #expect(feed.remove("Post:3"))
        shown.removeAll { $0 == 3 }
        expectShown("y")
        #expect(scene.outbox.discard(pending))
        #expect(feed.data.map(\.id) == [1, 6, 4, 5, 2])
    }

    @Test("A list that holds each identifier once does so beside what is pending")
    func eachOnce() async throws {
        let scene = try Scene()
        scene.outbox.suspend()
        let feed = CollectionDataProvider<Post>(dataModelManager: scene.manager, holdsEachOnce: true)
        feed.setData([Post(id: 1), Post(id: 2)], cacheKey: "feed")
        let removal = scene.submit(Remove(post: 1))
        let addition = scene.submit(Put(post: 9, isNew: true))
        feed.append([Post(id: 1, text: "x"), Post(id: 3)])
        #expect(feed.data.map(\.id) == [9, 2, 3])
        // The server's news of it come before its answer.
        feed.append([Post(id: 9, text: "y")])
        #expect(feed.data.map(\.id).sorted() == [2, 3, 9])
        #expect(scene.outbox.discard(removal))
        #expect(scene.outbox.discard(addition))
        #expect(feed.data == [Post(id: 1, text: "x"), Post(id: 2), Post(id: 3), Post(id: 9, text: "y")])
    }
}

@MainActor
final class Watcher: DataProviderDelegate {
    private let tell: (Int) -> Void
    init(_ tell: @escaping (Int) -> Void) { self.tell = tell }
    func dataProviderHasUpdatedData<T>(_ dataProvider: DataProvider<T>, context: (any Sendable)?) {
        if let post = dataProvider.data as? Post { tell(post.likes) }
    }
}
