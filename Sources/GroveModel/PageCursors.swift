/// The cursors that a server gave out for the pages of a list: a model like others, which a cache may forget.
package struct PageCursors: SimpleModel, Codable, Equatable {
    /// The cursor at which a server goes on beside the last row of a page.
    private struct Entry: Codable, Equatable, Sendable {
        var row: String
        var isLater: Bool
        /// The server's name of the place.
        var cursor: String
        /// Whether the list had no row there, or a gap.
        var isEdge: Bool
    }

    /// The most cursors that are kept.
    private static let most = 64

    private var list: String
    private var entries: [Entry] = []

    package init(list: String) { self.list = list }

    package var modelIdentifier: ModelIdentifier? { "GrovePageCursors:\(list)" }

    package func isEqual(to model: any SimpleModel) -> Bool { model as? PageCursors == self }

    package func cursor(beside row: ModelIdentifier, isLater: Bool) -> String? {
        entries.first { $0.row == row.rawValue && $0.isLater == isLater }?.cursor
    }

    /// Notes the cursor at which a server goes on; of too many, the oldest that was inside a part of the list goes.
    package mutating func set(_ cursor: String, beside row: ModelIdentifier, isLater: Bool, isEdge: Bool) {
        entries.removeAll { $0.row == row.rawValue && $0.isLater == isLater }
        entries.append(Entry(row: row.rawValue, isLater: isLater, cursor: cursor, isEdge: isEdge))
        guard entries.count > PageCursors.most else { return }
        entries.remove(at: entries.firstIndex { !$0.isEdge } ?? 0)
    }

    /// Forgets the cursor beside a row: the list ends there.
    package mutating func remove(beside row: ModelIdentifier, isLater: Bool) {
        entries.removeAll { $0.row == row.rawValue && $0.isLater == isLater }
    }
}
