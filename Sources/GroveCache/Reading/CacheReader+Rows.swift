import GroveModel

/// Some rows of a list, for windows over long ones.
extension CacheReader where Self: ~Copyable {
    /// The rows of the list under `key` around an anchor, as ``FollowedView/rows(_:of:_:)`` says.
    ///
    /// - Complexity: that of a page of so many elements, as long as few of them are hidden, and of finding the anchor.
    ///   That is another page if the anchor is near its former position.
    func rows<T: SimpleModel>(
        _ key: ModelIdentifier, ofAny type: T.Type, _ wanted: WantedRows, asOf commit: CommitNumber?
    ) throws(CacheError) -> CacheRead<FoundRows<T>> {
        let (count, anchor): (Int, Int)
        switch try _reading(
            key, maxAge: nil,
            { (reader) throws(CacheError) in
                try reader.count(ofCollection: key, isKnown: true)
            })
        {
        case .hit(let known): count = known
        case .miss(let miss): return .miss(miss)
        }
        switch try position(of: wanted.anchor, in: key, count, commit) {
        case .hit(let position): anchor = position
        case .miss(let miss): return .miss(miss)
        }
        var found = FoundRows<T>()
        var (start, end) = (anchor, anchor)
        while found.rows.count < wanted.after, end < count {
            let range = end..<min(end + pageSize(wanted.after - found.rows.count), count)
            switch try page(key, type, range) {
            case .hit(let page): found.append(page)
            case .miss(let miss): return .miss(miss)
            }
            end = range.upperBound
        }
        let after = found.rows.count
        while found.rows.count - after < wanted.before, start > 0 {
            let range = max(start - pageSize(wanted.before - (found.rows.count - after)), 0)..<start
            switch try page(key, type, range) {
            case .hit(var page):
                page.append(found)
                found = page
            case .miss(let miss): return .miss(miss)
            }
            start = range.lowerBound
        }
        let before = found.rows.count - after
        found.cut(to: max(before - wanted.before, 0)..<before + min(after, wanted.after))
        (found.anchor, found.knownCount, found.commit) = (anchor, count, commit)
        return .hit(found)
    }

    /// The number of positions to read for so many rows: at least a few, as a page has a cost of its own.
    private func pageSize(_ rows: Int) -> Int { max(rows, 32) }

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

    /// The elements at the positions of `range`.
    private func page<T: SimpleModel>(
        _ key: ModelIdentifier, _ type: T.Type, _ range: Range<Int>
    ) throws(CacheError) -> CacheRead<FoundRows<T>> {
        try readCollection(key.rawValue, ofAny: type, in: range, missing: .skip).map { read in
            var page = FoundRows<T>()
            (page.rows, page.hidden, page.gaps) = (read.elements, read.hidden, read.gaps)
            page.missing = read.skipped.map(\.identifier)
            let hidden = Set(read.hidden.map(\.position))
            page.positions = range.filter { !hidden.contains($0) }
            return page
        }
    }
}

extension FoundRows {
    /// Adds the part of the list that comes next.
    fileprivate mutating func append(_ next: FoundRows) {
        rows += next.rows
        positions += next.positions
        hidden += next.hidden
        missing += next.missing
        var others = next.gaps[...]
        // A gap with a length that goes on across the boundary becomes one.
        if let last = gaps.last, let first = others.first, last.upperBound == first.lowerBound, !last.isEmpty,
            !first.isEmpty
        {
            gaps[gaps.count - 1] = last.lowerBound..<first.upperBound
            others.removeFirst()
        }
        gaps += others
    }

    /// Keeps the rows at `indices`, and what lies between the rows next to them; no gap with a length reaches over a
    /// row.
    fileprivate mutating func cut(to indices: Range<Int>) {
        let start = indices.lowerBound > 0 ? positions[indices.lowerBound - 1] + 1 : 0
        let end = indices.upperBound < positions.count ? positions[indices.upperBound] : .max
        rows = Array(rows[indices])
        positions = Array(positions[indices])
        hidden.removeAll { !(start..<end).contains($0.position) }
        gaps.removeAll { !(start..<end).contains($0.lowerBound) }
    }
}
