#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import GroveCoding
import GroveModel
import TestSupport

// The same models twice, by hand and by `Codable`, each pair under one record name.

enum Mood: String, Codable, NodeCodable { case calm, cross }

struct Badge: Hashable, Codable {
    var name: String
    var level: Int?
}

extension Badge: NodeCodable {
    func encodeValue(to encoder: inout NodeEncoder) throws(CacheError) {
        encoder.writeMapHead(count: 2)
        encoder.write("name")
        encoder.write(name)
        encoder.write("level")
        try level.encodeValue(to: &encoder)
    }

    static func decodeValue(from decoder: inout NodeDecoder) throws(NodeReadFailure) -> Badge {
        guard try decoder.readMapHead() == 2, try decoder.readString() == "name" else { throw .otherShape }
        let name = try decoder.readString()
        guard try decoder.readString() == "level" else { throw .otherShape }
        return Badge(name: name, level: try Int?.decodeValue(from: &decoder))
    }
}

/// The same as ``Badge``, with no coding but `Codable`.
struct PlainBadge: Hashable, Codable {
    var name: String
    var level: Int?
}

struct HandPerson: CacheableModel, Equatable {
    var id: Int
    var name: String
    var modelIdentifier: ModelIdentifier? { "Person:\(id)" }
    static let recordName = "Person"
    static let projectionName = "Person"
    static let fields = FieldTable("id", "name")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(name, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> HandPerson {
        let id = try node.scan(Int.self, at: 0)
        let name = try node.scan(String.self, at: 1)
        return HandPerson(id: try node.finish(id), name: try node.finish(name))
    }
}

struct PlainPerson: SimpleModel, Codable, Hashable {
    var id: Int
    var name: String
    var modelIdentifier: ModelIdentifier? { "Person:\(id)" }
    static let recordName = "Person"
    static let projectionName = "Person"
}

/// Without an identifier: it stands in its holder's record.
struct HandFrame: CacheableModel, Equatable {
    var owner: HandPerson?
    var width: Double
    var modelIdentifier: ModelIdentifier? { nil }
    static let fields = FieldTable("owner", "width")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(owner, at: 0)
        try node.encode(width, at: 1)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> HandFrame {
        let owner = try node.scan(HandPerson?.self, at: 0)
        let width = try node.scan(Double.self, at: 1)
        return HandFrame(owner: try node.finish(owner), width: try node.finish(width))
    }
}

struct PlainFrame: SimpleModel, Codable, Equatable {
    var owner: PlainPerson?
    var width: Double
    var modelIdentifier: ModelIdentifier? { nil }
}

struct HandMessage: CacheableModel, Equatable {
    var zeta: HandPerson
    var id: String
    var text: String?
    var mood: Mood
    var date: Date
    var data: Data
    var uuid: UUID
    var link: URL
    var price: Decimal
    var badge: Badge
    var badges: [Badge]
    var unique: Set<Badge>
    var alpha: HandPerson?
    var replies: [HandPerson]
    var byName: [String: HandPerson]
    var byNumber: [Int: Badge]
    var frame: HandFrame?
    var frames: [HandFrame?]
    var twice: Int??
    var badgeTwice: Badge??
    var tags: Set<String>
    var scores: [String: Double]
    var ratio: Float
    var small: Int8
    var big: UInt64
    var isRead: Bool
    var modelIdentifier: ModelIdentifier? { "Message:\(id)" }
    static let recordName = "Message"
    static let projectionName = "Message"
    static let fields = FieldTable(
        "id", "big", "data", "date", "link", "mood", "tags", "text", "uuid", "zeta", "alpha", "badge", "frame",
        "price", "ratio", "small", "twice", "badges", "byName", "frames", "isRead", "scores", "unique", "replies",
        "byNumber", "badgeTwice")

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(big, at: 1)
        try node.encode(data, at: 2)
        try node.encode(date, at: 3)
        try node.encode(link, at: 4)
        try node.encode(mood, at: 5)
        try node.encode(tags, at: 6)
        try node.encode(text, at: 7)
        try node.encode(uuid, at: 8)
        try node.encode(zeta, at: 9)
        try node.encode(alpha, at: 10)
        try node.encode(badge, at: 11)
        try node.encode(frame, at: 12)
        try node.encode(price, at: 13)
        try node.encode(ratio, at: 14)
        try node.encode(small, at: 15)
        try node.encode(twice, at: 16)
        try node.encode(badges, at: 17)
        try node.encode(byName, at: 18)
        try node.encode(frames, at: 19)
        try node.encode(isRead, at: 20)
        try node.encode(scores, at: 21)
        try node.encode(unique, at: 22)
        try node.encode(replies, at: 23)
        try node.encode(byNumber, at: 24)
        try node.encode(badgeTwice, at: 25)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> HandMessage {
        let id = try node.scan(String.self, at: 0)
        let big = try node.scan(UInt64.self, at: 1)
        let data = try node.scan(Data.self, at: 2)
        let date = try node.scan(Date.self, at: 3)
        let link = try node.scan(URL.self, at: 4)
        let mood = try node.scan(Mood.self, at: 5)
        let tags = try node.scan(Set<String>.self, at: 6)
        let text = try node.scan(String?.self, at: 7)
        let uuid = try node.scan(UUID.self, at: 8)
        let zeta = try node.scan(HandPerson.self, at: 9)
        let alpha = try node.scan(HandPerson?.self, at: 10)
        let badge = try node.scan(Badge.self, at: 11)
        let frame = try node.scan(HandFrame?.self, at: 12)
        let price = try node.scan(Decimal.self, at: 13)
        let ratio = try node.scan(Float.self, at: 14)
        let small = try node.scan(Int8.self, at: 15)
        let twice = try node.scan(Int??.self, at: 16)
        let badges = try node.scan([Badge].self, at: 17)
        let byName = try node.scan([String: HandPerson].self, at: 18)
        let frames = try node.scan([HandFrame?].self, at: 19)
        let isRead = try node.scan(Bool.self, at: 20)
        let scores = try node.scan([String: Double].self, at: 21)
        let unique = try node.scan(Set<Badge>.self, at: 22)
        let replies = try node.scan([HandPerson].self, at: 23)
        let byNumber = try node.scan([Int: Badge].self, at: 24)
        let badgeTwice = try node.scan(Badge??.self, at: 25)
        return HandMessage(
            zeta: try node.finish(zeta), id: try node.finish(id), text: try node.finish(text),
            mood: try node.finish(mood), date: try node.finish(date), data: try node.finish(data),
            uuid: try node.finish(uuid), link: try node.finish(link), price: try node.finish(price),
            badge: try node.finish(badge), badges: try node.finish(badges), unique: try node.finish(unique),
            alpha: try node.finish(alpha), replies: try node.finish(replies), byName: try node.finish(byName),
            byNumber: try node.finish(byNumber), frame: try node.finish(frame), frames: try node.finish(frames),
            twice: try node.finish(twice), badgeTwice: try node.finish(badgeTwice), tags: try node.finish(tags),
            scores: try node.finish(scores), ratio: try node.finish(ratio), small: try node.finish(small),
            big: try node.finish(big), isRead: try node.finish(isRead))
    }
}

/// The same fields, declared in another order than the record's.
struct PlainMessage: SimpleModel, Codable, Equatable {
    var zeta: PlainPerson
    var id: String
    var text: String?
    var mood: Mood
    var date: Date
    var data: Data
    var uuid: UUID
    var link: URL
    var price: Decimal
    var badge: PlainBadge
    var badges: [PlainBadge]
    var unique: Set<PlainBadge>
    var alpha: PlainPerson?
    var replies: [PlainPerson]
    var byName: [String: PlainPerson]
    var byNumber: [Int: PlainBadge]
    var frame: PlainFrame?
    var frames: [PlainFrame?]
    var twice: Int??
    var badgeTwice: PlainBadge??
    var tags: Set<String>
    var scores: [String: Double]
    var ratio: Float
    var small: Int8
    var big: UInt64
    var isRead: Bool
    var modelIdentifier: ModelIdentifier? { "Message:\(id)" }
    static let recordName = "Message"
    static let projectionName = "Message"
}

extension PlainPerson { init(_ person: HandPerson) { self.init(id: person.id, name: person.name) } }
extension PlainBadge { init(_ badge: Badge) { self.init(name: badge.name, level: badge.level) } }
extension PlainFrame {
    init(_ frame: HandFrame) { self.init(owner: frame.owner.map { PlainPerson($0) }, width: frame.width) }
}

extension PlainMessage {
    init(_ message: HandMessage) {
        self.init(
            zeta: PlainPerson(message.zeta), id: message.id, text: message.text, mood: message.mood,
            date: message.date, data: message.data, uuid: message.uuid, link: message.link, price: message.price,
            badge: PlainBadge(message.badge), badges: message.badges.map { PlainBadge($0) },
            unique: Set(message.unique.map { PlainBadge($0) }), alpha: message.alpha.map { PlainPerson($0) },
            replies: message.replies.map { PlainPerson($0) }, byName: message.byName.mapValues { PlainPerson($0) },
            byNumber: message.byNumber.mapValues { PlainBadge($0) }, frame: message.frame.map { PlainFrame($0) },
            frames: message.frames.map { $0.map { PlainFrame($0) } }, twice: message.twice,
            badgeTwice: message.badgeTwice.map { $0.map { PlainBadge($0) } }, tags: message.tags,
            scores: message.scores, ratio: message.ratio, small: message.small, big: message.big,
            isRead: message.isRead)
    }
}

extension HandMessage {
    /// A message with something in every field.
    static func sample(_ seed: UInt64 = 1) -> HandMessage {
        var random = SeededGenerator(seed: seed)
        func person(_ id: Int) -> HandPerson { HandPerson(id: id, name: "Person number \(id)") }
        func badge() -> Badge {
            Badge(
                name: "badge \(UInt16.random(in: 0...UInt16.max, using: &random))",
                level: Bool.random(using: &random) ? Int.random(in: -9...999_999, using: &random) : nil)
        }
        let twices: [Int??] = [.none, .some(.none), .some(.some(5))]
        let badgeTwices: [Badge??] = [.none, .some(.none), .some(.some(Badge(name: "x", level: nil)))]
        return HandMessage(
            zeta: person(1), id: "m\(seed)", text: Bool.random(using: &random) ? "grüße 👋\u{0}" : nil,
            mood: Bool.random(using: &random) ? .calm : .cross,
            date: Date(timeIntervalSinceReferenceDate: Double.random(in: -1e9...1e9, using: &random)),
            data: Data((0..<40).map { _ in UInt8.random(in: 0...255, using: &random) }),
            uuid: UUID(
                uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(truncatingIfNeeded: seed))),
            link: URL(string: "https://example.org/path?q=%20&seed=\(seed)") ?? URL(filePath: "/"),
            price: Decimal(
                sign: .minus, exponent: -2, significand: Decimal(Int.random(in: 1...99_999, using: &random))),
            badge: badge(), badges: (0..<3).map { _ in badge() }, unique: Set((0..<20).map { _ in badge() }),
            alpha: Bool.random(using: &random) ? person(2) : nil, replies: [person(3), person(1), person(3)],
            byName: ["one": person(1), "a longer key": person(4), "": person(5)],
            byNumber: [3: badge(), -1: badge(), 100_000: badge()],
            frame: HandFrame(owner: person(6), width: 1.5),
            frames: [nil, HandFrame(owner: nil, width: .infinity), HandFrame(owner: person(7), width: -0.0)],
            twice: twices[Int(seed % 3)], badgeTwice: badgeTwices[Int(seed / 3 % 3)],
            tags: ["swift", "cbor", "a", "bb", "aa"], scores: ["x": 0.1, "yy": 2, "zzz": .pi], ratio: 0.1,
            small: -128, big: .max, isRead: true)
    }
}
