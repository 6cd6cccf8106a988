import GRDB

/// A message, as GRDB's documentation has records; it belongs to its sender.
struct MessageRow: Codable, Sendable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "message"
    static let sender = belongsTo(PersonRow.self, key: "sender")

    var id: Int
    var text: String
    var sent: Double
    var topic: String
    var unread: Bool
    var senderId: Int
}

extension MessageRow {
    init(_ message: Message) {
        self.init(
            id: message.id, text: message.text, sent: message.sent, topic: message.topic, unread: message.unread,
            senderId: message.sender.id)
    }
}
