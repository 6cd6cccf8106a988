import GroveModel

/// Some rows of a list, for windows over long ones.
extension CacheReader where Self: ~Copyable {
    /// The rows of the list under `key` around an anchor, as ``FollowedView/rows(_:of:_:)`` says.
    ///
    /// - Complexity: that of a page of so many elements, as long as few of them are hidden, and of finding the anchor. That is
    ///   another page if the anchor is near its former position.
    func rows<T: SimpleModel>(
        _ key: ModelIdentifier, ofAny type: T.Type, _ wanted: WantedRows, asOf commit: CommitNumber?
    ) throws(CacheError) -> CacheRead<FoundRows<T>> {
        var found = FoundRows<T>()
        found.commit = commit
        switch try _reading(
            key, maxAge: nil,
            { (reader) throws(CacheError) in
                try reader.count(ofCollection: key, isKnown: true)
            })
        {
        case .hit(let count): found.knownCount = count
        case .miss(let miss): return .miss(miss)
        }
        switch try position(of: wanted.anchor, in: key, found.knownCount, commit) {
        case .hit(let anchor): found.anchor = anchor
        case .miss(let miss): return .miss(miss)
        }
        var end = found.anchor
        while found.rows.count < wanted.after, end < found.knownCount {
            let range = end..<min(end + RowsPage<T>.size(wanted.after - found.rows.count), found.knownCount)
            switch try page(key, type, range) {
            case .hit(let page): found.append(page.first(wanted.after - found.rows.count))
            case .miss(let miss): return .miss(miss)
            }
            end = range.upperBound
        }
        let (behind, start) = (found.rows.count, found.anchor)
        var first = start
        while found.rows.count - behind < wanted.before, first > 0 {
            let left = wanted.before - (found.rows.count - behind)
            let range = max(first - RowsPage<T>.size(left), 0)..<first
            switch try page(key, type, range) {
            case .hit(let page): found.prepend(page.last(left))
            case .miss(let miss): return .miss(miss)
            }
            first = range.lowerBound
        }
        return .hit(found)
    }

    private func position(
        of anchor: WantedRows.Anchor, in key: ModelIdentifier, _ count: Int, _ commit: CommitNumber?
    ) throws(CacheError) -> CacheRead<Int> {
        switch anchor {
        case .first: return .hit(0)
        case .last: return .hit(max(count - 1, 0))
        case .position(let position): return .hit(min(max(position, 0), max(count - 1, 0)))
        case .element(let identifier): return try position(of: identifier, in: key, near: nil)
        case .beside(let others, let former, let seen):
            var moved = 0
            for other in others where seen == nil || seen != commit {
                guard case .hit(let now) = try position(of: other.identifier, in: key, near: other.position) else {
                    continue
                }
                moved = now - other.position
                break
            }
            return .hit(min(max(former + moved, 0), max(count - 1, 0)))
        }
    }

    private func position(
        of identifier: ModelIdentifier, in key: ModelIdentifier, near position: Int?
    ) throws(CacheError) -> CacheRead<Int> {
        try _reading(key, maxAge: nil) { (reader) throws(CacheError) in
            try reader.index(of: identifier, in: key, near: position)
        }
    }

    private func page<T: SimpleModel>(
        _ key: ModelIdentifier, _ type: T.Type, _ range: Range<Int>
    ) throws(CacheError) -> CacheRead<RowsPage<T>> {
        try readCollection(key.rawValue, ofAny: type, in: range, missing: .skip).map { RowsPage(range, $0.elements, $0) }
    }
}

/// The elements at some positions of a list.
private struct RowsPage<T: Sendable>: Sendable {
    var range: Range<Int>
    var rows: [T]
    var positions: [Int]
    var hidden: [HiddenElement]
    var gaps: [Range<Int>]
    let skipped: [CacheMiss]

    /// The number of positions to read for so many rows: at least a few, as a page has a cost of its own.
    static func size(_ rows: Int) -> Int { max(rows, 32) }

    init(_ range: Range<Int>, _ rows: [T], _ rest: CollectionRead<T>) {
        let hidden = Set(rest.hidden.map(\.position))
        (self.range, self.rows, skipped) = (range, rows, rest.skipped)
        (self.hidden, gaps) = (rest.hidden, rest.gaps)
        positions = range.filter { !hidden.contains($0) }
    }

    /// The part of the page that has its first `count` rows.
    func first(_ count: Int) -> RowsPage {
        guard count < rows.count else { return self }
        return part(0..<count, range.lowerBound..<positions[count])
    }

    /// The part of the page that has its last `count` rows.
    func last(_ count: Int) -> RowsPage {
        guard count < rows.count else { return self }
        let first = rows.count - count
        return part(first..<rows.count, positions[first - 1] + 1..<range.upperBound)
    }

    private func part(_ indices: Range<Int>, _ range: Range<Int>) -> RowsPage {
        var part = self
        part.range = range
        (part.rows, part.positions) = (Array(rows[indices]), Array(positions[indices]))
        part.hidden = hidden.filter { range.contains($0.position) }
        part.gaps = gaps.compactMap { gap in
            guard !gap.isEmpty else { return range.contains(gap.lowerBound) ? gap : nil }
            return gap.overlaps(range) ? gap.clamped(to: range) : nil
        }
        return part
    }
}

extension FoundRows {
    fileprivate mutating func append(_ page: RowsPage<Element>) {
        rows += page.rows
        positions += page.positions
        hidden += page.hidden
        missing += page.skipped.map(\.identifier)
        gaps = FoundRows.joined(gaps, page.gaps)
    }

    fileprivate mutating func prepend(_ page: RowsPage<Element>) {
        rows = page.rows + rows
        positions = page.positions + positions
        hidden = page.hidden + hidden
        missing += page.skipped.map(\.identifier)
        gaps = FoundRows.joined(page.gaps, gaps)
    }

    /// The gaps of two adjacent parts: a gap with a length that goes on across the boundary becomes one.
    private static func joined(_ before: [Range<Int>], _ behind: [Range<Int>]) -> [Range<Int>] {
        guard let last = before.last, let first = behind.first, last.upperBound == first.lowerBound, !last.isEmpty,
            !first.isEmpty
        else { return before + behind }
        return before.dropLast() + [last.lowerBound..<first.upperBound] + behind.dropFirst()
    }
}
