/// The cursors that a server gave out for the edges of a list's parts: a model like others, which a cache may forget.
package struct PageCursors: SimpleModel, Codable, Equatable {
    /// Where a server goes on beside a row.
    package struct Entry: Codable, Equatable, Sendable {
        package var row: String
        package var isLater: Bool
        /// What the server calls the place; `nil` if the list ends at the row.
        package var cursor: String?

        package init(row: ModelIdentifier, isLater: Bool, cursor: String?) {
            (self.row, self.isLater, self.cursor) = (row.rawValue, isLater, cursor)
        }
    }

    /// So many are kept, the newest ones; a list has two for each gap.
    private static let most = 64

    private var list: String
    private var entries: [Entry] = []

    package init(list: String) { self.list = list }

    package var modelIdentifier: ModelIdentifier? { "GrovePageCursors:\(list)" }

    package func isEqual(to model: any SimpleModel) -> Bool { model as? PageCursors == self }

    package func entry(_ row: ModelIdentifier, isLater: Bool) -> Entry? {
        entries.first { $0.row == row.rawValue && $0.isLater == isLater }
    }

    package mutating func set(_ entry: Entry) {
        remove(ModelIdentifier(entry.row), isLater: entry.isLater)
        entries = entries.suffix(PageCursors.most - 1) + [entry]
    }

    package mutating func remove(_ row: ModelIdentifier, isLater: Bool) {
        entries.removeAll { $0.row == row.rawValue && $0.isLater == isLater }
    }
}
