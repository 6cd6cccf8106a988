// The code of Docs/Guides/Modelling.md, between rules; a test holds the two together.
// -----
import Foundation
import Grove
import GroveMacros
import GroveSQLite

@Cacheable
struct Member: Decodable {
    let id: Int
    let name: String
}

/// A row of `GET /topics`.
@Cacheable(record: "Topic")
struct TopicRow: Decodable {
    let id: Int
    let title: String
    let replyCount: Int
    let author: Member
    let club: ClubName
}

/// `GET /topics/34`: other fields of the same record.
@Cacheable
struct Topic: Decodable {
    let id: Int
    let title: String
    let replyCount: Int
    let author: Member
    let text: String
    let replies: [Reply]
}
// -----
protocol ForumServer: Sendable {
    func topics() async throws -> [TopicRow]
    func topic(_ id: Int) async throws -> Topic?
}

/// The list, and one topic of it.
@MainActor
final class TopicScreens {
    let rows: CollectionDataProvider<TopicRow>
    let topic: DataProvider<Topic>

    init(_ manager: DataModelManager) {
        rows = CollectionDataProvider(dataModelManager: manager)
        topic = DataProvider(dataModelManager: manager)
    }
    func openList(_ server: any ForumServer) async throws {
        _ = try await rows.load(withCacheKey: "topics", maxAge: 60) { try await server.topics() }
    }
    func open(_ id: Int, _ server: any ForumServer) async throws {
        _ = try await topic.load(withCacheKey: "Topic:\(id)", maxAge: 60) { try await server.topic(id) }
    }
}
// -----
/// `GET /clubs/7`: a club with its newest topics.
@Cacheable
struct Club: Decodable {
    let id: Int
    let name: String
    let newest: [TopicRow]

    /// The key of the list of all its topics.
    var topicsKey: String { "Club:\(id)/topics" }
}

/// A club as a topic shows it: without a way back.
@Cacheable(record: "Club")
struct ClubName: Decodable {
    let id: Int
    let name: String
}

/// Stores a club and all its topics, for which the server was asked at `asked`, in one commit.
func received(_ club: Club, _ topics: [TopicRow], asOf asked: Place, _ cache: any Cache) async throws {
    try await cache.write { tx in
        try tx.write(club, asOf: asked)
        try tx.writeCollection(topics, as: club.topicsKey, asOf: asked)
    }
}
// -----
/// A tree of replies, each of which is a record of its own.
@Cacheable
struct Reply: Decodable {
    let id: Int
    let text: String
    let author: Member
    let answers: [Reply]
}

/// A reply of a thread that is loaded in pages.
@Cacheable
struct FlatReply: Decodable {
    let id: Int
    let text: String
    let author: Member?
    let answerTo: Int?  // an identifier, not a reply
}
// -----
/// The account is gone, and what it wrote stays, under another name.
func forgetName(_ id: Int, _ cache: any Cache) async throws {
    try await cache.write(Member(id: id, name: "Deleted member"))
}

/// The account is gone, and with it what cannot be without it.
func closeAccount(_ id: Int, _ cache: any Cache) async throws {
    try await cache.delete(Member.self, id: id)
}
// -----
/// What the server sends is what is stored.
func topicRows(from json: Data) throws -> [TopicRow] {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode([TopicRow].self, from: json)
}
// -----
