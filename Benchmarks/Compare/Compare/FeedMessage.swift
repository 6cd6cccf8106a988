import GroveCoding
import GroveModel

/// A message of the generated feed: a tree of two nodes.
struct FeedMessage: Equatable {
    let id: Int
    let text: String
    let sent: Double
    let topic: String
    let unread: Bool
    let sender: FeedPerson
}

extension FeedMessage: CacheableModel, KeyedModel {
    static let recordName = "Message"
    static let projectionName = "Message"
    static let fields = FieldTable("id", "sent", "text", "topic", "sender", "unread")

    var modelIdentifier: ModelIdentifier? { "Message:\(id)" }

    static func modelIdentifier(for id: Int) -> ModelIdentifier { "Message:\(id)" }
    static var identifierPrefix: String? { "Message:" }

    func appendIdentifier(to identifier: inout IdentifierBuffer) -> Bool {
        identifier.append("Message:")
        identifier.append(id)
        return true
    }

    func encodeFields(to node: inout NodeEncoder) throws(CacheError) {
        try node.encode(id, at: 0)
        try node.encode(sent, at: 1)
        try node.encode(text, at: 2)
        try node.encode(topic, at: 3)
        try node.encode(sender, at: 4)
        try node.encode(unread, at: 5)
    }

    static func decodeFields(from node: inout NodeDecoder) throws(NodeReadFailure) -> FeedMessage {
        let id = try node.scan(Int.self, at: 0)
        let sent = try node.scan(Double.self, at: 1)
        let text = try node.scan(String.self, at: 2)
        let topic = try node.scan(String.self, at: 3)
        let sender = try node.scan(FeedPerson.self, at: 4)
        let unread = try node.scan(Bool.self, at: 5)
        return FeedMessage(
            id: try node.finish(id), text: try node.finish(text), sent: try node.finish(sent),
            topic: try node.finish(topic), unread: try node.finish(unread), sender: try node.finish(sender))
    }
}
