import Foundation
import GRDB

/// A blob of JSON for each message, its sender inside it, in SQLite.
final class JSONInSQLite: Contestant {
    private let pool: DatabasePool

    static func item(_ message: Message) -> JSONMessage { JSONMessage(message) }
    static func id(of message: JSONMessage) -> Int { message.id }
    static func senderName(of message: JSONMessage) -> String { message.sender.name }

    init(directory: String, feed: Feed) throws {
        pool = try .opened(in: directory)
        try pool.write { database in
            try database.execute(
                sql: "CREATE TABLE IF NOT EXISTS message (id INTEGER PRIMARY KEY, json BLOB NOT NULL)")
            try database.execute(
                sql: "CREATE TABLE IF NOT EXISTS list (listId INTEGER PRIMARY KEY, json BLOB NOT NULL)")
        }
    }

    func write(_ messages: ArraySlice<JSONMessage>) throws {
        let encoder = JSONEncoder()
        try pool.write { database in
            let statement = try database.cachedStatement(sql: Self.insert)
            for message in messages { try statement.execute(arguments: [message.id, try encoder.encode(message)]) }
        }
    }

    /// A list is a blob of its own, which goes stale.
    func writeLists(_ lists: [[JSONMessage]]) throws {
        let encoder = JSONEncoder()
        try pool.write { database in
            for (index, list) in lists.enumerated() {
                try database.execute(
                    sql: "INSERT INTO list VALUES (?, ?)", arguments: [index, try encoder.encode(list)])
            }
        }
    }

    func read(_ id: Int) throws -> JSONMessage? {
        try pool.read { database in
            try Data.fetchOne(database.cachedStatement(sql: Self.select), arguments: [id])
                .map { try JSONDecoder().decode(JSONMessage.self, from: $0) }
        }
    }

    func page(from id: Int) throws -> [JSONMessage] {
        try pool.read { database in
            let decoder = JSONDecoder()
            let statement = try database.cachedStatement(
                sql: "SELECT json FROM message WHERE id >= ? ORDER BY id LIMIT 100")
            return try Data.fetchAll(statement, arguments: [id]).map { try decoder.decode(JSONMessage.self, from: $0) }
        }
    }

    func list(_ index: Int) throws -> [JSONMessage] {
        try pool.read { database in
            let statement = try database.cachedStatement(sql: "SELECT json FROM list WHERE listId = ?")
            return try Data.fetchOne(statement, arguments: [index])
                .map { try JSONDecoder().decode([JSONMessage].self, from: $0) } ?? []
        }
    }

    func rename(_ person: Person, messages: [Int]) throws {
        let (decoder, encoder) = (JSONDecoder(), JSONEncoder())
        try pool.write { database in
            let (select, insert) = try (
                database.cachedStatement(sql: Self.select), database.cachedStatement(sql: Self.insert)
            )
            for id in messages {
                guard let data = try Data.fetchOne(select, arguments: [id]) else { continue }
                var message = try decoder.decode(JSONMessage.self, from: data)
                message.sender.name = person.name
                try insert.execute(arguments: [id, try encoder.encode(message)])
            }
        }
    }

    func close() throws { try pool.close() }

    private static let insert = "INSERT OR REPLACE INTO message VALUES (?, ?)"
    private static let select = "SELECT json FROM message WHERE id = ?"
}
