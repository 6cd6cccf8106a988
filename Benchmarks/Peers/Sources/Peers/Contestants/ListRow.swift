import GRDB

/// The place of one message in a list.
struct ListRow: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "list"
    static let message = belongsTo(MessageRow.self)

    var listId: Int
    var position: Int
    var messageId: Int
}
