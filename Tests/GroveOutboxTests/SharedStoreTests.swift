import Dispatch
import Grove
import GroveCache
import GroveMemory
@testable import GroveOutbox
import Testing
import TestSupport

/// Two outboxes over one store, as two processes have them, in one.
@MainActor
@Suite("Outboxes over one store")
struct SharedStoreTests {
    private let cache: MemoryCache
    private let clock = FakeClock()
    private let first: Scene
    private let second: Scene

    init() throws {
        cache = try MemoryCache(directory: nil, options: MemoryOptions())
        first = try Scene(cache, clock: clock, keys: "a")
        second = try Scene(cache, clock: clock, keys: "b")
    }

    /// Lets both take what the other one has committed.
    private func settle() async {
        for _ in 0..<4 {
            await cache.followersTold()
            for scene in [first, second] {
                await scene.manager.flush()
                await scene.outbox.flush()
            }
        }
    }

    private var leaseIsKept: Bool { get throws { try cache.kept("outbox.lease") != nil } }

    @Test("One that goes on for another sends in the order of all submissions, and shows the last on top")
    func order() async throws {
        let screen = second.screen(Post(id: 1))
        await second.manager.flush()
        first.outbox.suspend()
        _ = try await first.outbox.submit(Edit(post: "Post:1", text: "a"))
        _ = second.submit(Edit(post: "Post:1", text: "b"))
        let request = try await second.server.next()
        #expect(request.name == "edit:Post:1:a")
        #expect(screen.data?.text == "b")
        request.reply(.success(Answer(Post(id: 1, text: "a"))))
        #expect(try await second.server.reply(Answer(Post(id: 1, text: "b"))) == "edit:Post:1:b")
        await second.outbox.flush()
        #expect(screen.data?.text == "b")
        #expect(try cache.model(Post.self, id: 1)?.text == "b")
    }

    @Test("A mutation whose commit was not told of yet has its place among those of others")
    func orderBeforeTold() async throws {
        first.outbox.suspend()
        second.outbox.suspend()
        let item = first.submit(Edit(post: "Post:1", text: "a"))
        try await wait { try cache.kept("outbox.m." + item.id) != nil }
        // The commit of the other one comes in the turn in which the first sees its own on disk.
        let name = OutboxRecord.prefix + "b"
        let other = OutboxRecord(
            number: 2, key: "b", type: Like.mutationName, lane: "", body: Array(#"{"post":2}"#.utf8))
        try commitInThisTurn { tx in
            try tx.keep(other.encoded(), as: name)
            try OutboxStore.count(tx, Lock(OutboxCounter.unknown)) { $0.submitted += 1 }
        }
        first.outbox.resume()
        #expect(first.outbox.pending.map(\.id) == [item.id, "b"])
    }

    /// Commits while the main actor stands still.
    private func commitInThisTurn(_ body: @escaping @Sendable (borrowing CacheTransaction) throws -> Void) throws {
        let (failure, isDone) = (Lock<(any Error)?>(nil), DispatchSemaphore(value: 0))
        let cache = cache
        Task.detached {
            do {
                try await cache.write(durability: .standard) { tx in try body(tx) }
            } catch {
                failure.withLock { $0 = error }
            }
            isDone.signal()
        }
        isDone.wait()
        if let failure = failure.withLock({ $0 }) { throw failure }
    }

    @Test("What another one has named by the server's identifier is sent by that")
    func renamed() async throws {
        _ = await first.feed([Post(id: 1)])
        second.outbox.suspend()
        try await first.outbox.submit(Write(local: -7, text: "hello"))
        try await first.outbox.submit(Edit(post: "Post:-7", text: "hello!"))
        second.outbox.resume()
        second.outbox.suspend()
        #expect(second.outbox.pending.count == 2)
        try await first.server.reply(Answer(Post(id: 90, text: "hello"), replacing: "Post:-7"))
        #expect(try await first.server.next().name == "edit:Post:90:hello!")
        // The first one is killed before the answer.
        clock.advance(61)
        second.outbox.resume()
        #expect(try await second.server.next().name == "edit:Post:90:hello!")
    }

    @Test("One that only waits for the network gives the lease back, and one that waits for that finds it in a second")
    func waitsForNetwork() async throws {
        try await first.outbox.submit(Like(post: 1))
        let request = try await first.server.next()
        second.outbox.resume()
        await second.outbox.flush()
        #expect(try leaseIsKept)
        clock.advance(0.5)
        request.reply(.failure(NoNetwork()))
        await first.outbox.flush()
        #expect(try !leaseIsKept)
        #expect(second.server.seen.isEmpty)
        clock.advance(0.5)
        #expect(try await second.server.reply(Answer(Post(id: 1, likes: 1, isLiked: true))) == "like:1")
        await second.outbox.flush()
        clock.advance(0.5)
        await settle()
        #expect(first.server.seen.count == 1)
        #expect(first.outbox.pending.isEmpty && second.outbox.pending.isEmpty)
    }

    @Test("What was about to be sent when the outbox is told to stop is not sent, and another one may send it")
    func stopsBeforeSending() async throws {
        first.outbox.suspend()
        try await first.outbox.submit(Like(post: 1))
        first.outbox.resume()
        first.outbox.suspend()
        await first.outbox.stored()
        try await wait { first.outbox.pending.first?.isSending != true || !first.server.seen.isEmpty }
        #expect(first.server.seen.isEmpty)
        await first.outbox.stored()
        #expect(try !leaseIsKept)
    }

    @Test("One keeps the lease while another lane of it sends, or what waits for the network is due")
    func keepsLease() async throws {
        _ = first.submit(Write(local: -7, text: "a", inLane: "a"))
        let request = try await first.server.next()
        _ = first.submit(Write(local: -8, text: "b", inLane: "b"))
        try await first.server.fail(NoNetwork())
        try await wait { first.outbox.pending.last?.isSending != true }
        await first.outbox.stored()
        #expect(try leaseIsKept)
        request.reply(.failure(NoNetwork()))
        await first.outbox.flush()
        #expect(try !leaseIsKept)
    }

    @Test("One that is closed gives the lease back when what was under way has ended, and not before")
    func closesUnderWay() async throws {
        try await first.outbox.submit(Like(post: 1))
        let request = try await first.server.next()
        first.outbox.close()
        await first.outbox.stored()
        #expect(try leaseIsKept)
        request.reply(.failure(CancellationError()))
        await first.outbox.flush()
        #expect(try !leaseIsKept)
    }

    @Test("One that has nothing more to send gives the lease back, and another one goes on", arguments: [false, true])
    func givesBack(isRefused: Bool) async throws {
        _ = first.submit(Like(post: 1))
        let request = try await first.server.next()
        #expect(try leaseIsKept)
        let item = second.submit(Like(post: 2))
        await second.outbox.flush()
        #expect(second.server.requests.isEmpty)
        first.outbox.suspend()
        request.reply(isRefused ? .failure(Refusal("no")) : .success(Answer(Post(id: 1, likes: 1, isLiked: true))))
        await first.outbox.flush()
        if isRefused { second.outbox.resume() }
        #expect(try await second.server.reply(Answer()) == "like:2")
        await settle()
        #expect(try !leaseIsKept)
        #expect(!second.outbox.pending.contains { $0.id == item.id })
    }

    @Test("A lease keeps others from sending for as long as its owner took it for")
    func othersLength() async throws {
        var options = Scene.options(clock, "long")
        options.leaseLength = 300
        let server = FakeServer()
        let long = try Outbox(cache, server, for: [Like.self], options: options)
        long.resume()
        try await long.submit(Like(post: 1))
        _ = try await server.next()
        _ = second.submit(Like(post: 2))
        try await isTried(second.outbox)
        clock.advance(299)
        try await isTried(second.outbox)
        #expect(second.server.seen.isEmpty)
        clock.advance(1)
        #expect(try await second.server.next().name == "like:1")
    }

    @Test("A lease of before the machine was started again counts for nothing")
    func restart() async throws {
        _ = first.submit(Like(post: 1))
        _ = try await first.server.next()
        clock.advance(-500)
        second.outbox.resume()
        #expect(try await second.server.next().name == "like:1")
    }

    @Test("One that stood still until its lease was over takes it again before it sends")
    func stoodStill() async throws {
        let calls = Lock(0)
        var options = Scene.options(clock, "slow")
        let clock = clock
        options.now = {
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            // The second is that of the transaction that takes the lease.
            defer { if call == 2 { clock.advance(61) } }
            return clock.now
        }
        let server = FakeServer()
        let slow = try Outbox(cache, server, for: [Like.self], options: options)
        slow.resume()
        try await slow.submit(Like(post: 1))
        _ = try await server.next()
        // Another one may send if the lease is over.
        second.outbox.resume()
        await second.outbox.flush()
        #expect(second.server.seen.isEmpty)
    }

    @Test("What another one has confirmed shows nothing twice, and is pending no more")
    func confirmedElsewhere() async throws {
        _ = await first.feed([Post(id: 1)])
        let feed = CollectionDataProvider<Post>(dataModelManager: second.manager)
        _ = try await feed.fetchDataFromCache(withCacheKey: "feed")
        try await first.outbox.submit(Write(local: -7, text: "hello"))
        second.outbox.resume()
        await second.outbox.flush()
        #expect(feed.data.map(\.id) == [1, -7])
        try await first.server.reply(Answer(Post(id: 90, text: "hello"), replacing: "Post:-7"))
        await settle()
        #expect(feed.data.map(\.id) == [1, 90])
        #expect(second.outbox.pending.isEmpty && second.server.seen.isEmpty)
    }

    @Test("What another one confirms is shown once in every turn, with what is pending on it")
    func confirmedInEveryTurn() async throws {
        _ = await first.feed([Post(id: 1)])
        let feed = CollectionDataProvider<Post>(dataModelManager: second.manager)
        _ = try await feed.fetchDataFromCache(withCacheKey: "feed")
        try await first.outbox.submit(Write(local: -7, text: "hello"))
        try await first.outbox.submit(Like(post: 1))
        try await first.outbox.submit(Edit(post: "Post:-7", text: "hello!"))
        second.outbox.resume()
        await second.outbox.flush()
        let liked = Post(id: 1, likes: 1, isLiked: true)
        let (before, after) = ([liked, Post(id: -7, text: "hello!")], [liked, Post(id: 90, text: "hello!")])
        #expect(feed.data == before)
        var frames: [[Post]] = []
        func look() { if frames.last != feed.data { frames.append(feed.data) } }
        let looking = Task { @MainActor in
            while !Task.isCancelled {
                look()
                await Task.yield()
            }
        }
        try await first.server.reply(Answer(Post(id: 90, text: "hello"), replacing: "Post:-7"))
        try await wait { second.outbox.pending.count < 3 }
        try await first.server.reply(Answer(liked))
        try await wait { second.outbox.pending.count < 2 }
        try await first.server.reply(Answer(Post(id: 90, text: "hello!")))
        await settle()
        looking.cancel()
        await looking.value
        look()
        #expect(frames == [before, after])
        #expect(second.server.seen.isEmpty)
    }

    @Test("What another one has taken back, or the server has refused there, is shown no more")
    func endedElsewhere() async throws {
        first.outbox.suspend()
        second.outbox.suspend()
        let screen = second.screen(Post(id: 1))
        let like = try await first.outbox.submit(Like(post: 1))
        try await first.outbox.submit(Edit(post: "Post:1", text: "a"))
        second.outbox.resume()
        second.outbox.suspend()
        #expect(screen.data == Post(id: 1, text: "a", likes: 1, isLiked: true))
        first.outbox.discard(like)
        await first.outbox.stored()
        second.outbox.resume()
        second.outbox.suspend()
        await settle()
        #expect(screen.data == Post(id: 1, text: "a"))
        first.outbox.resume()
        try await first.server.fail(Refusal("no"))
        await first.outbox.flush()
        second.outbox.resume()
        await settle()
        #expect(screen.data == Post(id: 1))
        #expect(second.server.seen.isEmpty)
        guard case .refused? = second.outbox.pending.first?.state else { return #expect(Bool(false), "Not refused.") }
    }

    @Test("A wipe of the cache itself takes what is pending")
    func wipedBelow() async throws {
        let screen = first.screen(Post(id: 1))
        first.outbox.suspend()
        try await first.outbox.submit(Like(post: 1))
        try await cache.wipe()
        await settle()
        #expect(first.outbox.unsentAtWipe == 1)
        #expect(first.outbox.pending.isEmpty)
        #expect(screen.data?.isLiked != true)
    }

    @Test("An answer that comes after another one has confirmed the mutation changes no list once more")
    func confirmsOnce() async throws {
        let feed = await first.feed((1...3).map { Post(id: $0) })
        _ = first.submit(Put(post: 3))
        let late = try await first.server.next()
        clock.advance(61)
        second.outbox.resume()
        try await second.server.reply(Answer(Post(id: 3)))
        await second.outbox.flush()
        #expect(try cache.collection("feed", of: Post.self)?.map(\.id) == [3, 1, 2])
        try await cache.move("Post:3", to: .last, inCollection: "feed")
        late.reply(.success(Answer(Post(id: 3))))
        await settle()
        #expect(try cache.collection("feed", of: Post.self)?.map(\.id) == [1, 2, 3])
        #expect(feed.data.map(\.id) == [1, 2, 3])
        #expect(first.outbox.pending.isEmpty && second.outbox.pending.isEmpty)
    }
}
