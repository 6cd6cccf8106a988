import GroveCache
import GroveModel
@testable import GroveSQLite
import StoreTesting
import Testing
import TestSupport

@Suite("What a budget leaves of SQLite")
struct SQLiteBudgetTests {
    /// One whole write of so many notes of 300 bytes, new or in place of stored ones, into a store that is full.
    @Test(
        "A large write has room in a full store, and the budget holds",
        arguments: [(600, true, false), (180, false, false), (600, true, true)])
    func largeWrites(count: Int, isNew: Bool, isShuffled: Bool) throws {
        let directory = try TemporaryDirectory()
        let budget = 20_000_000
        let cache = try SQLiteCache(
            directory: directory.path, options: SQLiteOptions(), budget: CacheBudget(bytes: budget))
        let files = try StoreFiles(directory.path)
        var random = SeededGenerator(seed: UInt64(count))
        var newest = 0
        /// One number after the other, or all over the table.
        func number(_ index: Int) -> Int { isShuffled ? index * 2_654_435_761 % 1_000_000_007 : index }
        func write(_ indexes: [Int]) throws {
            _ = try cache.write(
                contentsOf: indexes.map { Page(number($0), Int.random(in: 150...350, using: &random)) })
            #expect(try files.allocatedBytes() <= budget)
        }
        while try cache.usage().evictions < 4_000 {
            try write(Array(newest..<newest + 60))
            newest += 60
        }
        for round in 0..<8 {
            if isNew {
                try write(Array(newest..<newest + count))
                newest += count
                #expect(try cache.model("Page:\(number(newest - count))", as: Page.self) != nil)
                #expect(try cache.model("Page:\(number(newest - 1))", as: Page.self) != nil)
            } else {
                try write((0..<count).map { newest - 1 - $0 * 41 - round })
            }
        }
        let usage = try cache.usage()
        #expect((usage.payloadBytes ?? 0) * 100 > budget * 45, "\(usage.payloadBytes ?? 0) bytes of payload are left")
        #expect(try code { try write(Array(newest..<newest + 20_000)) } == .overBudget)
        #expect(try cache.usage().payloadBytes ?? 0 > (usage.payloadBytes ?? 0) / 3)
    }

    @Test("The log starts over at 16 MB where the budget has room for more, and a view that is open stops no write")
    func slowLongLog() throws {
        let directory = try TemporaryDirectory()
        let cache = try SQLiteCache(
            directory: directory.path, options: SQLiteOptions(), budget: CacheBudget(bytes: 400_000_000))
        let files = try StoreFiles(directory.path)
        func log() -> Int { files.file(SQLiteFiles.log)?.allocatedBytes ?? 0 }
        var longest = 0
        for round in 0..<40 {
            try cache.write(contentsOf: (0..<4_000).map { Page($0, 200 + round) })
            longest = max(longest, log())
        }
        #expect(longest > 8 << 20 && longest < 24 << 20, "the log had \(longest) bytes")

        let store = try SQLiteStore(directory: directory.path, options: SQLiteOptions())
        let view = try store.view()
        for round in 0..<20 { try cache.write(contentsOf: (0..<4_000).map { Page($0, 300 + round) }) }
        #expect(log() > 16 << 20, "the view needs what the log has")
        view.end()
        store.close()
        for round in 0..<2 { try cache.write(contentsOf: (0..<4_000).map { Page($0, 400 + round) }) }
        #expect(log() < 16 << 20)
    }

    @Test("Pages that removals left sparse are given free by later transactions, and no record changes")
    func sparsePages() throws {
        let directory = try TemporaryDirectory()
        let store = try directory.open()
        _ = try store.setBudget(4 << 20)
        var random = SeededGenerator(seed: 7)
        var expected: [[UInt8]: [UInt8]] = [:]
        var number = 0
        func payload() -> Int { expected.reduce(0) { $0 + $1.key.count + $1.value.count } }
        func write(_ count: Int, removing gone: [[UInt8]] = []) throws {
            #expect(try store.makeRoom(for: .replacing(count + gone.count, bytes: count * 300)))
            _ = store.payloadLimit(holding: payload())
            try store.write { transaction throws(CacheError) in
                for _ in 0..<count {
                    number += 1
                    // Some by number, some by name.
                    let key = Array("Item:\(number)\(number % 3 == 0 ? "x" : "")".utf8)
                    let value = [UInt8](repeating: UInt8(number % 251), count: .random(in: 150...350, using: &random))
                    try transaction.put(key, value)
                    expected[key] = value
                }
                for key in gone { try transaction.remove(key) }
            }
            for key in gone { expected[key] = nil }
        }
        while expected.count < 7_500 { try write(50) }
        let gone = (1...number).filter { _ in random.next() % 2 == 0 }.map {
            Array("Item:\($0)\($0 % 3 == 0 ? "x" : "")".utf8)
        }
        for start in stride(from: 0, to: gone.count, by: 25) {
            try write(1, removing: Array(gone[start..<min(start + 25, gone.count)]))
        }
        for _ in 0..<60 { try write(8) }
        let view = try store.view()
        let pages = try view.connection.number("PRAGMA page_count") - view.connection.number("PRAGMA freelist_count")
        view.end()
        // Half of them went: without moving, the pages are half full.
        #expect(payload() * 100 > Int(pages) * SQLiteBudget.pageBytes * 60, "\(payload()) bytes in \(pages) pages")
        #expect(try store.keys() == expected.keys.sorted { $0.lexicographicallyPrecedes($1) })
        for (key, value) in expected { #expect(try store.get(key) == value) }
    }

    private func code(_ body: () throws -> Void) throws -> CacheError.Code? {
        do {
            try body()
            return nil
        } catch let error as CacheError {
            return error.code
        }
    }
}

/// A leaf of so many bytes, about.
private struct Page: CodableModel, Equatable {
    var number: Int
    var text: String

    init(_ number: Int, _ count: Int) {
        self.number = number
        text = String(repeating: "x", count: count)
    }

    var modelIdentifier: ModelIdentifier? { "Page:\(number)" }
}
