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
        /// The ends of the list, as the cache has it, that they reach.
        var ends = ShownEnds.both
    }

    /// The number of times that the window was opened: reads for an earlier opening are ignored.
    private(set) var generation = 0
    /// The most rows that are shown.
    let limit: Int
    private(set) var place = WindowPlace.first
    private var count = 0
    private var lean = Lean.none
    /// The rows that are shown; `nil` if nothing was shown since the window was opened.
    private var shown: AnchoredRows?
    /// The row that the screen wants to keep its place.
    var named: ModelIdentifier?
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
        (shown, named) = (nil, nil)
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
        guard var shown else {
            let (before, after) =
                switch place {
                case .first: (0, count)
                case .last: (count, 1)
                case .position, .around: (count, count)
                }
            return ask(place.anchor, before, after, isUse: true)
        }
        shown.follow(news)
        shown.anchor(at: named)
        let isUse = earlier > 0 || later > 0
        if earlier > 0, let first = shown.rows.first {
            let after = max(min(shown.rows.count, limit - earlier), 1)
            (shown.anchor, shown.before, shown.after) = (first.position, earlier, after)
            lean = .first
        } else if later > 0, let last = shown.rows.last {
            let before = max(min(shown.rows.count - 1, limit - later - 1), 0)
            (shown.anchor, shown.before, shown.after) = (last.position, before, later + 1)
            lean = .last
        }
        (earlier, later) = (0, 0)
        self.shown = shown
        return ask(
            shown.place, shown.ends.isAtFirst ? limit : shown.before, shown.ends.isAtLast ? limit : shown.after,
            isUse: isUse)
    }

    /// Asks for one more row on each side, which says whether there is one.
    private func ask(_ anchor: WantedRows.Anchor, _ before: Int, _ after: Int, isUse: Bool) -> WantedRows {
        WantedRows(anchor, before: before + 1, after: after + 1, isUse: isUse)
    }

    /// The end that the window goes on to show as rows come there.
    private var followedEnd: Lean {
        guard let shown, !shown.isNamed else { return .none }
        if lean == .last, shown.ends.isAtLast { return .last }
        return lean == .first && shown.ends.isAtFirst ? .first : .none
    }

    /// The rows to read instead; `nil` if `found` will do.
    ///
    /// They are read if more rows have come at the end that the window shows than it can hold. They are also read if
    /// there are too few rows on one side of the anchor and more on the other.
    func secondQuestion<T>(_ found: FoundRows<T>, _ wanted: WantedRows) -> WantedRows? {
        guard let shown, !wanted.isUse else { return nil }
        let (before, after) = (shown.before, shown.after)
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

    /// Takes rows that were read as an answer to `wanted`, and returns the part that is shown.
    mutating func settle<T: SimpleModel>(_ found: FoundRows<T>, _ wanted: WantedRows) -> Part {
        let positions = found.positions
        let split = positions.firstIndex { $0 >= found.anchor } ?? positions.count
        var rows = max(split - wanted.before + 1, 0)..<min(split + wanted.after - 1, positions.count)
        let most = shown == nil ? count : limit
        let end = followedEnd
        while rows.count > most {
            // The row that is the farthest from the anchor goes, or from the end.
            let isFirst = end == .none ? split - rows.lowerBound >= rows.upperBound - split : end == .last
            rows = isFirst ? rows.lowerBound + 1..<rows.upperBound : rows.lowerBound..<rows.upperBound - 1
        }
        let ends = ShownEnds(isAtFirst: rows.lowerBound == 0, isAtLast: rows.upperBound == positions.count)
        var (anchor, before) = (found.anchor, split - rows.lowerBound)
        if rows.isEmpty {
            restart()
        } else {
            if lean == .first, ends.isAtFirst { (anchor, before) = (positions[rows.lowerBound], 0) }
            if lean == .last, ends.isAtLast { (anchor, before) = (positions[rows.upperBound - 1], rows.count - 1) }
            shown = AnchoredRows(
                rows: rows.map {
                    AnchoredRows.Row(identifier: found.rows[$0].modelIdentifier, position: positions[$0])
                },
                ends: ends, anchor: anchor, before: before, after: rows.count - before, commit: found.commit)
        }
        return Part(rows: rows, ends: ends)
    }
}
