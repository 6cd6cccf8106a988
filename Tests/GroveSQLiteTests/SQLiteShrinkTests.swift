import GroveCache
import GroveModel
import GroveSQLite
import StoreTesting
import Testing
import TestSupport

@Suite("A budget that has become smaller")
struct SQLiteShrinkTests {
    /// Fills a store of 16 MB, and reads some of it again and again.
    private func fill(_ directory: TemporaryDirectory) throws {
        let cache = try open(directory, 16_000_000)
        for start in stride(from: 0, to: 40_000, by: 100) {
            _ = try cache.write(contentsOf: (start..<start + 100).map(Leaf.init))
            for number in stride(from: 0, to: start, by: max(start / 50, 1)) where number % 20 == 0 {
                _ = try cache.model(ModelIdentifier("Leaf:\(number)"), as: Leaf.self)
            }
            for number in 4_000..<4_200 { _ = try cache.model(ModelIdentifier("Leaf:\(number)"), as: Leaf.self) }
        }
        #expect(try cache.usage().evictions > 1_000)
        cache.close()
    }

    private func open(_ directory: TemporaryDirectory, _ bytes: Int) throws(CacheError) -> SQLiteCache {
        try SQLiteCache(
            directory: directory.path, options: SQLiteOptions(), budget: CacheBudget(bytes: bytes))
    }

    @Test("At half of it what is read most and what is pinned stays, as it was, and the files are within it at once")
    func half() throws {
        let directory = try TemporaryDirectory()
        try fill(directory)
        let files = try StoreFiles(directory.path)
        let budget = 8_000_000
        #expect(try files.allocatedBytes() > budget)
        let cache = try open(directory, budget)
        #expect(try files.allocatedBytes() <= budget)
        let usage = try cache.usage()
        let share = Double(usage.payloadBytes ?? 0) / Double(budget)
        #expect(share > SQLiteStore.profile.livePayloadShare * 0.75)
        let often = try (4_000..<4_200).filter {
            try cache.model(ModelIdentifier("Leaf:\($0)"), as: Leaf.self) != nil
        }
        #expect(often.count > 190)
        var count = 0
        for number in 0..<40_000 {
            guard let leaf = try cache.model(ModelIdentifier("Leaf:\(number)"), as: Leaf.self) else { continue }
            count += 1
            #expect(leaf == Leaf(number))
        }
        #expect(count > 5_000)
        // The account is that of a recount, and the budget goes on to hold.
        for start in stride(from: 40_000, to: 60_000, by: 100) {
            _ = try cache.write(contentsOf: (start..<start + 100).map(Leaf.init))
            #expect(try files.allocatedBytes() <= budget)
        }
        let after = try cache.usage()
        cache.close()
        let store = try SQLiteStore(directory: directory.path, options: SQLiteOptions())
        let keys = try store.keys()
        #expect(keys.count == after.entries)
        #expect(try keys.reduce(0) { $0 + $1.count + (try store.get($1)?.count ?? 0) } == after.payloadBytes)
    }
}

/// Some 250 bytes.
private struct Leaf: CodableModel, Equatable {
    var number: Int
    var text: String

    init(_ number: Int) {
        self.number = number
        text = String(repeating: "x", count: 150 + number * 37 % 200)
    }

    var modelIdentifier: ModelIdentifier? { "Leaf:\(number)" }
}
