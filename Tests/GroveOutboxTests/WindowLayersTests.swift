import Grove
import GroveCache
import GroveMemory
import GroveOutbox
import TestSupport
import Testing

@Suite("What is pending, in a window over a long list")
@MainActor
struct WindowLayersTests {
    typealias Window = WindowDataProvider<Post>

    /// A scene whose cache has a hundred posts, and a window over them.
    private func open(_ place: WindowPlace, count: Int = 5) async throws -> (Scene, Window) {
        let scene = try Scene()
        try await scene.cache.writeCollection((1...100).map { Post(id: $0) }, as: "feed")
        let window = Window(dataModelManager: scene.manager)
        window.open("feed", at: place, count: count)
        await scene.manager.flush()
        return (scene, window)
    }

    private func ids(_ window: Window) -> [Int] { window.rows.map(\.model.id) }

    /// Returns when everything is shown.
    private func settle(_ scene: Scene, isAnswered: Bool = true) async throws {
        if isAnswered { await scene.outbox.flush() }
        for _ in 0..<3 {
            try await scene.cache.flush()
            await scene.manager.flush()
        }
    }

    @Test("A draft is appended in the turn in which it is submitted, and goes on as the same row")
    func appends() async throws {
        let (scene, window) = try await open(.last)
        let (middle, first) = (Window(dataModelManager: scene.manager), Window(dataModelManager: scene.manager))
        middle.open("feed", at: .position(50), count: 4)
        first.open("feed", at: .first, count: 2)
        await scene.manager.flush()
        _ = scene.submit(Write(local: -7, text: "hello"))
        #expect(ids(window) == [96, 97, 98, 99, 100, -7])
        #expect(ids(middle) == [49, 50, 51, 52] && ids(first) == [1, 2])
        let row = try #require(window.rows.last)
        _ = scene.submit(Edit(post: "Post:-7", text: "hello!"))
        #expect(row.model.text == "hello!" && window.rows.last === row)
        try await window.showEarlier(1)
        #expect(ids(window) == [95, 96, 97, 98, 99, 100, -7] && window.rows.last === row)
        try await scene.server.reply(Answer(Post(id: 190, text: "hello"), replacing: "Post:-7"))
        try await scene.server.reply(Answer(Post(id: 190, text: "hello!")))
        try await settle(scene)
        #expect(ids(window) == [95, 96, 97, 98, 99, 100, 190])
        #expect(window.rows.last === row && row.model.text == "hello!")
        // It is listened to as every other row.
        try await scene.cache.write(Post(id: 190, text: "by another"))
        try await settle(scene)
        #expect(row.model.text == "by another")
    }

    @Test("A like, a removal and a move show at once, and go away with a refusal")
    func changes() async throws {
        let (scene, window) = try await open(.position(50), count: 6)
        #expect(ids(window) == [48, 49, 50, 51, 52, 53])
        let rows = window.rows
        _ = scene.submit(Like(post: 49))
        _ = scene.submit(Remove(post: 50))
        _ = scene.submit(TakeOut(post: 51))
        _ = scene.submit(Put(post: 53, before: 49))
        // Its place is not shown here.
        _ = scene.submit(Put(post: 52))
        #expect(ids(window) == [48, 53, 49])
        #expect(rows[1].model.likes == 1 && rows[1].model.isLiked)
        // What the cache has goes on to change below.
        try await scene.cache.write(Post(id: 49, text: "new", likes: 7))
        try await settle(scene, isAnswered: false)
        #expect(rows[1].model == Post(id: 49, text: "new", likes: 8, isLiked: true))
        for _ in 0..<5 { try await scene.server.fail(Refusal("no")) }
        try await settle(scene)
        #expect(ids(window) == [48, 49, 50, 51, 52, 53] && window.rows.elementsEqual(rows, by: ===))
        #expect(rows[1].model == Post(id: 49, text: "new", likes: 7))
    }

    @Test("A confirmed removal takes the next row in")
    func removes() async throws {
        let (scene, window) = try await open(.position(50), count: 4)
        _ = scene.submit(TakeOut(post: 50))
        #expect(ids(window) == [49, 51, 52])
        try await scene.server.reply(Answer())
        try await settle(scene)
        // One before the row at which it was opened, as that is the place of the one that went.
        #expect(ids(window) == [48, 49, 51, 52])
    }

    @Test("What is pending is shown by a window that is opened later, and by one over a list that is not there")
    func opensLater() async throws {
        let (scene, window) = try await open(.first)
        scene.outbox.suspend()
        _ = scene.submit(Write(local: -7, text: "hello"))
        window.jump(to: .last, count: 2)
        await scene.manager.flush()
        #expect(ids(window) == [99, 100, -7])
        try await scene.cache.removeCollection("feed")
        try await settle(scene, isAnswered: false)
        #expect(ids(window) == [-7])
        let other = Window(dataModelManager: scene.manager)
        other.open("feed", at: .last)
        #expect(other.rows.isEmpty)
        await scene.manager.flush()
        #expect(ids(other) == [-7])
        // Another list has none of it.
        window.open("others", at: .last)
        #expect(window.rows.isEmpty)
        await scene.manager.flush()
        #expect(window.rows.isEmpty)
    }

    @Test("Rows of windows are what other mutations stand on")
    func standsOn() async throws {
        let (scene, window) = try await open(.last, count: 2)
        scene.outbox.suspend()
        _ = scene.submit(Edit(post: "Post:1", text: "unseen"))
        window.jump(to: .first, count: 2)
        await scene.manager.flush()
        #expect(window.rows[0].model.text == "unseen")
    }

    @Test("More rows are asked for beside those that the cache has")
    func pages() async throws {
        let (scene, window) = try await open(.last, count: 2)
        let asked = Lock<[Int?]>([])
        window.open(
            "feed", at: .last, count: 2,
            after: { post in
                asked.withLock { $0.append(post?.id) }
                return post?.id == 100 ? [Post(id: 101), Post(id: 102)] : []
            })
        await scene.manager.flush()
        scene.outbox.suspend()
        _ = scene.submit(Write(local: -7, text: "hello"))
        #expect(ids(window) == [99, 100, -7])
        try await window.showLater()
        #expect(asked.withLock { $0 } == [100])
        #expect(ids(window) == [99, 100, 101, 102, -7])
    }
}
