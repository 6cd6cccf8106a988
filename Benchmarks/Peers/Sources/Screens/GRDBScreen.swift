import Foundation
import GRDB

/// A row of a chat, as GRDB's guide has it.
struct RowRecord: Codable, FetchableRecord, PersistableRecord, Equatable, Sendable {
    static let databaseTableName = "row"

    var id: Int
    var position: Int
    var text: String
    var author: String
    var sent: Double

    static func sample(_ id: Int, at position: Int, _ text: String? = nil) -> RowRecord {
        let row = Row.sample(id, text)
        return RowRecord(id: id, position: position, text: row.text, author: row.author, sent: row.sent)
    }
}

/// GRDB: the list is observed, ordered by an indexed column: whole, or its first rows.
@MainActor
final class GRDBScreen: ListScreen, Sendable {
    private let pool: DatabasePool
    private let rows: Int
    private let limit: Int?
    private var shown: [RowRecord] = []
    private var observation: AnyDatabaseCancellable?

    init(_ directory: String, rows: Int, limit: Int? = nil) throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        pool = try DatabasePool(path: directory + "/db.sqlite")
        (self.rows, self.limit) = (rows, limit)
        try pool.write { database in
            try database.create(table: "row") { table in
                table.primaryKey("id", .integer)
                table.column("position", .integer).notNull().indexed()
                table.column("text", .text).notNull()
                table.column("author", .text).notNull()
                table.column("sent", .double).notNull()
            }
            for id in 0..<rows { try RowRecord.sample(id, at: id).insert(database) }
        }
    }

    var count: Int { shown.count }

    func show(_ told: @escaping @MainActor (String) -> Void) async throws {
        let limit = limit
        let observation = ValueObservation.tracking { database in
            let all = RowRecord.order(Column("position"))
            return try (limit.map { all.limit($0) } ?? all).fetchAll(database)
        }
        self.observation = observation.start(in: pool, scheduling: .immediate) { error in
            fatalError("\(error)")
        } onChange: { [weak self] rows in
            self?.shown = rows
            if let first = rows.first { told(first.text) }
        }
    }

    nonisolated func edit(_ number: Int, _ text: String) throws {
        try pool.write { database in
            try RowRecord.sample(10_000_000 + number, at: -1 - number, text).insert(database)
            guard number % 2 == 0 else { return }
            try database.execute(
                sql: "DELETE FROM row WHERE id = (SELECT id FROM row ORDER BY position DESC LIMIT 1)")
        }
    }
}
