import GRDB

/// GRDB as its documentation has it: `Codable` records, associations, upserts.
final class GRDBRecords: Contestant {
    private let pool: DatabasePool

    static func item(_ message: Message) -> MessageInfo { MessageInfo(message) }
    static func id(of item: MessageInfo) -> Int { item.message.id }
    static func senderName(of item: MessageInfo) -> String { item.sender.name }

    init(directory: String, feed: Feed) throws { pool = try .feed(in: directory) }

    func write(_ items: ArraySlice<MessageInfo>) throws {
        try pool.write { database in
            var seen = Set<Int>()
            for item in items {
                if seen.insert(item.sender.id).inserted { try item.sender.upsert(database) }
                try item.message.upsert(database)
            }
        }
    }

    func writeLists(_ lists: [[MessageInfo]]) throws { try pool.writeLists(lists) }

    private static var messages: QueryInterfaceRequest<MessageRow> {
        MessageRow.including(required: MessageRow.sender)
    }

    func read(_ id: Int) throws -> MessageInfo? {
        try pool.read { database in
            try Self.messages.filter(key: id).asRequest(of: MessageInfo.self).fetchOne(database)
        }
    }

    func readAll(_ ids: [Int]) throws -> [MessageInfo] {
        try pool.read { database in
            try Self.messages.filter(keys: ids).asRequest(of: MessageInfo.self).fetchAll(database)
        }
    }

    func page(from id: Int) throws -> [MessageInfo] {
        try pool.read { database in
            try Self.messages.filter(Column("id") >= id).order(Column("id")).limit(100)
                .asRequest(of: MessageInfo.self).fetchAll(database)
        }
    }

    func list(_ index: Int) throws -> [MessageInfo] {
        try pool.read { database in
            let elements = try ListRow.filter(Column("listId") == index).order(Column("position"))
                .including(required: ListRow.message.including(required: MessageRow.sender))
                .asRequest(of: ListElement.self).fetchAll(database)
            return elements.map { MessageInfo(message: $0.message, sender: $0.sender) }
        }
    }

    func rename(_ person: Person, messages: [Int]) throws {
        try pool.write { database in try PersonRow(person).upsert(database) }
    }

    func close() throws { try pool.close() }

    /// An element of a list: the row of a join has both records, the one inside the other.
    private struct ListElement: FetchableRecord {
        var message: MessageRow
        var sender: PersonRow

        init(row: Row) {
            message = row["message"] as MessageRow
            sender = row["sender"] as PersonRow
        }
    }
}
