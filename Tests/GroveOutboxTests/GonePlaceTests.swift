import Grove
import GroveCache
import GroveOutbox
import Testing

/// A place beside an element that is not in the list, for everybody who may name one.
@MainActor
@Suite("Places beside what is gone")
struct GonePlaceTests {
    typealias Feed = CollectionDataProvider<Post>
    typealias Edit = @MainActor (Scene, Feed, ElementPlace) throws -> Void

    /// An edit of the posts 1, 2 and 3, and what comes of it if the place is the end.
    struct Form: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let then: [Int]
        let edit: Edit

        init(_ name: String, _ then: [Int], _ edit: @escaping Edit) {
            (testDescription, self.then, self.edit) = (name, then, edit)
        }
    }

    nonisolated static let forms = [
        Form("provider, insert", [1, 2, 3, 9]) { $1.insert([Post(id: 9)], at: $2) },
        Form("provider, upsert", [1, 2, 3, 9]) { $1.upsert([Post(id: 2), Post(id: 9)], at: $2) },
        Form("provider, move", [2, 3, 1]) { $1.move("Post:1", to: $2) },
        Form("call, insert", [1, 2, 3, 9]) { try $0.cache.insert([Post(id: 9)], at: $2, inCollection: "feed") },
        Form("call, references", [1, 2, 3, 9]) {
            try $0.cache.write(Post(id: 9))
            try $0.cache.insert(references: ["Post:9"], at: $2, inCollection: "feed")
        },
        Form("call, upsert", [1, 2, 3, 9]) {
            try $0.cache.upsert([Post(id: 2), Post(id: 9)], at: $2, inCollection: "feed")
        },
        Form("call, move", [2, 3, 1]) { try $0.cache.move("Post:1", to: $2, inCollection: "feed") },
        Form("transaction, insert", [1, 2, 3, 9]) { scene, _, place in
            _ = try scene.cache.write { tx in try tx.insert([Post(id: 9)], at: place, inCollection: "feed") }
        },
        Form("transaction, move", [2, 3, 1]) { scene, _, place in
            _ = try scene.cache.write { tx in try tx.move("Post:1", to: place, inCollection: "feed") }
        },
    ]

    @Test("Each is the end of the list", arguments: forms, [ElementPlace.before("Post:77"), .after("Post:77")])
    func ends(form: Form, place: ElementPlace) async throws {
        let scene = try Scene()
        let feed = await scene.feed((1...3).map { Post(id: $0) })
        try form.edit(scene, feed, place)
        for _ in 0..<3 {
            await scene.manager.flush()
            try await scene.cache.flush()
        }
        #expect(feed.data.map(\.id) == form.then)
        #expect(try scene.cache.collection("feed", of: Post.self)?.map(\.id) == form.then)
    }

    @Test("What was deleted since it was sent is in no list when it is confirmed, and the rest of the answer is stored")
    func deleted() async throws {
        let scene = try Scene()
        let feed = await scene.feed((1...3).map { Post(id: $0) })
        _ = scene.submit(Put(post: 9, isNew: true, before: 77))
        let request = try await scene.server.next()
        // Another screen has had it from elsewhere, and deletes it.
        try await scene.cache.write(Post(id: 9))
        try await scene.cache.delete(Post.self, id: 9)
        request.reply(.success(Answer(Post(id: 9), Post(id: 2, text: "new"))))
        await scene.outbox.flush()
        #expect(scene.outbox.pending.isEmpty && scene.told.problems.isEmpty)
        #expect(try scene.cache.collection("feed", of: Post.self)?.map(\.id) == [1, 2, 3])
        #expect(try scene.cache.knownCount(ofCollection: "feed") == 3)
        #expect(feed.data.map(\.id) == [1, 2, 3] && feed.data[1].text == "new")
    }

    @Test("What a pending change takes out of a list is out of it when it is confirmed, and stays a model")
    func takenOut() async throws {
        let scene = try Scene()
        let feed = await scene.feed((1...3).map { Post(id: $0) })
        _ = scene.submit(TakeOut(post: 2))
        #expect(feed.data.map(\.id) == [1, 3])
        #expect(try scene.cache.collection("feed", of: Post.self)?.map(\.id) == [1, 2, 3])
        try await scene.server.reply(Answer())
        await scene.outbox.flush()
        #expect(scene.outbox.pending.isEmpty)
        #expect(feed.data.map(\.id) == [1, 3])
        #expect(try scene.cache.collection("feed", of: Post.self)?.map(\.id) == [1, 3])
        #expect(try scene.cache.model(Post.self, id: 2) != nil)
    }

    @Test("What is pending stays where it was shown when it is confirmed", arguments: [true, false])
    func drafts(isNew: Bool) async throws {
        let scene = try Scene()
        let feed = await scene.feed((1...3).map { Post(id: $0) })
        let post = isNew ? 9 : 1
        _ = scene.submit(Put(post: post, isNew: isNew, before: 77))
        let then = isNew ? [1, 2, 3, 9] : [2, 3, 1]
        #expect(feed.data.map(\.id) == then)
        try await scene.server.reply(Answer(Post(id: post)))
        await scene.outbox.flush()
        #expect(scene.outbox.pending.isEmpty)
        #expect(feed.data.map(\.id) == then)
        #expect(try scene.cache.collection("feed", of: Post.self)?.map(\.id) == then)
    }
}
