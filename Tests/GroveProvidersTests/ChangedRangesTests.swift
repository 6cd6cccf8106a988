@testable import GroveProviders
import Testing
import TestSupport

@Suite("Where a list differs from what it was")
struct ChangedRangesTests {
    @Test("What is outside of the ranges is the same, and in order", arguments: 0..<200 as Range<UInt64>)
    func random(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let old = Array(0..<30)
        var new = old
        var next = 100
        var ranges = ChangedRanges()
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
            let start = Int.random(in: 0...new.count, using: &generator)
            let removed = Int.random(in: 0...min(3, new.count - start), using: &generator)
            let inserted = (0..<Int.random(in: 0...3, using: &generator)).map { next + $0 }
            next += inserted.count
            new.replaceSubrange(start..<start + removed, with: inserted)
            ranges.note(start, removed: removed, inserted: inserted.count)
        }
        var made: [Int] = []
        var (oldEnd, newEnd) = (0, 0)
        for change in ranges.changes {
            #expect(change.old.lowerBound >= oldEnd && change.new.lowerBound >= newEnd)
            made += old[oldEnd..<change.old.lowerBound] + new[change.new]
            (oldEnd, newEnd) = (change.old.upperBound, change.new.upperBound)
        }
        #expect(made + old[oldEnd...] == new)
    }

    @Test("Far from each other they stay apart, and what is undone is a range of its own")
    func apart() {
        var ranges = ChangedRanges()
        ranges.note(20, removed: 0, inserted: 1)
        ranges.note(3, removed: 2, inserted: 0)
        #expect(
            ranges.changes == [
                ChangedRanges.Change(old: 3..<5, new: 3..<3), ChangedRanges.Change(old: 20..<20, new: 18..<19),
            ])
    }
}
