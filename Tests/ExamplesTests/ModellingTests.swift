import Foundation
import Grove
import GroveSQLite
import TestSupport
import Testing

@MainActor
@Suite("Docs/Guides/Modelling.md")
struct ModellingTests {
    private struct Forum: ForumServer {
        var rows: [TopicRow] = []
        var found: Topic?

        func topics() async throws -> [TopicRow] { rows }
        func topic(_ id: Int) async throws -> Topic? { found }
    }

    private let ann = Member(id: 1, name: "Ann")
    private let ben = Member(id: 2, name: "Ben")

    private func row(_ title: String) -> TopicRow {
        TopicRow(id: 34, title: title, replyCount: 0, author: ann, club: ClubName(id: 7, name: "Chess"))
    }

    @Test("A list and the topic that was opened from it show one title, whichever was loaded last")
    func projections() async throws {
        let directory = try TemporaryDirectory()
        let cache = try SQLiteCache(directory: directory.path)
        defer { cache.close() }
        let manager = DataModelManager(cacheDelegate: cache)
        let screens = TopicScreens(manager)
        func settle() async throws {
            for _ in 0..<3 {
                await manager.flush()
                try await cache.flush()
            }
        }
        try await screens.openList(Forum(rows: [row("Old")]))
        #expect(screens.rows.data == [row("Old")])
        let topic = Topic(id: 34, title: "New", replyCount: 0, author: ann, text: "…", replies: [])
        try await screens.open(34, Forum(found: topic))
        try await settle()
        #expect(screens.rows.data == [row("New")])
        #expect(try cache.collection("topics", of: TopicRow.self) == [row("New")])
        try await cache.write(row("Newest"))
        try await settle()
        #expect(screens.topic.data?.title == "Newest")
        #expect(screens.topic.data?.text == "…")
    }

    @Test("A topic that was only listed has no text yet: the whole topic is a miss, and the row is not")
    func smaller() async throws {
        let directory = try TemporaryDirectory()
        let cache = try SQLiteCache(directory: directory.path)
        defer { cache.close() }
        try await cache.write(row("Old"))
        #expect(try cache.model(Topic.self, id: 34) == nil)
        #expect(try cache.model(TopicRow.self, id: 34) == row("Old"))
    }

    @Test("A club holds topics that name the club, and a new name shows in both")
    func bothWays() async throws {
        let directory = try TemporaryDirectory()
        let cache = try SQLiteCache(directory: directory.path)
        defer { cache.close() }
        let topics = [row("Knots")]
        let club = Club(id: 7, name: "Chess", newest: topics)
        try await received(club, topics, asOf: cache.place(), cache)
        #expect(try cache.model(Club.self, id: 7) == club)
        try await cache.write(ClubName(id: 7, name: "Go"))
        let renamed = try #require(try cache.model(Club.self, id: 7))
        #expect(renamed.name == "Go")
        #expect(renamed.newest.map { $0.club.name } == ["Go"])
        #expect(try cache.collection(club.topicsKey, of: TopicRow.self) == renamed.newest)
    }

    @Test("Of a deleted member, a required holder goes, an optional one stays, and what is below stays stored")
    func deletion() async throws {
        let directory = try TemporaryDirectory()
        let cache = try SQLiteCache(directory: directory.path)
        defer { cache.close() }
        let answer = Reply(id: 2, text: "Yes", author: ann, answers: [])
        let reply = Reply(id: 1, text: "No", author: ben, answers: [answer])
        let topic = Topic(id: 34, title: "Knots", replyCount: 2, author: ann, text: "…", replies: [reply])
        try await cache.write(topic)
        try await cache.write(FlatReply(id: 9, text: "Hm", author: ben, answerTo: 1))
        try await forgetName(2, cache)
        #expect(try cache.model(Topic.self, id: 34)?.replies.first?.author.name == "Deleted member")
        try await closeAccount(2, cache)
        #expect(try cache.model(Topic.self, id: 34)?.replies == [])
        #expect(try cache.model(FlatReply.self, id: 9) == FlatReply(id: 9, text: "Hm", author: nil, answerTo: 1))
        #expect(try cache.model(Reply.self, id: 2) == answer)
        try await closeAccount(1, cache)
        #expect(try cache.model(Topic.self, id: 34) == nil)
    }

    @Test("What a server sends as JSON is stored as it is")
    func json() async throws {
        let directory = try TemporaryDirectory()
        let cache = try SQLiteCache(directory: directory.path)
        defer { cache.close() }
        let json = """
            [{"id": 34, "title": "Knots", "reply_count": 0, "author": {"id": 1, "name": "Ann"},
              "club": {"id": 7, "name": "Chess"}}]
            """
        let rows = try topicRows(from: Data(json.utf8))
        #expect(rows == [row("Knots")])
        try await cache.writeCollection(rows, as: "topics", asOf: cache.place())
        #expect(try cache.model(Member.self, id: 1) == ann)
        #expect(try cache.collection("topics", of: TopicRow.self) == rows)
    }
}
