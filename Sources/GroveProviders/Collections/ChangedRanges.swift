/// The places in which a list differs from what it was, after elements were replaced in one place after the other.
struct ChangedRanges {
    /// What of the list before was replaced, and by what of the list now.
    struct Change: Equatable {
        var old: Range<Int>
        var new: Range<Int>
    }

    /// In order; what is between two of them is the same in both lists.
    private(set) var changes: [Change] = []

    /// Notes that the `removed` elements from `start` on, of the list as it is by now, were replaced by `inserted` others.
    ///
    /// - Complexity: O(*n*) for *n* changes.
    mutating func note(_ start: Int, removed: Int, inserted: Int) {
        let end = start + removed
        let first = changes.firstIndex { $0.new.upperBound >= start } ?? changes.count
        let last = changes[first...].firstIndex { $0.new.lowerBound > end } ?? changes.count
        let (head, tail) = (changes[first..<last].first, changes[first..<last].last)
        // By how much elements have moved, before the changes that are touched and behind them.
        let before = first > 0 ? changes[first - 1].new.upperBound - changes[first - 1].old.upperBound : 0
        let behind = tail.map { $0.new.upperBound - $0.old.upperBound } ?? before
        let (newStart, newEnd) = (min(start, head?.new.lowerBound ?? start), max(end, tail?.new.upperBound ?? end))
        let growth = inserted - removed
        let change = Change(old: newStart - before..<newEnd - behind, new: newStart..<newEnd + growth)
        for index in last..<changes.count {
            let new = changes[index].new
            changes[index].new = new.lowerBound + growth..<new.upperBound + growth
        }
        changes.replaceSubrange(first..<last, with: CollectionOfOne(change))
    }
}
