import GroveCache
@testable import GroveLMDB
import GroveModel
import StoreTesting
import Synchronization
import Testing
import TestSupport

@Suite("Filling LMDB's sparse pages")
struct LMDBRefillTests {
    @Test("Pages that removals left sparse are filled by later transactions, and no record changes", arguments: 0..<4)
    func filling(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        let store = try directory.open()
        _ = try store.setBudget(4 << 20)
        var expected: [[UInt8]: [UInt8]] = [:]
        for _ in 0..<60 {
            try store.write { transaction throws(CacheError) in
                for _ in 0..<100 where expected.count < (seed % 2 == 1 ? 2_500 : 5_200) {
                    let key = Self.key(&random, isOdd: seed % 2 == 1)
                    let value = [UInt8](repeating: .random(in: 0...255, using: &random), count: 200 + key.count % 300)
                    try transaction.put(key, value)
                    expected[key] = value
                }
            }
        }
        let full = try store.pool.environment().usedPages()
        // Three records in five go, from all over the store.
        let gone = expected.keys.sorted { $0.lexicographicallyPrecedes($1) }.filter { _ in random.next() % 5 < 3 }
        for start in stride(from: 0, to: gone.count, by: 100) {
            try store.write { transaction throws(CacheError) in
                for key in gone[start..<min(start + 100, gone.count)] { try transaction.remove(key) }
            }
        }
        for key in gone { expected[key] = nil }
        let sparse = try store.pool.environment().usedPages()
        // Where there is room enough, pages stay as they are.
        store.pageLimit.store(sparse * 2, ordering: .relaxed)
        try Self.write(1, to: store)
        #expect(try store.pool.environment().usedPages() >= sparse)
        store.pageLimit.store(sparse / 4, ordering: .relaxed)
        try Self.write(2, to: store)
        for number in 0..<60 as Range<UInt8> { expected[[1, 0xFE, number]] = [number, 2] }
        let dense = try store.pool.environment().usedPages()
        let payload = expected.reduce(0) { $0 + $1.key.count + $1.value.count + 10 }
        #expect(dense < sparse, "\(dense) of \(sparse) pages, of \(full) at first")
        if seed % 2 == 0 {
            #expect(payload * 100 > dense * 4_096 * 70, "\(payload) bytes in \(dense) pages of \(sparse)")
        }
        #expect(try store.keys() == expected.keys.sorted { $0.lexicographicallyPrecedes($1) })
        for (key, value) in expected { #expect(try store.get(key) == value) }
    }

    @Test("Records that are written in batches fill their pages, also in front of others and among them")
    func batches() throws {
        let directory = try TemporaryDirectory()
        let store = try directory.open()
        var expected: [[UInt8]: [UInt8]] = [:]
        // As text, 10 comes before 9: most batches lie in front of older records.
        for start in stride(from: 0, to: 12_000, by: 500) {
            try store.write { transaction throws(CacheError) in
                for number in start..<start + 500 {
                    let (message, person) = (
                        [1] + Array("Message:\(number)".utf8), [1] + Array("Person:\(number)".utf8)
                    )
                    let value = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 60 + number % 50)
                    for key in [message, person] {
                        try transaction.put(key, value)
                        expected[key] = value
                    }
                    // Some go again at once, and some are replaced by a record with pages of its own.
                    if number % 7 == 0 {
                        try transaction.remove(person)
                        expected[person] = nil
                    }
                    if number % 1_000 == 1 {
                        expected[person] = [UInt8](repeating: 9, count: 5_000)
                        try transaction.put(person, [UInt8](repeating: 9, count: 5_000))
                    }
                }
            }
        }
        // In a leaf: the key, a head of eight bytes, a pointer of two, and the value where it is not a large one.
        let payload = expected.reduce(0) { $0 + $1.key.count + 10 + ($1.value.count < 4_096 ? $1.value.count : 8) }
        let large = expected.values.filter { $0.count > 4_096 }.count * 2
        let pages = try store.pool.environment().usedPages() - large
        #expect(payload * 100 >= pages * 4_096 * 80, "\(payload) bytes in \(pages) pages")
        #expect(try store.keys() == expected.keys.sorted { $0.lexicographicallyPrecedes($1) })
        for (key, value) in expected { #expect(try store.get(key) == value) }
    }

    @Test(
        "A transaction of more new keys than are noted at a time loses none of them", arguments: 0..<2 as Range<UInt64>)
    func many(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let directory = try TemporaryDirectory()
        let store = try directory.open()
        var expected: [[UInt8]: [UInt8]] = [:]
        let numbers = seed == 0 ? Array(0..<30_000) : (0..<30_000).shuffled(using: &random)
        try store.write { transaction throws(CacheError) in
            var last: [UInt8]?
            for number in numbers {
                let key = [1] + Array("Item:\(number)".utf8)
                var value = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 20 + number % 60)
                // Now and then the value that a look-up returned, in pages that move when they are filled.
                if let last, number % 5 == 0 {
                    let stored: [UInt8]? = try transaction.get(last)
                    #expect(stored == expected[last])
                    value = stored ?? value
                }
                try transaction.put(key, value)
                expected[key] = value
                if number % 13 == 0 {
                    try transaction.remove(key)
                    expected[key] = nil
                } else if number % 17 == 0 {
                    try transaction.remove(key)
                    try transaction.put(key, [1])
                    expected[key] = [1]
                }
                last = key
            }
        }
        #expect(try store.dictionary() == expected)
    }

    @Test("A write whose body hides an error ends with that error, however many new records it has")
    func hidden() throws {
        let directory = try TemporaryDirectory()
        let store = try directory.open()
        _ = try store.setBudget(1 << 20)
        do throws(CacheError) {
            try store.write { transaction throws(CacheError) in
                for number in 0..<100 as Range<UInt8> { try transaction.put([1, number], [number]) }
                try? transaction.put([2], [UInt8](repeating: 1, count: 2 << 20))
            }
            Issue.record("The write succeeded.")
        } catch {
            #expect(error.code == .full)
        }
        #expect(try store.keys().isEmpty)
    }

    /// Writes sixty records as a cache does that has a budget.
    private static func write(_ version: UInt8, to store: LMDBStore) throws {
        for number in 0..<60 as Range<UInt8> {
            #expect(try store.makeRoom(for: .replacing(1, bytes: 10)))
            try store.put([1, 0xFE, number], [number, version])
        }
    }

    /// A key of ordinary length, or of any; many follow each other without anything between.
    private static func key(_ random: inout SeededGenerator, isOdd: Bool) -> [UInt8] {
        let number = random.next() % 40_000
        guard isOdd else { return [1] + Array("Item:\(number)".utf8) }
        let length = Int(random.next() % 4 == 0 ? random.next() % 700 : random.next() % 4)
        return [1] + Array("\(number % 4_000)".utf8) + [UInt8](repeating: 0, count: length)
    }
}
