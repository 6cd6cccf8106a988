import GroveCoding
import GroveModel

/// A reply to a reply: a tree as deep as a thread is long.
struct FeedReply: Equatable {
    let id: Int
    let text: String
    let replies: [FeedReply]

    /// A thread of `count` replies, each to the one before.
    static func thread(_ number: Int, count: Int) -> FeedReply {
        (0..<count).reversed().reduce(nil) { (below: FeedReply?, place: Int) in
            let id = number * count + place
            return FeedReply(
                id: id, text: "what reply \(id) has to say to the one above it", replies: below.map { [$0] } ?? [])
        } ?? FeedReply(id: number, text: "", replies: [])
    }
}

extension FeedReply: CacheableModel, KeyedModel {
    static let recordName = "Reply"
    static let projectionName = "Reply"
    static let fields = FieldTable("id", "text", "replies")

    var modelIdentifier: ModelIdentifier? { "Reply:\(id)" }

    static func modelIdentifier(for id: Int) -> ModelIdentifier { "Reply:\(id)" }
    static var identifierPrefix: String? { "Reply:" }

    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool {
        identifier.append("Reply:")
        identifier.append(id)
        return true
    }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(text, at: 1)
        try node.encode(replies, at: 2)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> FeedReply {
        let id = try node.scan(Int.self, at: 0)
        let text = try node.scan(String.self, at: 1)
        let replies = try node.scan([FeedReply].self, at: 2)
        return FeedReply(id: try node.finish(id), text: try node.finish(text), replies: try node.finish(replies))
    }
}
