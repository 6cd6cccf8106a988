import Grove
import GroveCache
import GroveLMDB
import GroveLevelDB
import GroveMemory
import GroveOutbox
import GroveSQLite
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("What an outbox keeps")
@MainActor
struct KeptTests {
    private let types: [any Mutation<FakeServer>.Type] = [Like.self, Edit.self, Write.self, Remove.self]

    @Test("What was awaited is there when the directory is opened again, on LMDB")
    func lmdb() async throws {
        let directory = try TemporaryDirectory()
        try await reopens { try LMDBCache(directory: directory.path, options: LMDBOptions()) }
    }

    @Test("What was awaited is there when the directory is opened again, on LevelDB")
    func levelDB() async throws {
        let directory = try TemporaryDirectory()
        try await reopens { try LevelDBCache(directory: directory.path, options: LevelDBOptions()) }
    }

    @Test("What was awaited is there when the directory is opened again, on SQLite")
    func sqlite() async throws {
        let directory = try TemporaryDirectory()
        try await reopens { try SQLiteCache(directory: directory.path, options: SQLiteOptions()) }
    }

    private func reopens<Store: NodeStore>(_ open: () throws -> NormalizedCache<Store>) async throws {
        let clock = FakeClock()
        var keys: [String] = []
        do {
            let cache = try open()
            let outbox = try Outbox(cache, FakeServer(), for: types, options: Scene.options(clock))
            for id in 0..<3 { keys.append(try await outbox.submit(Like(post: id)).id) }
            outbox.discard(outbox.pending[1])
            await outbox.stored()
            keys.remove(at: 1)
            cache.close()
        }
        let cache = try open()
        let server = FakeServer()
        let outbox = try Outbox(cache, server, for: types, options: Scene.options(clock))
        #expect(outbox.pending.map(\.id) == keys)
        let manager = DataModelManager(cache, outbox: outbox)
        try await server.reply(Answer(Post(id: 0, likes: 1, isLiked: true)))
        try await server.reply(Answer(Post(id: 2, likes: 1, isLiked: true)))
        await outbox.flush()
        #expect(server.seen.map(\.key) == keys)
        #expect(try cache.model(Post.self, id: 2)?.isLiked == true)
        await manager.flush()
        cache.close()
        let last = try open()
        #expect(try Outbox(last, server, for: types, options: Scene.options(clock)).pending.isEmpty)
        last.close()
    }

    @Test("A store that is closed takes no mutation: submit throws, and nothing shows")
    func throwsIfNotStored() async throws {
        let scene = try Scene()
        let screen = scene.screen(Post(id: 1))
        await scene.manager.flush()
        scene.cache.close()
        await #expect(throws: CacheError.self) { try await scene.outbox.submit(Like(post: 1)) }
        #expect(screen.data?.isLiked == false)
        #expect(scene.outbox.pending.isEmpty)
    }

    @Test("A store that is full takes no mutation: submit throws, and nothing shows; with room again it takes one")
    func full() async throws {
        let directory = try TemporaryDirectory()
        let cache = try LMDBCache(directory: directory.path, options: LMDBOptions(mapSize: 1 << 20))
        let server = FakeServer()
        let outbox = try Outbox(cache, server, for: types, options: Scene.options(FakeClock()))
        let manager = DataModelManager(cache, outbox: outbox)
        var problems: [OutboxProblem] = []
        outbox.onProblem = { problems.append($1) }
        let screen = DataProvider<Post>(dataModelManager: manager)
        screen.setData(Post(id: 1, text: "a"))
        await manager.flush()
        let filler = String(repeating: "x", count: 50_000)
        await #expect(throws: CacheError.self) {
            for id in 2..<100 { try await cache.write(Post(id: id, text: filler)) }
        }
        let large = Edit(post: "Post:1", text: filler + filler)
        await #expect {
            try await outbox.submit(large)
        } throws: {
            ($0 as? CacheError)?.code == .full
        }
        #expect(screen.data?.text == "a")
        #expect(outbox.pending.isEmpty && problems.isEmpty)
        // The plain call shows it until it has failed.
        let item = submit(large, to: outbox)
        #expect(screen.data?.text == large.text)
        await outbox.stored()
        await waitUntil { !problems.isEmpty }
        #expect(screen.data?.text == "a")
        guard case .refused = item.state, case .unsaved = problems[0] else {
            return #expect(Bool(false), "\(item.state), \(problems)")
        }
        #expect(try !cache.allKept().contains { $0.name.hasPrefix("outbox.m.") })
        outbox.discard(item)
        for id in 2..<100 { try await cache.delete(Post.self, id: id) }
        let key = try await outbox.submit(large).id
        #expect(try await server.next().attempt.key == key)
        #expect(screen.data?.text == large.text)
        cache.close()
    }

    @Test("What could not be stored is stored and sent by a retry, or is told of again")
    func retriesUnsaved() async throws {
        let cache = try MemoryCache(directory: nil, options: MemoryOptions())
        let scene = try Scene(cache)
        let feed = await scene.feed([])
        try await cache.suspend()
        let item = scene.submit(Write(local: -1, text: "a"))
        func expectRefused(times: Int) async throws {
            try await wait { scene.told.problems.count == times }
            await scene.outbox.flush()
            guard case .refused = item.state else { return #expect(Bool(false), "\(item.state)") }
            #expect(feed.data.isEmpty && scene.outbox.pending.map(\.id) == [item.id])
        }
        try await expectRefused(times: 1)
        scene.outbox.retry(item)
        #expect(feed.data.map(\.id) == [-1])
        try await expectRefused(times: 2)
        try await cache.resume()
        scene.outbox.retry(item)
        try await wait { try cache.kept("outbox.m." + item.id) != nil }
        #expect(feed.data.map(\.id) == [-1])
        let request = try await scene.server.next()
        #expect(request.attempt.key == item.id && scene.outbox.pending.map(\.id) == [item.id])
        request.reply(.success(Answer(Post(id: 34, text: "a"), replacing: "Post:-1")))
        await scene.outbox.flush()
        #expect(feed.data == [Post(id: 34, text: "a")] && scene.outbox.pending.isEmpty)
        #expect(scene.told.problems.count == 2)
    }

    @Test("A confirmation that cannot be stored is told, goes on to be shown, and is sent again after a relaunch")
    func fullAtConfirmation() async throws {
        let directory = try TemporaryDirectory()
        let clock = FakeClock()
        let cache = try LMDBCache(directory: directory.path, options: LMDBOptions(mapSize: 1 << 20))
        let server = FakeServer()
        let outbox = try Outbox(cache, server, for: types, options: Scene.options(clock))
        let manager = DataModelManager(cache, outbox: outbox)
        var problems: [OutboxProblem] = []
        outbox.onProblem = { problems.append($1) }
        let screen = DataProvider<Post>(dataModelManager: manager)
        screen.setData(Post(id: 1))
        await manager.flush()
        let key = try await outbox.submit(Like(post: 1)).id
        let large = Post(id: 1, text: String(repeating: "x", count: 2_000_000), likes: 7, isLiked: true)
        try await server.reply(Answer(large))
        await outbox.flush()
        guard case .unsaved? = problems.first else { return #expect(Bool(false), "\(problems)") }
        #expect(screen.data?.likes == 7)
        cache.close()
        let later = try LMDBCache(directory: directory.path, options: LMDBOptions(mapSize: 1 << 23))
        let again = try Outbox(later, server, for: types, options: Scene.options(clock, "later"))
        #expect(again.pending.map(\.id) == [key])
        again.resume()
        clock.advance(61)
        let request = try await server.next()
        #expect(request.attempt.key == key)
        request.reply(.success(Answer(large)))
        await again.flush()
        #expect(again.pending.isEmpty)
        #expect(try later.model(Post.self, id: 1)?.likes == 7)
        later.close()
    }

    @Test("What is confirmed while the cache is suspended shows once, is sent again with its key, and ends for good")
    func suspendedAtConfirmation() async throws {
        let cache = try MemoryCache(directory: nil, options: MemoryOptions())
        let scene = try Scene(cache)
        let feed = await scene.feed([Post(id: 1)])
        let message = scene.submit(Write(local: -7, text: "a"))
        _ = scene.submit(Edit(post: "Post:-7", text: "b"))
        let row = try #require(feed.rows.last?.id)
        let request = try await scene.server.next()
        try await cache.suspend()
        let answer = Answer(Post(id: 90, text: "A"), replacing: "Post:-7")
        request.reply(.success(answer))
        try await wait { scene.told.problems.count == 1 }
        guard case .unsaved = scene.told.problems[0].1 else { return #expect(Bool(false), "\(scene.told.problems)") }
        func expectShown(_ location: SourceLocation = #_sourceLocation) {
            #expect(feed.data == [Post(id: 1), Post(id: 90, text: "b")], sourceLocation: location)
            #expect(feed.rows.last?.id == row, sourceLocation: location)
        }
        expectShown()
        try await cache.resume()
        scene.outbox.resume()
        let again = try await scene.server.next()
        #expect(again.attempt.key == message.id)
        expectShown()
        again.reply(.success(answer))
        let edit = try await scene.server.next()
        #expect(edit.name == "edit:Post:90:b")
        expectShown()
        #expect(try cache.collection("feed", of: Post.self) == [Post(id: 1), Post(id: 90, text: "A")])
        edit.reply(.success(Answer(Post(id: 90, text: "b"))))
        await scene.outbox.flush()
        expectShown()
        #expect(scene.outbox.pending.isEmpty && scene.told.problems.count == 1)
        scene.manager.deleteModel(Post(id: 90))
        await scene.manager.flush()
        #expect(feed.data.map(\.id) == [1])
    }

    @Test("A like that is confirmed while the cache is suspended shows on a screen that is opened later")
    func suspendedAtLike() async throws {
        let cache = try MemoryCache(directory: nil, options: MemoryOptions())
        let scene = try Scene(cache)
        try await cache.write(Post(id: 1, likes: 4))
        let like = scene.submit(Like(post: 1))
        let request = try await scene.server.next()
        try await cache.suspend()
        let liked = Post(id: 1, likes: 5, isLiked: true)
        request.reply(.success(Answer(liked)))
        try await wait { scene.told.problems.count == 1 }
        try await cache.resume()
        let screen = DataProvider<Post>(dataModelManager: scene.manager)
        _ = try await screen.fetchDataFromCache(withCacheKey: Post.modelIdentifier(for: 1).rawValue)
        #expect(screen.data == liked)
        // The cache alone is resumed: the next attempt is made after the pause.
        scene.clock.advance(1)
        let again = try await scene.server.next()
        #expect(again.attempt.key == like.id)
        again.reply(.success(Answer(liked)))
        await scene.outbox.flush()
        #expect(scene.outbox.pending.isEmpty)
        #expect(try cache.model(Post.self, id: 1) == liked)
    }

    /// The call that does not wait.
    private func submit(_ mutation: some Mutation<FakeServer>, to outbox: Outbox<FakeServer>) -> PendingMutation {
        outbox.submit(mutation)
    }

    @Test("The guide has the code that compiles")
    func guide() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let code = try String(
            contentsOf: root.appending(path: "Tests/GroveOutboxTests/GuideExample.swift"), encoding: .utf8)
        let guide = try String(contentsOf: root.appending(path: "Docs/Guides/PendingChanges.md"), encoding: .utf8)
        let parts = code.split(separator: "// ---8<---\n")
        #expect(parts.count == 13)
        for part in [parts[1], parts[3], parts[5], parts[7], parts[9], parts[11]] {
            let text = part.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            let snippet = text.joined(separator: "\n").trimmingTrail()
            #expect(guide.contains("```swift\n\(snippet)\n```"), "\(snippet)")
        }
    }

    @Test("The guide's loop takes each push, also the next one of the same model, and none of before a wipe")
    func guideFollows() async throws {
        let cache = try MemoryCache(directory: nil, options: MemoryOptions())
        let api = BlogAPI(like: { _, _ in throw NoNetwork() }, publish: { _, _ in throw NoNetwork() })
        let (outbox, manager) = try openBlog(cache, api)
        var lines = (1...4).map { Post(id: 34, likes: $0) }
        var shown: [Int?] = []
        try await followBlog(outbox, manager) {
            shown.append(try cache.model(Post.self, id: 34)?.likes)
            // The server may not have seen this edit when it pushed the second one.
            if lines.count == 3 { try await cache.write(Post(id: 34, likes: 10)) }
            if lines.count == 1 { try await manager.wipe() }
            return lines.isEmpty ? nil : (lines.removeFirst(), [])
        }
        #expect(shown == [nil, 1, 10, 3, nil])
    }

    @Test("What it costs")
    func slowCost() async throws {
        for count in [0, 1, 100] {
            for touchesSame in [false, true] {
                let scene = try Scene()
                scene.outbox.suspend()
                let screens = (0..<200).map { scene.screen(Post(id: $0)) }
                await scene.manager.flush()
                for number in 0..<count {
                    _ = scene.submit(Edit(post: touchesSame ? "Post:0" : "Post:\(1 + number % 199)", text: "\(number)"))
                }
                let start = ContinuousClock.now
                for number in 1...200 {
                    scene.manager.updateModel(Post(id: 0, likes: number), updateCache: false)
                    await scene.manager.consistencyManager.flush()
                }
                print("update, \(count) pending, same \(touchesSame): \((ContinuousClock.now - start) / 200)")
                #expect(screens[0].data?.likes == 200)
            }
        }
        let scene = try Scene()
        scene.outbox.suspend()
        let screens = (0..<200).map { scene.screen(Post(id: $0)) }
        await scene.manager.flush()
        var times: [Duration] = []
        for number in 0..<10_000 {
            let start = ContinuousClock.now
            _ = scene.submit(Like(post: number % 200))
            times.append(ContinuousClock.now - start)
        }
        times.sort()
        print("submit: median \(times[5_000]), p99.9 \(times[9_990]), \(screens.count) screens")
        await scene.outbox.stored()
        let start = ContinuousClock.now
        let later = try Outbox(scene.cache, FakeServer(), for: types)
        print("start with \(later.pending.count) pending: \(ContinuousClock.now - start)")
        #expect(later.pending.count == 10_000)
    }
}

extension String {
    fileprivate func trimmingTrail() -> String {
        var text = self[...]
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}
