import GroveModel

/// The rows of a list that a window shows, at their positions, and the place among them that does not move on screen.
///
/// Commits that are followed move the positions of the rows and of that place alike.
struct AnchoredRows: Sendable {
    struct Row: Sendable {
        let identifier: ModelIdentifier?
        let position: Int
    }

    private(set) var rows: [Row]
    /// The ends of the list that the rows reach.
    let ends: ShownEnds
    /// The position that keeps its place, and the numbers of rows that are wanted before it, and from it on.
    var anchor: Int
    var before: Int
    var after: Int
    /// Whether a row that the screen has named is there.
    private(set) var isNamed = false
    /// The commit as of which the positions are; `nil` if it is not known.
    private(set) var commit: CommitNumber?

    /// Makes a row keep its place, if it is there.
    mutating func anchor(at name: ModelIdentifier?) {
        isNamed = false
        guard let name, let index = rows.firstIndex(where: { $0.identifier == name }) else { return }
        isNamed = true
        (anchor, before, after) = (rows[index].position, index, before + after - index)
    }

    /// The place to read at: beside the rows that are the nearest to it.
    var place: WantedRows.Anchor {
        let near = rows.filter { $0.identifier != nil }.sorted {
            abs($0.position - anchor) < abs($1.position - anchor)
        }
        let beside = near.prefix(8).compactMap { row in
            row.identifier.map { WantedRows.Candidate($0, near: row.position) }
        }
        return .beside(beside, at: anchor, asOf: commit)
    }

    /// Moves the rows as commits have moved them.
    mutating func follow(_ news: [ListNews]?) {
        guard let news, let known = commit else { return commit = nil }
        for item in news where item.commit > known {
            guard !item.isWhole else { return commit = nil }
            for splice in item.splices {
                let added = splice.elements.count - splice.range.count
                if splice.range.upperBound <= anchor {
                    anchor += added
                } else if splice.range.contains(anchor) {
                    anchor = splice.range.lowerBound
                }
                rows = rows.compactMap { row in
                    if row.position < splice.range.lowerBound { return row }
                    if splice.range.contains(row.position) { return nil }
                    return Row(identifier: row.identifier, position: row.position + added)
                }
            }
            commit = item.commit
        }
    }
}
