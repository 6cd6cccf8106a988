@testable import GroveCache
import GroveMemory
import GroveModel
import Testing
import TestSupport

@Suite("What is remembered of touches")
struct TouchTableTests {
    @Test("A table grows with the keys that are touched, up to its limit, and remembers most of half as many")
    func grows() {
        var random = SeededGenerator(seed: 1)
        let hashes = (0..<60_000).map { _ in random.next() }
        var table = TouchTable(limit: 1 << 17, unit: 1)
        for (now, hash) in hashes.enumerated() {
            table.set(hash, at: table.find(hash), last: UInt64(now), hits: 1, now: UInt64(now))
        }
        #expect(table.slots.count == 1 << 17)
        let now = UInt64(hashes.count)
        let known = hashes.indices.count { index in
            table.find(hashes[index]).map { table.age($0, now: now) } == (now - UInt64(index)) & 0x7FFF
        }
        #expect(known > 51_000, "\(known)")
        // More keys than it may remember make it no larger.
        for step in 0..<120_000 { table.set(random.next(), at: nil, last: now, hits: 0, now: now + UInt64(step) / 8) }
        #expect(table.slots.count == 1 << 17)
    }

    @Test("A table of a few keys stays small")
    func small() {
        var table = TouchTable(limit: 1 << 20, unit: 1)
        for round in 0..<50 {
            for hash in 0..<500 as Range<UInt64> {
                let mixed = hash &* 0x9e37_79b9_7f4a_7c15
                table.set(mixed, at: table.find(mixed), last: UInt64(round), hits: 1, now: UInt64(round))
            }
        }
        #expect(table.slots.count == TouchTable.leastSlots)
    }

    @Test("What a budget remembers does not grow with what is stored")
    func bounded() throws {
        let cache = try MemoryCache(directory: nil, options: MemoryOptions(), budget: CacheBudget(nodes: 100_000))
        for batch in 0..<30 { try cache.write(contentsOf: (0..<1_000).map { Memo(batch * 1_000 + $0, 1) }) }
        let evictor = try #require(cache.core.evictor)
        #expect(evictor.policy.byteCount <= 5 * TouchTable.leastSlots)
    }
}

@Suite("What eviction looks at, and counts")
struct EvictionHandTests {
    private func people(_ numbers: Range<Int>, _ count: Int, age: Int = 0) -> [Person] {
        numbers.map { Person(id: "\($0)", name: String(repeating: "n", count: count), age: age) }
    }

    @Test("Eviction looks where transactions have written, too")
    func hands() throws {
        let cache = try MemoryCache(budget: CacheBudget(bytes: 4_000_000))
        for page in 0..<40 {
            try cache.write { tx in for person in people(page * 20..<page * 20 + 20, 20) { try tx.write(person) } }
        }
        let evictor = try #require(cache.core.evictor)
        // One for each sixteen records that came, about, beside the one at the beginning.
        #expect((20...100).contains(evictor.hands.cursors.count), "\(evictor.hands.cursors.count)")
        let places = Set(evictor.hands.cursors.compactMap { $0?.bytes })
        #expect(places.count > 19)
    }

    /// All that lies before the hands goes, so that they come to one place: that of the newest records.
    @Test("Eviction looks at as many places if all that lay before them has gone")
    func handsApart() throws {
        let cache = try MemoryCache(budget: CacheBudget(bytes: 1_000_000))
        func write(_ letter: String, _ numbers: Range<Int>, age: Int) throws {
            _ = try cache.write(
                contentsOf: numbers.map {
                    Person(id: "\(letter)\($0)", name: String(repeating: "n", count: 900), age: age)
                })
        }
        for batch in 0..<50 { try write("a", batch * 100..<batch * 100 + 100, age: 0) }
        for round in 0..<40 {
            try write("b", 0..<16, age: round)
            try write("c", round * 60..<round * 60 + 60, age: round)
            let ages = try (0..<16).map { try cache.model("Person:b\($0)", as: Person.self)?.age }
            #expect(ages == Array(repeating: round, count: 16), "round \(round)")
            let hands = try #require(cache.core.evictor).hands.cursors.map { $0?.bytes }
            #expect(Set(hands).count == hands.count, "round \(round)")
        }
    }

    @Test("An entry of the history leaves a load as it was, but for its own size", arguments: [true, false])
    func historyEntry(waits: Bool) {
        var load = WriteLoad(entries: 3, replaced: 2, evictions: 1, bytes: 100)
        load.waitsForViews = waits
        let added = HistoryLimit(commits: 10, within: 1_000_000).added(to: load)
        #expect((added.entries, added.replaced, added.evictions) == (4, 3, 1))
        #expect(added.bytes > 100)
        #expect(added.waitsForViews == waits)
    }
}
