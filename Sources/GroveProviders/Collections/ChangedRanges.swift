/// The ranges in which a list differs from an earlier state, after several replacements.
struct ChangedRanges {
    /// A range of the earlier list, and the range of the present list that replaced it.
    struct Change: Equatable {
        var old: Range<Int>
        var new: Range<Int>
    }

    /// The changes in order; the elements between them are the same in both lists.
    private(set) var changes: [Change] = []

    /// Notes that `removed` elements of the present list, from `start` on, were replaced by `inserted` others.
    ///
    /// - Complexity: O(*n*) for *n* changes.
    mutating func note(_ start: Int, removed: Int, inserted: Int) {
        let end = start + removed
        let first = changes.firstIndex { $0.new.upperBound >= start } ?? changes.count
        let last = changes[first...].firstIndex { $0.new.lowerBound > end } ?? changes.count
        let (head, tail) = (changes[first..<last].first, changes[first..<last].last)
        // The distances by which the elements before and behind the touched changes have moved.
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
