import GroveModel

/// The rows of a list that a window shows, by the positions that they had when they were last read.
///
/// The loop that follows the cache reads it and moves it, and the window asks it for rows.
struct WindowCursor: Sendable {
    /// The direction in which rows were last asked for: at that end the window stays at the end.
    enum Lean { case first, last, none }

    /// The part of a read that is shown.
    struct Part: Sendable {
        /// The indices of these rows among those that were read.
        var rows = 0..<0
        var hasEarlier = false
        var hasLater = false
    }

    private struct Row: Sendable {
        let identifier: ModelIdentifier?
        var position: Int
    }

    /// The number of times that the window was opened: reads for an earlier opening are ignored.
    private(set) var generation = 0
    /// The most rows that are shown.
    let limit: Int
    private(set) var place = WindowPlace.first
    private var count = 0
    /// Whether nothing was shown since the window was opened.
    private var isOpening = true
    private var lean = Lean.none
    /// The position of the row that keeps its place, and the numbers of rows before it, and from it on.
    private var (anchor, before, after) = (0, 0, 0)
    private var shown: [Row] = []
    private var (isAtFirst, isAtLast) = (false, false)
    private var commit: CommitNumber?
    /// The row that the screen wants to keep its place.
    var named: ModelIdentifier?
    /// Whether that row is shown.
    private var isNamed = false
    /// The number of times that more rows were asked for.
    private(set) var wishes = 0
    /// The numbers of further rows that are wanted.
    private var (earlier, later) = (0, 0)

    init(limit: Int) { self.limit = limit }

    /// Begins at a place.
    mutating func open(_ place: WindowPlace, count: Int) {
        (self.place, self.count) = (place, min(max(count, 1), limit))
        reopen()
    }

    /// Begins again at the place at which the window was opened; a read that is under way is ignored.
    mutating func reopen() {
        generation += 1
        restart()
    }

    private mutating func restart() {
        (isOpening, commit, shown, named) = (true, nil, [], nil)
        (earlier, later) = (0, 0)
        lean =
            switch place {
            case .first: .first
            case .last: .last
            case .position, .around: .none
            }
    }

    /// - Returns: the number of the wish.
    mutating func want(earlier: Int = 0, later: Int = 0) -> Int {
        wishes += 1
        self.earlier = max(self.earlier, min(earlier, limit))
        self.later = max(self.later, min(later, limit))
        return wishes
    }

    /// The rows to read, after the changes in `news`; with `nil` the changes of the list are not known.
    mutating func question(_ news: [ListNews]?) -> WantedRows {
        guard !isOpening else {
            let (before, after) =
                switch place {
                case .first: (0, count)
                case .last: (count, 1)
                case .position, .around: (count, count)
                }
            return ask(place.anchor, before, after, isUse: true)
        }
        follow(news)
        isNamed = false
        if let named, let index = shown.firstIndex(where: { $0.identifier == named }) {
            isNamed = true
            anchor = shown[index].position
            (before, after) = (index, before + after - index)
        }
        let isUse = earlier > 0 || later > 0
        if earlier > 0, let first = shown.first {
            (anchor, before, after) = (first.position, earlier, max(min(shown.count, limit - earlier), 1))
            lean = .first
        } else if later > 0, let last = shown.last {
            (anchor, before, after) = (last.position, max(min(shown.count - 1, limit - later - 1), 0), later + 1)
            lean = .last
        }
        (earlier, later) = (0, 0)
        let near = shown.filter { $0.identifier != nil }.sorted {
            abs($0.position - anchor) < abs($1.position - anchor)
        }
        let beside = near.prefix(8).compactMap { row in
            row.identifier.map { WantedRows.Candidate($0, near: row.position) }
        }
        return ask(
            .beside(beside, at: anchor, asOf: commit), isAtFirst ? limit : before, isAtLast ? limit : after,
            isUse: isUse)
    }

    /// Asks for one more row on each side, which says whether there is one.
    private func ask(_ anchor: WantedRows.Anchor, _ before: Int, _ after: Int, isUse: Bool) -> WantedRows {
        WantedRows(anchor, before: before + 1, after: after + 1, isUse: isUse)
    }

    /// The end that the window goes on to show as rows come there.
    private var followedEnd: Lean {
        if isOpening || isNamed { return .none }
        if lean == .last, isAtLast { return .last }
        return lean == .first && isAtFirst ? .first : .none
    }

    /// The rows to read instead; `nil` if `found` will do.
    ///
    /// They are read if more rows have come at the end that the window shows than it can hold. They are also read if there are too few rows
    /// on one side of the anchor and more on the other.
    func secondQuestion<T>(_ found: FoundRows<T>, _ wanted: WantedRows) -> WantedRows? {
        guard !wanted.isUse else { return nil }
        let earlier = found.positions.filter { $0 < found.anchor }.count
        let later = found.positions.count - earlier
        switch followedEnd {
        case .last where later > limit: return ask(.last, limit - 1, 1, isUse: false)
        case .first where earlier >= limit: return ask(.first, 0, limit, isUse: false)
        case .first, .last, .none: break
        }
        let anchor = WantedRows.Anchor.position(found.anchor)
        if later < after, earlier == wanted.before {
            return ask(anchor, min(before + after - later, limit), wanted.after - 1, isUse: false)
        }
        if earlier < before, later == wanted.after {
            return ask(anchor, wanted.before - 1, min(after + before - earlier, limit), isUse: false)
        }
        return nil
    }

    /// Moves the rows as commits have moved them.
    private mutating func follow(_ news: [ListNews]?) {
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
                shown = shown.compactMap { row in
                    if row.position < splice.range.lowerBound { return row }
                    if splice.range.contains(row.position) { return nil }
                    return Row(identifier: row.identifier, position: row.position + added)
                }
            }
            commit = item.commit
        }
    }

    /// Takes rows that were read as an answer to `wanted`, and returns the part that is shown.
    mutating func settle<T: SimpleModel>(_ found: FoundRows<T>, _ wanted: WantedRows) -> Part {
        let positions = found.positions
        let split = positions.firstIndex { $0 >= found.anchor } ?? positions.count
        var rows = max(split - wanted.before + 1, 0)..<min(split + wanted.after - 1, positions.count)
        let most = isOpening ? count : limit
        let end = followedEnd
        while rows.count > most {
            // The row that is the farthest from the anchor goes, or from the end.
            let isFirst = end == .none ? split - rows.lowerBound >= rows.upperBound - split : end == .last
            rows = isFirst ? rows.lowerBound + 1..<rows.upperBound : rows.lowerBound..<rows.upperBound - 1
        }
        (isAtFirst, isAtLast) = (rows.lowerBound == 0, rows.upperBound == positions.count)
        (anchor, before, after) = (found.anchor, split - rows.lowerBound, rows.upperBound - split)
        if rows.isEmpty {
            restart()
        } else {
            isOpening = false
            if lean == .first, isAtFirst { (anchor, before, after) = (positions[rows.lowerBound], 0, rows.count) }
            if lean == .last, isAtLast {
                (anchor, before, after) = (positions[rows.upperBound - 1], rows.count - 1, 1)
            }
        }
        shown = rows.map { Row(identifier: found.rows[$0].modelIdentifier, position: positions[$0]) }
        commit = found.commit
        return Part(rows: rows, hasEarlier: !isAtFirst, hasLater: !isAtLast)
    }
}
