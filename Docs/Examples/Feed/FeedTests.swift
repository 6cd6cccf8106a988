import Foundation
import GroveLMDB
import GroveLevelDB
import GroveMacros
import GroveMemory
import GroveSQLite
import Testing

@Suite("The feed, an example")
struct FeedTests {
    @Test("The feed is shown in pages", arguments: Backend.all)
    func pages(backend: Backend) async throws {
        try await Site.with(backend) { feed in
            try feed.append(posts(4...5), asOf: feed.place())
            #expect(try feed.page(0..<2) == nil, "the feed was never loaded, and older posts alone are not the feed")
            try await feed.refresh(posts(1...3), asOf: feed.place())
            try feed.append(posts(4...5), asOf: feed.place())
            var (range, pages): (Range<Int>?, [[Int]]) = (0..<2, [])
            while let next = range {
                let page = try #require(try feed.page(next))
                pages.append(page.elements.map(\.id))
                range = page.nextRange
            }
            #expect(pages == [[1, 2], [3, 4], [5]])
            try await feed.refresh(posts(7...8), asOf: feed.place())
            #expect(try feed.page(0..<2)?.elements == posts(7...8), "another feed has come")
        }
    }

    @Test("Every kind of attachment comes back, a quote in a quote too", arguments: Backend.all)
    func attachments(backend: Backend) async throws {
        let place = try #require(URL(string: "https://example.com/a"))
        let photo = Post(id: 1, author: ann, text: "see", attachment: .photo(place, caption: "a lantern"))
        let link = Post(id: 2, author: ben, text: "read", attachment: .link(place))
        let quote = Post(id: 3, author: ann, text: "indeed", attachment: .quote(photo))
        let twice = Post(id: 4, author: ben, text: "as I said", attachment: .quote(quote))
        try await Site.with(backend) { feed in
            try await feed.refresh([photo, link, quote, twice], asOf: feed.place())
            #expect(try feed.page()?.elements == [photo, link, quote, twice])
        }
    }

    @Test("Likes and comments from many tasks all count, wherever the post is shown", arguments: Backend.all)
    func likes(backend: Backend) async throws {
        try await Site.with(backend) { feed in
            let post = Post(id: 1, author: ann, text: "one")
            try await feed.refresh(
                [post, Post(id: 2, author: ben, text: "two", attachment: .quote(post))], asOf: feed.place())
            try await withThrowingTaskGroup { group in
                for id in 1...8 {
                    group.addTask {
                        try feed.like(1)
                        try feed.add(FeedExample.Comment(id: id, text: "well", author: ben), to: 1)
                    }
                }
                try await group.waitForAll()
            }
            let liked = try #require(try feed.post(1))
            #expect(liked.likes == 8)
            #expect(Set(liked.comments.map(\.id)) == Set(1...8))
            #expect(try feed.post(2)?.attachment == .quote(liked))
            #expect(try feed.like(9) == nil, "there is no such post")
        }
    }

    @Test("An author's new name is shown everywhere", arguments: Backend.all)
    func rename(backend: Backend) async throws {
        try await Site.with(backend) { feed in
            try await feed.refresh(posts(1...2), asOf: feed.place())
            try feed.add(FeedExample.Comment(id: 1, text: "well", author: ann), to: 2)
            try feed.update(Author(id: 1, name: "Anna"), asOf: feed.place())
            #expect(try feed.post(1)?.author.name == "Anna")
            #expect(try feed.post(2)?.comments.first?.author.name == "Anna")
        }
    }

    @Test("What the network says late undoes nothing, and after a log-out it is not taken", arguments: Backend.all)
    func late(backend: Backend) async throws {
        try await Site.with(backend) { feed in
            try await feed.refresh(posts(1...3), asOf: feed.place())
            let asked = feed.place()
            for id in [1, 5] {
                if id == 5 { try feed.append(posts(5...5), asOf: feed.place()) }
                try feed.like(id)
            }
            try feed.delete(2)
            try feed.rename(Author(id: 1, name: "Anna"))
            try feed.append(posts(2...2) + posts(4...5), asOf: asked)
            try feed.update(ann, asOf: asked)
            #expect(try feed.page()?.elements.map(\.id) == [1, 3, 5, 4])
            try await feed.refresh(posts(1...5), asOf: asked)
            let shown = try #require(try feed.page()?.elements)
            #expect(shown.map(\.id) == [1, 3, 4, 5] && shown.map(\.likes) == [1, 0, 0, 1])
            #expect(shown[0].author.name == "Anna")
            try feed.wipe()
            await #expect(throws: CacheError.self) { try await feed.refresh(posts(1...3), asOf: asked) }
            try await feed.refresh(posts(6...6), asOf: feed.place())
            #expect(throws: CacheError.self) { try feed.append(posts(1...3), asOf: asked) }
            #expect(throws: CacheError.self) { try feed.update(ann, asOf: asked) }
            #expect(try feed.page()?.elements == posts(6...6))
        }
    }

    @Test("A deleted post is gone everywhere", arguments: Backend.all)
    func delete(backend: Backend) async throws {
        try await Site.with(backend) { feed in
            let post = Post(id: 1, author: ann, text: "one")
            try await feed.refresh(
                [post, Post(id: 2, author: ben, text: "two", attachment: .quote(post))], asOf: feed.place())
            try feed.delete(1)
            #expect(try feed.post(1) == nil)
            #expect(try feed.search { $0.text == "one" } == [])
            #expect(try feed.page()?.elements == [Post(id: 2, author: ben, text: "two")], "the quote of it is nil")
        }
    }

    @Test("A search finds every stored post, also one that is only quoted", arguments: Backend.all)
    func search(backend: Backend) async throws {
        try await Site.with(backend) { feed in
            let quoted = Post(id: 7, author: ann, text: "old")
            try await feed.refresh(
                posts(1...2) + [Post(id: 3, author: ben, text: "new", attachment: .quote(quoted))], asOf: feed.place())
            #expect(try feed.search { $0.author == ann }.map(\.id) == [1, 7])
            #expect(try feed.search { $0.text.hasPrefix("absent") } == [])
        }
    }

    @MainActor
    @Test("What the network brings is shown, and where nothing is stored, nothing before it", arguments: Backend.all)
    func start(backend: Backend) async throws {
        let site = Site()
        let feed = try backend.open(site.directory)
        var shown: [[Post]] = []
        try await feed.start(load: { throw Offline() }, show: { shown.append($0) })
        #expect(shown == [])
        try await feed.start(load: { posts(1...2) }, show: { shown.append($0) })
        #expect(shown == [posts(1...2)])
        feed.close()
    }

    @MainActor
    @Test("Opened again without a network, it shows yesterday's feed", arguments: Backend.onDisk)
    func offlineStart(backend: Backend) async throws {
        let site = Site()
        var shown: [[Post]] = []
        let yesterday = try backend.open(site.directory)
        try await yesterday.refresh(posts(1...2), asOf: yesterday.place())
        yesterday.close()

        let today = try backend.open(site.directory)
        try await today.start(load: { throw Offline() }, show: { shown.append($0) })
        #expect(shown == [posts(1...2)])
        try await today.start(load: { posts(2...3) }, show: { shown.append($0) })
        #expect(shown == [posts(1...2), posts(1...2), posts(2...3)])
        today.close()
    }

    @Test("The feed of the last version is shown, with default values for what it did not have", arguments: Backend.all)
    func changedSchema(backend: Backend) async throws {
        try await Site.with(backend) { feed in
            try feed.writeAsLastVersion([Earlier.Post(id: 1, author: ann, headline: "one")])
            let post = Post(id: 1, author: ann, text: "one", attachment: nil, comments: [], likes: 0)
            #expect(try feed.page()?.elements == [post])
            #expect(try feed.like(1)?.likes == 1)
            #expect(try feed.post(1)?.text == "one")
        }
    }

    @Test("It opens with the backend that it names")
    func named() async throws {
        let site = Site()
        let feed = try openFeed(in: site.directory)
        try await feed.refresh(posts(1...1), asOf: feed.place())
        #expect(try feed.page()?.elements == posts(1...1))
        feed.close()
    }
}

private let ann = Author(id: 1, name: "Ann")
private let ben = Author(id: 2, name: "Ben")

/// Posts of these numbers: Ann's are the odd ones.
private func posts(_ ids: ClosedRange<Int>) -> [Post] {
    ids.map { Post(id: $0, author: $0.isMultiple(of: 2) ? ben : ann, text: "post \($0)") }
}

private struct Offline: Error {}

/// A post as the last version of the application stored it.
enum Earlier {
    @Cacheable(record: "Post", projection: "Post")
    struct Post {
        let id: Int
        let author: Author
        let headline: String
    }
}

/// The feed over any backend.
protocol AnyFeed: Sendable {
    @MainActor
    func start(load: @MainActor () async throws -> [Post], show: @MainActor ([Post]) -> Void) async throws
    func place() -> Place
    func refresh(_ posts: [Post], asOf asked: Place) async throws
    func append(_ older: [Post], asOf asked: Place) throws
    func page(_ range: Range<Int>) throws -> CollectionRead<Post>?
    func post(_ id: Int) throws -> Post?
    func search(_ isMatch: (Post) -> Bool) throws -> [Post]
    @discardableResult func like(_ id: Int) throws -> Post?
    @discardableResult func add(_ comment: FeedExample.Comment, to id: Int) throws -> Post?
    func update(_ author: Author, asOf asked: Place) throws
    func delete(_ id: Int) throws
    func rename(_ author: Author) throws
    func writeAsLastVersion(_ posts: [Earlier.Post]) throws
    func wipe() throws
    func close()
}

extension AnyFeed {
    func page() throws -> CollectionRead<Post>? { try page(0..<20) }
}

extension Feed: AnyFeed {
    func writeAsLastVersion(_ posts: [Earlier.Post]) throws { try cache.writeCollection(posts, as: "feed") }
    func rename(_ author: Author) throws { try cache.write(author) }
    func place() -> Place { cache.place() }
    func wipe() throws { try cache.wipe() }
    func close() { cache.close() }
}

/// What the feed is opened with.
struct Backend: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let open: @Sendable (_ directory: String) throws -> any AnyFeed

    static let onDisk = [
        Backend(testDescription: "lmdb") { Feed(cache: try LMDBCache(directory: $0)) },
        Backend(testDescription: "sqlite") { Feed(cache: try SQLiteCache(directory: $0)) },
        Backend(testDescription: "leveldb") { Feed(cache: try LevelDBCache(directory: $0)) },
    ]
    static let all = onDisk + [Backend(testDescription: "memory") { _ in Feed(cache: try MemoryCache()) }]
}

/// A directory that goes with the test.
private final class Site: Sendable {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// Runs `scene` on an empty feed.
    static func with(_ backend: Backend, _ scene: (any AnyFeed) async throws -> Void) async throws {
        let site = Site()
        let feed = try backend.open(site.directory)
        defer { feed.close() }
        try await scene(feed)
    }
}
