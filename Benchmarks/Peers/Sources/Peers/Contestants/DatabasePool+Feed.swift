import Foundation
import GRDB

extension DatabasePool {
    /// Opens the database in `directory`, with a table for people, one for messages and one for lists.
    static func feed(in directory: String) throws -> DatabasePool {
        let pool = try opened(in: directory)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("v1") { database in
            try database.create(table: "person") { table in
                table.primaryKey("id", .integer)
                table.column("name", .text).notNull()
                table.column("email", .text).notNull()
                table.column("about", .text).notNull()
                table.column("online", .boolean).notNull()
                table.column("followers", .integer).notNull()
            }
            try database.create(table: "message") { table in
                table.primaryKey("id", .integer)
                table.column("text", .text).notNull()
                table.column("sent", .double).notNull()
                table.column("topic", .text).notNull()
                table.column("unread", .boolean).notNull()
                table.belongsTo("sender", inTable: "person").notNull()
            }
            try database.create(table: "list") { table in
                table.column("listId", .integer).notNull()
                table.column("position", .integer).notNull()
                table.column("messageId", .integer).notNull().references("message")
                table.primaryKey(["listId", "position"])
            }
        }
        try migrator.migrate(pool)
        return pool
    }

    /// Opens an empty database, or the one that is there.
    static func opened(in directory: String) throws -> DatabasePool {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        return try DatabasePool(path: directory + "/db.sqlite")
    }

    /// Stores the places of messages in lists.
    func writeLists(_ lists: [[MessageInfo]]) throws {
        try write { database in
            for (index, list) in lists.enumerated() {
                for (position, item) in list.enumerated() {
                    try ListRow(listId: index, position: position, messageId: item.message.id).insert(database)
                }
            }
        }
    }
}
