import GRDB

/// GRDB with SQL by hand: cached statements, columns by position, equal rows left alone.
final class GRDBRawSQL: Contestant {
    private let pool: DatabasePool

    static func item(_ message: Message) -> MessageInfo { MessageInfo(message) }
    static func id(of item: MessageInfo) -> Int { item.message.id }
    static func senderName(of item: MessageInfo) -> String { item.sender.name }

    init(directory: String, feed: Feed) throws { pool = try .feed(in: directory) }

    func write(_ items: ArraySlice<MessageInfo>) throws {
        try pool.write { database in
            let person = try database.cachedStatement(sql: Self.upsertPerson)
            let message = try database.cachedStatement(sql: Self.upsertMessage)
            var seen = Set<Int>()
            for item in items {
                let (row, sender) = (item.message, item.sender)
                if seen.insert(sender.id).inserted {
                    try person.execute(arguments: [
                        sender.id, sender.name, sender.email, sender.about, sender.online, sender.followers,
                    ])
                }
                try message.execute(arguments: [row.id, row.text, row.sent, row.topic, row.unread, row.senderId])
            }
        }
    }

    func writeLists(_ lists: [[MessageInfo]]) throws { try pool.writeLists(lists) }

    func read(_ id: Int) throws -> MessageInfo? {
        try pool.read { database in
            let statement = try database.cachedStatement(sql: "\(Self.messages) WHERE m.id = ?")
            let rows = try Row.fetchCursor(statement, arguments: [id])
            return try rows.next().map(Self.item(of:))
        }
    }

    func page(from id: Int) throws -> [MessageInfo] {
        try items("\(Self.messages) WHERE m.id >= ? ORDER BY m.id LIMIT 100", [id])
    }

    func list(_ index: Int) throws -> [MessageInfo] {
        try items(
            """
            SELECT \(Self.columns) FROM list l JOIN message m ON m.id = l.messageId JOIN person p ON p.id = m.senderId \
            WHERE l.listId = ? ORDER BY l.position
            """, [index])
    }

    func rename(_ person: Person, messages: [Int]) throws {
        try pool.write { database in
            try database.cachedStatement(sql: "UPDATE person SET name = ? WHERE id = ?")
                .execute(arguments: [person.name, person.id])
        }
    }

    func close() throws { try pool.close() }

    private func items(_ sql: String, _ arguments: StatementArguments) throws -> [MessageInfo] {
        try pool.read { database in
            let rows = try Row.fetchCursor(database.cachedStatement(sql: sql), arguments: arguments)
            var items: [MessageInfo] = []
            while let row = try rows.next() { items.append(Self.item(of: row)) }
            return items
        }
    }

    @inline(__always) private static func item(of row: Row) -> MessageInfo {
        let sender: Int = row[5]
        return MessageInfo(
            message: MessageRow(
                id: row[0], text: row[1], sent: row[2], topic: row[3], unread: row[4], senderId: sender),
            sender: PersonRow(
                id: sender, name: row[6], email: row[7], about: row[8], online: row[9], followers: row[10]))
    }

    private static let columns =
        "m.id, m.text, m.sent, m.topic, m.unread, m.senderId, p.name, p.email, p.about, p.online, p.followers"
    private static let messages = "SELECT \(columns) FROM message m JOIN person p ON p.id = m.senderId"

    private static let upsertPerson = """
        INSERT INTO person VALUES (?,?,?,?,?,?) ON CONFLICT(id) DO UPDATE SET name=excluded.name, email=excluded.email,
        about=excluded.about, online=excluded.online, followers=excluded.followers WHERE name IS NOT excluded.name OR
        email IS NOT excluded.email OR about IS NOT excluded.about OR online IS NOT excluded.online OR
        followers IS NOT excluded.followers
        """
    private static let upsertMessage = """
        INSERT INTO message VALUES (?,?,?,?,?,?) ON CONFLICT(id) DO UPDATE SET text=excluded.text, sent=excluded.sent,
        topic=excluded.topic, unread=excluded.unread, senderId=excluded.senderId WHERE text IS NOT excluded.text OR
        sent IS NOT excluded.sent OR topic IS NOT excluded.topic OR unread IS NOT excluded.unread OR
        senderId IS NOT excluded.senderId
        """
}
