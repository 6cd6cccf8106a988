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

@Suite("What a list is made of")
struct ListStorageTests {
    @Test("The vector is an array, whatever is done to it", arguments: 0..<40 as Range<UInt64>)
    func vector(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var array = Array(0..<Int.random(in: 0..<9_000, using: &random))
        var vector = PersistentVector(array)
        var copies: [(PersistentVector<Int>, [Int])] = []
        for step in 0..<30 {
            let start = Int.random(in: 0...array.count, using: &random)
            let end = min(array.count, start + Int.random(in: 0..<200, using: &random))
            let new = Array(0..<Int.random(in: 0..<200, using: &random))
            switch step % 3 {
            case 0:
                array.replaceSubrange(start..<end, with: new)
                vector.replace(start, end, with: new)
            case 1:
                array.append(step)
                vector.append(step)
            default:
                guard start < array.count else { break }
                array[start] = -step
                vector[start] = -step
            }
            copies.append((vector, array))
        }
        for (vector, array) in copies {
            #expect(vector.slice(0, vector.count) == array)
            #expect(array.isEmpty || vector[array.count / 2] == array[array.count / 2])
        }
    }

    @Test("A position is found by its handle, whatever came, went or moved", arguments: 0..<20 as Range<UInt64>)
    func positions(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var handles = Array(100..<100 + Int.random(in: 0..<300, using: &random))
        var next = 1_000
        var positions = HandlePositions(handles)
        var gone: Set<Int> = []
        for step in 0..<400 {
            let start = Int.random(in: 0...handles.count, using: &random)
            let end = min(handles.count, start + Int.random(in: 0..<4, using: &random))
            var new = Array(next..<next + Int.random(in: 0..<4, using: &random))
            next += new.count
            // One that was gone is back, also one that is older than all that are there.
            if step % 5 == 0, let back = gone.popFirst() { new.append(back) }
            let removed = handles[start..<end].filter { !new.contains($0) }
            handles.replaceSubrange(start..<end, with: new)
            positions.note(start, removed: end - start, new)
            gone.formUnion(removed)
            for _ in 0..<3 {
                guard let index = handles.indices.randomElement(using: &random) else { continue }
                #expect(positions.position(of: handles[index]) == index)
            }
            if let missing = gone.first { #expect(positions.position(of: missing) == nil) }
        }
        for (index, handle) in handles.enumerated() { #expect(positions.position(of: handle) == index) }
    }
}
