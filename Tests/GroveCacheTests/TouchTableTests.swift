@testable import GroveCache
import GroveMemory
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
        #expect(evictor.order.byteCount <= 5 * TouchTable.leastSlots)
    }
}
